"""A person's wish that an agent stops what it does for a room.

Any program may leave it, and the agent's loop sees it before each step, as does each wait of a tool
(loop/stopping.py). Owns `run/stop` in the agent's directory, which contains the room, the size of its file at that
moment, and who wished it.
"""

from __future__ import annotations

from pathlib import Path

from dotagent.store import disk
from dotagent.text import escape, names
from dotagent.text.lazy import dataclass

PLACE = "run/stop"


@dataclass(frozen=True)
class Stop:
    """The wish: the room, the size of its file, so that later messages are none of it, and the person's name."""

    room: str
    offset: int
    who: str


def read(path: Path) -> Stop | None:
    """Return the wish in an agent's directory, or None."""
    try:
        room, offset, who = disk.read(path / PLACE, 1000).decode("utf-8", "replace").split(" ", 2)
    except (OSError, ValueError):
        return None
    known = names.ROOM.fullmatch(room) and offset.isdecimal() and len(offset) < 19
    return Stop(room, int(offset), escape.one_line(who.strip(), 100)) if known else None


def remove(path: Path) -> None:
    """Remove the wish from an agent's directory, because it is fulfilled."""
    disk.remove(path / PLACE)
