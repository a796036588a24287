"""A first turn in a home of its own, which the template lives before it forks. So the agents share the memory of what
a turn loads and makes, and need no time for it.

No model and no other process takes part. Owns a directory that it removes again.
"""

from __future__ import annotations

import io
import os
import signal
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Any

from dotagent import sandbox
from dotagent.errors import Trouble
from dotagent.store import home, provider_status, queue, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Outcome
from dotagent.text import times

STEPS = 50  # a turn has fewer
PROVIDER = "rehearsal"
NOBODY = "rehearsal"
ROOM = "dev"
MEMORY = Path("/dev/shm")  # in memory, so that no disk delays the start


def live(program: Mapping[str, Any]) -> None:
    """Live a turn by the functions of `agent.py`. A problem ends it early, because each agent reports its own."""
    scratch = tempfile.TemporaryDirectory(prefix="dotagent-", dir=MEMORY if MEMORY.is_dir() else None)
    with suppress(Trouble, OSError), scratch as path, _set_aside():
        _turn(Home(Path(path)), program)
    sandbox.look_again()  # each agent finds out itself what this machine has


def _turn(where: Home, program: Mapping[str, Any]) -> None:
    home.prepare(where)
    (where.calls / "new" / PROVIDER).mkdir(parents=True)  # a provider without a process of ours
    words = ["--home", str(where.root), "--provider", PROVIDER, "--room", ROOM, "--audience", f"private {NOBODY}"]
    with program["boot"].life_of([*words, "--new"]) as me:
        rooms.append(where.room(ROOM), rooms.line_of("USER", NOBODY, times.now(), "hello"))
        for _ in range(STEPS):
            if program["step"](me):
                continue
            program["rest"](me)
            if (call := queue.take(where, PROVIDER)) is None:
                break
            queue.answer(where, where.store(), call, "hello", Outcome(finish="stop"))


@contextmanager
def _set_aside() -> Iterator[None]:
    """Keep the environment, the handlers of signals and the standard output as they are."""
    before = dict(os.environ)
    handlers = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    os.environ[provider_status.HANDED] = PROVIDER
    try:
        with redirect_stdout(io.StringIO()):
            yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        for one, handler in handlers.items():
            signal.signal(one, handler)
