"""The shared state of a running bridge's parts: the home, the rules, the journal, the transport, the agents.

Owns nothing on disk.
"""

from __future__ import annotations

import asyncio
import stat
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from dotagent.bridges import Limits, Person, Place, Transport, Undone, Unsure
from dotagent.bridges.pattern import split
from dotagent.bridges.pattern.journal import Journal
from dotagent.bridges.pattern.ledger import Ledger, Standing
from dotagent.bridges.pattern.lives import Lives
from dotagent.bridges.pattern.pairs import Pairs
from dotagent.bridges.pattern.rules import Rules
from dotagent.store import disk, rooms
from dotagent.store.home import Home
from dotagent.store.loop_watch import LoopWatcher
from dotagent.text.lazy import dataclass, field

FIRST, SLOWEST = 1.0, 60.0  # seconds before a retry, at first and at most
T = TypeVar("T")
Spawn = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]
"""Runs a coroutine as a task while the bridge runs."""


class Changes:
    """Detects which files changed since the last query, and watches them from then on."""

    def __init__(self) -> None:
        self.watch = LoopWatcher()
        self._seen: dict[str, tuple[int, int, int]] = {}

    def of(self, path: Path, whom: str) -> bool:
        """Return True if the file exists and has changed since the last query for `whom`."""
        try:
            seen, known = _fingerprint(path), self._seen.get(whom, (0, 0, 0))
            if seen[0] != known[0]:
                self.watch.content(path)
                seen = _fingerprint(path)  # watch first, then look
        except FileNotFoundError:
            return False
        self._seen[whom] = seen
        return seen != known


def _fingerprint(path: Path) -> tuple[int, int, int]:
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise FileNotFoundError
    return found.st_ino, found.st_size, found.st_mtime_ns


@dataclass
class Ground:
    """A running bridge. `owner` is the home's owner; `tell` writes a line to the bridge's log."""

    name: str
    home: Home
    owner: str
    rules: Rules
    limits: Limits
    journal: Journal
    transport: Transport
    lives: Lives
    tell: Callable[[str], None]
    changes: Changes = field(default_factory=Changes)
    pairs: Pairs = field(default_factory=Pairs)
    online: asyncio.Event = field(default_factory=asyncio.Event)
    back: asyncio.Event = field(default_factory=asyncio.Event)
    """Set and replaced when the connection is back, so that waiting retries start at once."""
    wake: Callable[[], None] = field(default=lambda: None)
    """Check the files soon: a place has a new room that is not watched yet."""
    turns: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    """By place: the lock for sending, editing and deleting."""

    @property
    def ledger(self) -> Ledger:
        """Return the state in the journal."""
        return self.journal.ledger

    @property
    def folder(self) -> Path:
        """Return the bridge's directory."""
        return self.journal.path.parent

    def sound(self, standing: Standing) -> bool:
        """Return True if the place's room exists and still has the audience of the place's messages."""
        path = self.home.room(standing.room)
        return path.is_file() and rooms.audience(path, self.owner) == standing.heading

    def parts(self, place: Place, text: str) -> list[str]:
        """Convert an agent's text for the network, in as many parts as necessary."""
        text = self.transport.outgoing(place, text)
        return [part for part in split.split(text, self.limits.size, self.limits.units) if part.strip()]

    def waits(self, standing: Standing) -> bool:
        """Return True if a person said the last words in the place's room, and may await an answer."""
        path = self.home.room(standing.room)
        last = rooms.last(path, 1, path.stat().st_size) if disk.is_file(path) else []
        return bool(last) and last[0].kind != "AGENT"

    async def ensure_life(self, standing: Standing, person: Person | None = None) -> None:
        """Make sure that an agent reads the place's room, as settings allow."""
        agent = self.rules.route(standing.place, person).agent
        await self.lives.ensure(standing.room, standing.heading, agent, self.rules.agents)

    async def insist(self, work: Callable[[], Awaitable[T]]) -> T:
        """Return the result of `work`, retried while it is Undone or Unsure. Raises Refused and Gone."""
        wait = FIRST
        while True:
            await self.online.wait()
            try:
                return await work()
            except (Undone, Unsure) as later:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.back.wait(), wait if later.after is None else later.after)
                wait = min(2 * wait, SLOWEST)
