"""Copies of rooms that a program which syncs files left: the room gets one message about each. Owns nothing on disk."""

from __future__ import annotations

from dotagent import installed
from dotagent.life.events import Tell
from dotagent.life.session import Session
from dotagent.store import lives, log_search, room_copies
from dotagent.store.watch import Changed


class Copies:
    """The copies next to the rooms of one agent, as this process last saw them."""

    def __init__(self, session: Session) -> None:
        self._session, self._changed = session, Changed()

    def look(self) -> bool:
        """Report the first copy with messages that its room lacks, once. Return False if there is none."""
        session = self._session
        if not self._changed.look(session.home.chats):
            return False
        for copy, room in room_copies.find(session.home):
            if room not in session.state.heard.rooms:
                continue
            if lives.awake(session.home, room, session.owner)[:1] != [session.id]:
                continue
            told = any(copy.name in line.detail for line in log_search.picked(session.path / "LIFE.md", (Tell.WORD,)))
            if not told and room_copies.missing_lines(copy, session.home.room(room)):
                self._changed.forget(session.home.chats)  # there may be another copy
                repair = installed.program("room")
                text = f"(room: {copy.name} is a copy of this room with messages that are missing here. A program that "
                text += f"syncs files left the copy in chats/. `{repair} repair {room}` adds these messages)"
                session.record(Tell(room, text=text))
                return True
        return False
