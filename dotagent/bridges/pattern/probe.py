"""List for `status --probe` the places where each bridge posts, and the agent there, from the bridge's journal. Changes
nothing on disk."""

from __future__ import annotations

from collections.abc import Iterator

from dotagent.bridges.pattern import journal, validation
from dotagent.bridges.pattern.ledger import Ledger
from dotagent.store import disk, display, lives
from dotagent.store.home import Home, Settings
from dotagent.text import escape
from dotagent.text.lazy import dataclass
from dotagent.text.reference import short


@dataclass(frozen=True)
class Voice:
    """A place of a bridge, its room, and the displayed agent there, or ""."""

    bridge: str
    runs: bool
    place: str
    room: str
    agent: str = ""
    name: str = ""
    avatar: str = ""
    awake: bool = False


def voices(where: Home, settings: Settings) -> Iterator[Voice]:
    """Yield every place in which a bridge of this home has spoken."""
    for folder in sorted(where.bridges.glob("*/")):
        ledger = Ledger()
        for record in journal.read(folder / "journal.jsonl"):
            try:
                ledger.fold(record)
            except validation.ODD:
                continue  # the bridge reports it
        runs = disk.is_locked(folder / "pid")
        for id, standing in sorted(ledger.places.items()):
            place = escape.one_line(standing.place.name or id, 60)
            there = lives.awake(where, standing.room) or lives.find_agents(where, standing.room)
            if not there:
                yield Voice(folder.name, runs, place, standing.room)
            for one in there[-1:]:  # the youngest, as the bridge chooses
                shown, awake = display.find_face(where, settings, one), lives.runs(where, one)
                yield Voice(folder.name, runs, place, standing.room, short(one), shown.name, shown.avatar, awake)
