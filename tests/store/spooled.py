"""Calls for tests: placed, and all that stands of them in the spool."""

from __future__ import annotations

from dotagent.store import queue
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome

AGENT = "a" * 32
NOBODY = (2**22 + 1, "1")  # a pid that no process has


def id_of(number: int) -> str:
    return f"{number:032x}"


def place(where: Home, number: int, kind: str = "live", at: str = "") -> Call:
    call = Call(id_of(number), AGENT, "own", kind, "dev", at)
    queue.place(where, call)
    return call


def everything(where: Home) -> list[str]:
    """Every file of the spool."""
    return sorted(str(path.relative_to(where.calls)) for path in where.calls.rglob("*") if path.is_file())


def answer(where: Home, call: Call, text: str = "hi") -> bool:
    """Answer a call that was taken."""
    return queue.answer(where, where.store(), call, text, Outcome(finish="stop", usage={"input": 3}, model="m"))
