"""A home in which an agent runs for an editor's sake."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from support import MOMENT, make_home, spawn, until

from dotagent.store import home, lives, queue
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome

Model = Callable[[int, Call], "str | None"]


@contextmanager
def lived(path: Path, model: Model | None = None, policy: str = "allow") -> Iterator[Home]:
    """A home in which an agent runs; its model is this one, on the real spool."""
    where, leaves = make_home(path / "home"), threading.Event()

    def answer() -> None:
        number = 0
        while not leaves.wait(MOMENT):
            if model and (call := queue.take(where, "scripted")):
                if (text := model(number, call)) is not None:
                    queue.answer(where, where.store(), call, text, Outcome(finish="stop"))
                number += 1

    provider = "scripted" if model else "offline"
    (where.calls / "new" / "scripted").mkdir(parents=True)
    serving = threading.Thread(target=answer)
    serving.start()
    with spawn(where, "agent.py", "--provider", provider, env={"DOTAGENT_POLICY": policy}) as agent:
        try:
            until(lambda: [one for one in home.lives(where) if lives.awake(where, "dev")], where.root)
            yield where
        finally:
            agent.terminate()
            agent.communicate()
            leaves.set()
            serving.join()
