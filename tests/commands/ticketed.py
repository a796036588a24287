"""An agent of the offline provider, which compacts without a model, at a small limit; and much that it is told."""

from __future__ import annotations

from support import run

from dotagent.store import rooms
from dotagent.store.home import Home
from dotagent.text import times

SMALL = {"DOTAGENT_CONTEXT_LIMIT": "8000"}


def born(where: Home) -> str:
    """Let it be born, and sleep; its id."""
    told = run(where, "agent.py", "--provider", "offline", "--until-idle", env=SMALL)
    assert told.returncode == 0, told.stderr
    return told.stdout.split("\n")[0]


def told_of(where: Home, place: str) -> None:
    """Let ana tell where twelve tickets are."""
    for number in range(12):
        words = f"Ticket {number} is in {place} {number * 7}, said the harbour master to the violin."
        rooms.append(where.room("dev"), rooms.line_of("USER", "ana", times.now(), words))
