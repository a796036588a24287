"""What the parts of a running bridge stand on together: the home, the rules, the journal, the transport, the lives.

Owns nothing on disk.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from dotagent.bridges import Limits, Transport
from dotagent.bridges.pattern.journal import Journal
from dotagent.bridges.pattern.ledger import Ledger, Standing
from dotagent.bridges.pattern.lives import Lives
from dotagent.bridges.pattern.pairs import Pairs
from dotagent.bridges.pattern.rules import Rules
from dotagent.store import rooms
from dotagent.store.home import Home


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
    pairs: Pairs = field(default_factory=Pairs)
    online: asyncio.Event = field(default_factory=asyncio.Event)
    back: asyncio.Event = field(default_factory=asyncio.Event)
    """Set, and made anew, whenever the connection is back: who waits to try again need not wait longer."""
    look: Callable[[], None] = field(default=lambda: None)
    """Look at the files soon: a place has another room now, which is not watched yet."""
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
        if not path.is_file():
            return False
        return rooms.audience(path, self.owner) == rooms_heading(standing.heading, self.owner)

    async def nap(self, seconds: float) -> None:
        """Wait, at most until the connection is back."""
        back = self.back
        try:
            await asyncio.wait_for(back.wait(), seconds)
        except TimeoutError:
            return


def rooms_heading(heading: str, owner: str) -> str:
    """The audience that a heading's words mean."""
    return f"private {owner}" if heading == "private" else heading
