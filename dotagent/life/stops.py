"""A request of a person that an agent stops its work for a room.

Any program may write the request. The agent's loop looks for it before each step, and each tool while it waits
(loop/bounds.py). Owns `run/stop` in the agent's directory, which contains the room, the size of its file at that
moment, and the person's name.
"""

from __future__ import annotations

from pathlib import Path

from dotagent.store import disk
from dotagent.text import escape, names
from dotagent.text.lazy import dataclass

PLACE = "run/stop"


@dataclass(frozen=True)
class Stop:
    """The request: the room, the size of its file (later messages are not meant), and the person's name."""

    room: str
    offset: int
    who: str


def read(path: Path) -> Stop | None:
    """Return the request in an agent's directory, or None."""
    try:
        room, offset, who = disk.read(path / PLACE, 1000).decode("utf-8", "replace").split(" ", 2)
    except (OSError, ValueError):
        return None
    known = names.ROOM.fullmatch(room) and offset.isdecimal() and len(offset) < 19
    return Stop(room, int(offset), escape.one_line(who.strip(), 100)) if known else None


def remove(path: Path) -> None:
    """Remove the request from an agent's directory, because the agent has stopped."""
    disk.remove(path / PLACE)
    disk.sync_dir((path / PLACE).parent)  # after a power cut it must not stop a later turn
