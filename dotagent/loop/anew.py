"""A life that begins anew in the same process: it ended only because something is to be forgotten, which its next
beginning sees to, since nothing of it is kept but what is on the disk. Owns nothing there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from dotagent.loop import boot
from dotagent.loop.boot import Agent
from dotagent.store import launch


def lives(arguments: Sequence[str]) -> Iterator[AbstractContextManager[Agent]]:
    """The life that the command line asks for, once for each beginning."""
    words, lived = list(arguments), list[Agent]()

    @contextmanager
    def life() -> Iterator[Agent]:
        with boot.life_of(words) as me:
            lived[:] = [me]
            yield me

    yield life()
    while lived and lived[0].session.anew:
        words = _again(lived[0], words)
        yield life()


def _again(me: Agent, arguments: Sequence[str]) -> list[str]:
    """The command line by which it goes on, with the provider that it had."""
    asked = boot.parser().parse_args(arguments)
    os.environ[launch.HANDED] = me.session.order[0]
    named = {"provider": asked.provider, "model": asked.model, "linger": asked.linger}
    flags = [f"--{name}" for name in ("verbose", "until-idle") if getattr(asked, name.replace("-", "_"))]
    given = [f"--{name}={said}" for name, said in named.items() if said is not None]
    return [me.session.id, "--home", str(me.session.home.root), *flags, *given]
