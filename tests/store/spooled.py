"""Calls for tests: placed, and all that stands of them in the spool."""

from __future__ import annotations

from dotagent.store import queue
from dotagent.store.home import Home
from dotagent.store.queue import Call

AGENT = "a" * 32


def id_of(number: int) -> str:
    return f"{number:032x}"


def place(where: Home, number: int, kind: str = "live", at: str = "") -> Call:
    call = Call(id_of(number), AGENT, "own", kind, "dev", at)
    queue.place(where, call)
    return call


def everything(where: Home) -> list[str]:
    """Every file of the spool."""
    return sorted(str(path.relative_to(where.calls)) for path in where.calls.rglob("*") if path.is_file())
