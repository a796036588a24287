"""The life of an agent as it grows, as a stream of events for the page that shows its context. Owns nothing on disk."""

from __future__ import annotations

import os

from dotagent.capabilities.view import film
from dotagent.capabilities.view.frames import Scenes
from dotagent.capabilities.view.route import ServerEvent
from dotagent.store.watch import Watcher


class Growth:
    """An agent's life as a page knows it: up to a byte offset of LIFE."""

    def __init__(self, scenes: Scenes, self_id: str, after: int) -> None:
        self._scenes, self._id, self._end = scenes, self_id, after
        self._path = scenes.where.agent(self_id) / "LIFE.md"
        self._node = os.stat(self._path).st_ino

    def look(self, watcher: Watcher) -> list[ServerEvent]:
        """Return what came since the last call, and watch for more. If something was deleted permanently, the page
        loads everything again."""
        watcher.content(self._path)
        node, before = os.stat(self._path).st_ino, self._end
        told = film.overview(self._scenes, self._id, before)
        self._end, changed = told["end"], node != self._node or told["end"] < before
        self._node = node
        if changed:
            return [ServerEvent("reset", None, str(self._end))]
        return [ServerEvent("grown", told, str(self._end))] if self._end > before else []
