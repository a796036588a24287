"""Where each bridge speaks, and as whom: read from its journal beside it, for `status --probe`. Changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dotagent.bridges.pattern import journal, outside
from dotagent.bridges.pattern.ledger import Ledger
from dotagent.store import disk, face, lives
from dotagent.store.home import Home, Settings
from dotagent.text import escape
from dotagent.text.reference import short


@dataclass(frozen=True)
class Voice:
    """A place of a bridge, its room, and the agent that is heard there, as people are shown it; "" for none."""

    bridge: str
    runs: bool
    place: str
    room: str
    agent: str = ""
    name: str = ""
    avatar: str = ""
    awake: bool = False


def voices(where: Home, settings: Settings) -> Iterator[Voice]:
    """Every place that a bridge of this home has ever spoken in."""
    for folder in sorted(where.bridges.glob("*/")):
        ledger = Ledger()
        for record in journal.read(folder / "journal.jsonl"):
            try:
                ledger.fold(record)
            except outside.ODD:
                continue  # the bridge tells of it
        runs = disk.is_locked(folder / "pid")
        for id, standing in sorted(ledger.places.items()):
            place = escape.one_line(standing.place.name or id, 60)
            there = lives.awake(where, standing.room) or lives.of(where, standing.room)
            if not there:
                yield Voice(folder.name, runs, place, standing.room)
            for one in there[-1:]:  # as the bridge chooses: the youngest
                shown, awake = face.of(where, settings, one), lives.runs(where, one)
                yield Voice(folder.name, runs, place, standing.room, short(one), shown.name, shown.avatar, awake)
