"""What the parts of a running bridge share: the home, the rules, the journal, the transport, the lives.

Owns nothing on disk.
"""

from __future__ import annotations

import asyncio
import stat
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from dotagent.bridges import Limits, Person, Place, Transport, Undone, Unsure
from dotagent.bridges.pattern import split
from dotagent.bridges.pattern.journal import Journal
from dotagent.bridges.pattern.ledger import Ledger, Standing
from dotagent.bridges.pattern.lives import Lives
from dotagent.bridges.pattern.pairs import Pairs
from dotagent.bridges.pattern.rules import Rules
from dotagent.store import rooms, watch
from dotagent.store.home import Home

FIRST, SLOWEST = 1.0, 60.0  # seconds until something is tried again, at first and at most
T = TypeVar("T")
Spawn = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]
"""Runs something beside the rest, for as long as the bridge runs."""


class Changes:
    """Which files are others than when they were last asked for; they are watched from then on."""

    def __init__(self) -> None:
        self.watch = watch.Watcher()
        self._seen: dict[str, tuple[int, int, int]] = {}

    def of(self, path: Path, whom: str) -> bool:
        """Whether the file is there, and changed since this was asked for `whom`."""
        try:
            seen, known = _seen(path), self._seen.get(whom, (0, 0, 0))
            if seen[0] != known[0]:
                self.watch.content(path)
                seen = _seen(path)  # watch first, then look
        except FileNotFoundError:
            return False
        self._seen[whom] = seen
        return seen != known


def _seen(path: Path) -> tuple[int, int, int]:
    found = path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise FileNotFoundError
    return found.st_ino, found.st_size, found.st_mtime_ns


@dataclass
class Ground:
    """One bridge that runs; `owner` is whose home it is, `tell` writes a line into the bridge's log."""

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
    """Set, and made anew, whenever the connection is back: whoever waits to try again then tries at once."""
    wake: Callable[[], None] = field(default=lambda: None)
    """Look at the files soon: a place has a room that is not watched yet."""
    turns: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    """By place: who sends, edits or deletes there."""

    @property
    def ledger(self) -> Ledger:
        """What the journal says."""
        return self.journal.ledger

    @property
    def folder(self) -> Path:
        """The bridge's directory."""
        return self.journal.path.parent

    def sound(self, standing: Standing) -> bool:
        """Whether the place's room is there, and still for those whom the place's messages are for."""
        path = self.home.room(standing.room)
        return path.is_file() and rooms.audience(path, self.owner) == standing.heading

    def parts(self, place: Place, text: str) -> list[str]:
        """What an agent said, as it shall be sent there: in as many parts as it takes."""
        text = self.transport.outgoing(place, text)
        return [part for part in split.split(text, self.limits.size, self.limits.units) if part.strip()]

    async def ensure_life(self, standing: Standing, person: Person | None = None) -> None:
        """See to it that a life hears the place's room, as settings allow."""
        agent = self.rules.route(standing.place, person).agent
        await self.lives.ensure(standing.room, standing.heading, agent, self.rules.agents)

    async def insist(self, work: Callable[[], Awaitable[T]]) -> T:
        """What the work returns: it is done again as often as it is Undone or Unsure. Raises Refused and Gone."""
        wait = FIRST
        while True:
            await self.online.wait()
            try:
                return await work()
            except (Undone, Unsure) as later:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.back.wait(), wait if later.after is None else later.after)
                wait = min(2 * wait, SLOWEST)
