"""The first turn of a new agent and of a resumed one in a home of their own, which the template lives before it forks.
So the agents share the memory of what such turns load and make, and need no time for it.

No model and no other process takes part. Owns a directory that it removes again.
"""

from __future__ import annotations

import io
import os
import signal
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from itertools import cycle
from pathlib import Path
from typing import Any

from dotagent import extensions, sandbox
from dotagent.errors import Trouble
from dotagent.life.session import Patience
from dotagent.store import home, provider_status, queue, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Outcome
from dotagent.text import times

STEPS = 50  # a turn has fewer
PROVIDER = "rehearsal"
ROOM = "dev"
ANSWER = "Hello – how can I help?"  # not only ASCII
PATIENCE = Patience(look=0.0)  # each answer counts as one that takes long
MEMORY = Path("/dev/shm")  # in memory, so that no disk delays the start


def live(program: Mapping[str, Any]) -> None:
    """Live the turns by the functions of `agent.py`. A problem ends them early, because each agent reports its own."""
    scratch = tempfile.TemporaryDirectory(prefix="dotagent-", dir=MEMORY if MEMORY.is_dir() else None)
    with suppress(Trouble, OSError), scratch as path, _set_aside():
        _live(Home(Path(path)), program)
    sandbox.look_again()  # each agent finds out itself what this machine has


def _live(where: Home, program: Mapping[str, Any]) -> None:
    home.prepare(where)
    (where.calls / "new" / PROVIDER).mkdir(parents=True)  # a provider without a process of ours
    which = ["--new", "--room", ROOM]
    for _ in range(2):
        os.environ[provider_status.HANDED] = PROVIDER
        words = ["--home", str(where.root), "--provider", PROVIDER, *which]
        with program["boot"].life_of(words, PATIENCE) as me:
            _turn(me, program)
        which = [me.session.id]


def _turn(me: Any, program: Mapping[str, Any]) -> None:
    where, answers = me.session.home, cycle([f"{extensions.tools().note} hello", ANSWER])
    rooms.append(where.room(ROOM), rooms.line_of("USER", me.session.owner, times.now(), "hello"))
    for _ in range(STEPS):
        if program["step"](me):
            continue
        program["rest"](me)
        if (call := queue.take(where, PROVIDER)) is None:
            break
        queue.answer(where, where.store(), call, next(answers), Outcome(finish="stop"))


@contextmanager
def _set_aside() -> Iterator[None]:
    """Keep the environment, the handlers of signals and the standard output as they are."""
    before = dict(os.environ)
    handlers = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        with redirect_stdout(io.StringIO()):
            yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        for one, handler in handlers.items():
            signal.signal(one, handler)
