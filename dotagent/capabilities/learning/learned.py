"""The learned entries that a prompt shows: the rules in effect, and the profile of the person. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dotagent.life import lessons
from dotagent.life.session import Session
from dotagent.store.watch import Changed


class LearnedTexts:
    """The rules and the profile of one agent, as this process last read them."""

    def __init__(self, session: Session) -> None:
        self._session, self._changed = session, Changed()
        self._watched: list[Path] | None = None

    def changed_texts(self) -> Mapping[str, str]:
        """Return the texts if they may have changed, otherwise {}. Raises OSError."""
        session = self._session
        if self._watched is not None and not any(self._changed.look(path) for path in self._watched):
            return {}  # a new file or folder changes the folder that it is in
        self._watched = lessons.watched(session.home, session.id, session.state.audience)
        for path in self._watched:  # before they are read, so that a change in the meantime shows at the next check
            self._changed.look(path)
        room = session.settings.context_limit
        return lessons.texts(session.home, session.id, session.state.audience, room)
