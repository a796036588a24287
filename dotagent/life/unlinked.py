"""Agents whose links to rooms are all missing: a program copied the home without links. Owns nothing on disk."""

from __future__ import annotations

from dotagent.life import events
from dotagent.life.events import Join, Leave, Resume
from dotagent.store import disk, log
from dotagent.store.home import Home
from dotagent.text import names


def rooms(where: Home, self_id: str) -> list[str]:
    """Return the rooms that the agent heard until it lost all of its links at once, or nothing. A room that the agent
    left while it ran, because someone removed the link or asked it to leave, is not among them."""
    subs = where.agent(self_id) / "subs"
    if any((subs / name).is_symlink() for name in disk.names(subs)):
        return []
    found, starting = set[str](), False
    for line in log.picked(where.agent(self_id) / "LIFE.md", (Join.WORD, Leave.WORD, Resume.WORD, "HEAR", "ASK")):
        event = events.parse(line)
        starting = isinstance(event, Resume) or (starting and isinstance(event, Leave))
        if isinstance(event, Join):
            found.add(event.room)
        elif isinstance(event, Leave) and not starting:
            found.discard(event.room)
    return sorted(room for room in found if names.ROOM.fullmatch(room) and where.room(room).is_file())
