"""A cache of the agents that had nothing to do, with the state of their files, so that `up` starts soon with many
agents.

Owns `up/asleep.json`. An entry is valid only while these files are unchanged.
"""

from __future__ import annotations

import json
import os
import time

from dotagent.capabilities.supervisor.stopped import calls
from dotagent.store import disk, lives
from dotagent.store.home import Home, Settings
from dotagent.store.watch import TICK

Seen = tuple[tuple[int, int, int], dict[str, int]]
"""LIFE.md (inode, bytes, and nanoseconds of the last change), and the size of each of the agent's rooms in bytes."""


class Asleep:
    """The agents that have nothing to do, with the state of their files at the time when LIFE showed this."""

    def __init__(self, where: Home) -> None:
        self._home = where
        self._known = _read(where)
        self._new = False

    def see(self, self_id: str, settings: Settings) -> Seen | None:
        """Return the present state of the agent's files, or None if the cache cannot help. It cannot if the agent has a
        job or a command's directory, or if LIFE has just changed: a further change might not show."""
        path = self._home.agent(self_id)
        if calls(self._home, settings, self_id) or disk.names(path / "processes"):
            return None
        try:
            life = os.lstat(path / "LIFE.md")
            sizes = {room: os.lstat(self._home.room(room)).st_size for room in lives.subscribed(path)}
        except OSError:
            return None
        if life.st_mtime_ns > time.time_ns() - TICK:
            return None
        return (life.st_ino, life.st_size, life.st_mtime_ns), sizes

    def rests(self, self_id: str, seen: Seen | None) -> bool:
        """Return True if the agent had nothing to do when its files were in this state."""
        return seen is not None and self._known.get(self_id) == seen

    def keep(self, self_id: str, seen: Seen | None) -> None:
        """Remember that the agent has nothing to do while its files are in this state. Ignores None."""
        if seen:
            self._known[self_id] = seen
            self._new = True

    def save(self) -> None:
        """Write the cache if an agent was added."""
        if self._new:
            data = json.dumps({one: [mark, sizes] for one, (mark, sizes) in self._known.items()})
            disk.replace(self._home.up / "asleep.json", data.encode(), durable=False)
            self._new = False


def _read(where: Home) -> dict[str, Seen]:
    try:
        found = json.loads(disk.read(where.up / "asleep.json"))
        return {one: ((mark[0], mark[1], mark[2]), dict(sizes)) for one, (mark, sizes) in found.items()}
    except (OSError, ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return {}
