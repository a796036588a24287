"""Report the missing parts of an agent in a copy of a home: its links to rooms, or blobs that its log names. Owns
nothing on disk."""

from __future__ import annotations

from collections.abc import Iterator

from dotagent import installed
from dotagent.life import events
from dotagent.life.events import Join, Leave, Resume
from dotagent.life.log_repair import REQUESTS
from dotagent.life.session import Session
from dotagent.store import disk, log, log_search
from dotagent.store.home import Home
from dotagent.text import names
from dotagent.text.sizes import plural


def rooms(where: Home, self_id: str) -> list[str]:
    """Return the rooms that the agent read until it lost all of its links at once, or nothing. A room that the agent
    left while it ran, because someone removed the link or asked it to leave, is not among them."""
    subs = where.agent(self_id) / "subs"
    if any((subs / name).is_symlink() for name in disk.names(subs)):
        return []
    found, starting = set[str](), False
    for line in log_search.picked(
        where.agent(self_id) / "LIFE.md", (Join.WORD, Leave.WORD, Resume.WORD, "HEAR", "ASK")
    ):
        event = events.parse(line)
        starting = isinstance(event, Resume) or (starting and isinstance(event, Leave))
        if isinstance(event, Join):
            found.add(event.room)
        elif isinstance(event, Leave) and not starting:
            found.discard(event.room)
    return sorted(room for room in found if names.ROOM.fullmatch(room) and where.room(room).is_file())


def report(living: Session) -> Iterator[str]:
    """Yield a line about missing links, if the agent therefore reads no room, and a line about missing texts, with
    numbers."""
    where = living.home
    if left := [] if living.state.heard.rooms else rooms(where, living.id):
        fix = f"stop it and run `{installed.program('doctor')} --fix{where.flag}`"
        yield f"  room   none: this agent reads no room, because its links to {', '.join(left)} are missing; {fix}"
    if not any(one.lost for one in living.entries):
        return
    store, lines = where.store(), log.lines(where.agent(living.id) / "LIFE.md")
    named = {line.id for line in lines if line.id and line.event not in REQUESTS}
    if not (missing := sum(not store.has(id) for id in named)):
        return  # a lost blob was forgotten
    yield (
        f"  lost   {missing:,} of the {plural(len(named), 'text')} that this agent's log names are missing; if a "
        f"program copied the directory while agents ran, copy it again with `{installed.program('backup')}`; "
        f"`{installed.program('doctor')} --deep{where.flag}` lists them"
    )
