"""The addition of skills: the list of an agent's skills is a document of its prompt. Owns nothing on disk."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from dotagent.contract import Capability, Living
from dotagent.life.context import SKILLS
from dotagent.life.session import Session
from dotagent.store import disk
from dotagent.store.watch import Changed, Watcher


class SkillList:
    """The list of one agent's skills, as this process last made it."""

    def __init__(self, session: Session) -> None:
        self._session, self._changed = session, Changed()
        self._watched: list[Path] = []  # paths whose change means that the list may differ

    def texts(self) -> Mapping[str, str]:
        """Return the list, if it may have changed."""
        session = self._session
        if not (self._watched or session.state.heard.documents.get(SKILLS) or self._has_skills()):
            return {}
        from dotagent.skills import listing  # imported only if there are skills, or were some

        if self._watched and not any(self._changed.look(path) for path in self._watched):
            return {}
        self._watched = listing.watched(session.home, session.id)
        for path in self._watched:  # before they are read, so that a change in the meantime shows at the next check
            self._changed.look(path)
        room = session.settings.context_limit
        return {SKILLS: listing.listing(session.home, session.id, session.state.audience, room).text}

    def _has_skills(self) -> bool:
        """Return True if a directory of skills has any content, or cannot be listed."""
        folders = self._session.path / "skills", os.path.realpath(self._session.home.skills)
        try:
            return any(disk.names(folder) for folder in folders)
        except OSError:
            return True


def _live(session: Session, watch: Watcher) -> Living:
    return Living(texts=SkillList(session).texts)


CAPABILITY = Capability(live=_live)
