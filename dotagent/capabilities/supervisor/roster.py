"""Find the agents that a change on disk concerns, so that `up` checks only these, however many there are.

It knows the home's agents and the rooms of each. It owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dotagent.store import disk, home, lives, named_agents
from dotagent.store.home import Home
from dotagent.text.reference import ID


class Roster:
    """The agents that `up` starts, and the agents that it must check. Helpers are missing: their own agents start
    them."""

    def __init__(self, where: Home) -> None:
        self._home = where
        self._rooms: dict[str, frozenset[str]] = {}  # by agent
        self._hearers: dict[str, set[str]] = {}  # the agents, by room
        self._made: set[str] = set()
        self._waiting: set[str] = set()

    def update(self, changed: frozenset[Path] | None, tables: named_agents.Tables) -> frozenset[str]:
        """Mark and return the agents that these changed paths concern, or all agents of the home for None. `tables` are
        the agents' tables of settings, by name."""
        found = set(home.lives(self._home)) if changed is None else self._concerned(changed, tables)
        for self_id in found:
            self._learn(self_id)
        found &= self._rooms.keys()
        self._waiting |= found
        return frozenset(found)

    def mark(self, ids: Iterable[str]) -> None:
        """Check these agents at the next `take`."""
        self._waiting.update(ids)

    def mark_neighbours(self, self_id: str) -> None:
        """Check an agent that ended and the agents that share a room with it, because they may now have to answer for
        it."""
        self._waiting.add(self_id)
        for room in self._rooms.get(self_id, ()):
            self._waiting |= self._hearers[room]

    def take(self) -> list[str]:
        """Return the marked agents, sorted, and unmark them."""
        taken, self._waiting = sorted(self._waiting), set()
        return taken

    def _concerned(self, changed: frozenset[Path], tables: named_agents.Tables) -> set[str]:
        found: set[str] = set()
        for path in changed:
            if path.parent == self._home.chats:
                found |= self._hearers.get(path.stem, set())
                found.add(named_agents.find_table(path.stem, tables))
            else:
                found |= {part for part in path.relative_to(self._home.root).parts if ID.fullmatch(part)}
        return found

    def _learn(self, self_id: str) -> None:
        """Read the rooms of an agent. Drop an agent that was removed or is a helper."""
        here = (
            self_id not in self._made and ID.fullmatch(self_id) and disk.is_file(self._home.agent(self_id) / "LIFE.md")
        )
        if here and self_id not in self._rooms and lives.is_made(self._home, self_id):
            self._made.add(self_id)
            here = False
        before = self._rooms.pop(self_id, frozenset())
        now = frozenset(lives.subscribed(self._home.agent(self_id))) if here else frozenset()
        for room in before - now:
            self._hearers[room].discard(self_id)
        for room in now - before:
            self._hearers.setdefault(room, set()).add(self_id)
        if here:
            self._rooms[self_id] = now
