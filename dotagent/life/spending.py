"""What a life's answers took, today and this month, by LIFE alone: a fold that looks at one event after the other.

A day is the person's, by the time zone of the machine. Of a life that another process lives the end of LIFE is read,
from its last swap on, and afterwards what is new.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path

from dotagent.life import events, snapshot
from dotagent.life.events import Clock, Reply, Spent, Swap
from dotagent.life.state import Used, change
from dotagent.store import log
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.log import Line
from dotagent.text import times

WORDS = (Reply.WORD, Spent.WORD, Clock.WORD)
COUNTED = 64  # answers beside the conversation that are remembered
NEAR = timedelta(hours=1)  # how long after a CLOCK the time in LIFE is the wrong one: it stands still until it is right


def after(used: Used, line: Line) -> Used:
    """What was used once this event has happened."""
    event = events.parse(line) if line.event in WORDS else None
    if isinstance(event, Clock) and times.STAMP.fullmatch(event.at):
        return change(used, ahead=f"{line.at} {event.at}")
    if not isinstance(event, Reply | Spent) or line.id in used.counted:
        return used
    took, cost = _number(event, "input") + _number(event, "output"), _number(event, "cost")
    used = change(used, tokens=used.tokens + took)
    used = on(used, times.local_day(_true(used, line.at)))
    used = change(used, day_tokens=used.day_tokens + took, month_tokens=used.month_tokens + took,
                  day_cost=used.day_cost + cost, month_cost=used.month_cost + cost)  # fmt: skip
    return change(used, counted=(*used.counted, line.id)[-COUNTED:]) if isinstance(event, Spent) else used


def on(used: Used, day: str) -> Used:
    """What was used by this day, as `times.local_day` tells it: nothing yet on a new one, or in a new month."""
    if day <= used.day:
        return used
    used = change(used, day_tokens=0, day_cost=0) if used.day else used
    return change(used, day=day) if day[:7] == used.day[:7] else change(used, day=day, month_tokens=0, month_cost=0)


def read(store: Blobs, path: Path, before: tuple[Used, int] | None = None, until: int = -1) -> tuple[Used, int]:
    """What the life with this LIFE.md used, and the byte offset up to which it was read; `before` is where the last
    look ended, and `until` where to stop."""
    used, start = before or _begin(store, path, None if until < 0 else until)
    for end, line in log.picked(path, start, WORDS):
        if 0 <= until < end:
            break
        used, start = after(used, line) if line else used, end
    return used, start


def _begin(store: Blobs, path: Path, until: int | None) -> tuple[Used, int]:
    """What the last swap says was used until then, and the offset of its line; where a version wrote that which did not
    count, nothing, and an offset before the month's first event."""
    start = log.last_offset(path, Swap.WORD, until)
    if start is None:
        return Used(), 0
    with suppress(BlobMissing, BlobCorrupt, ValueError):  # doctor tells of it
        used = snapshot.decode(store.get(next(log.lines(path, start)).id).body)[0].used
        if used.day:
            return used, start
    first = date.fromisoformat(times.local_day(times.now())).replace(day=1)
    return Used(), log.since(path, (first - timedelta(days=1)).isoformat())


def _number(event: Reply | Spent, name: str) -> int:
    told = event.told.get(name, "")
    return int(told) if told.isascii() and told.isdecimal() and len(told) < 13 else 0


def _true(used: Used, at: str) -> str:
    """The true time of an event, where LIFE was ahead of it just now."""
    wrong, _, true = used.ahead.partition(" ")
    return true if wrong and times.parse(at) - times.parse(wrong) < NEAR else at
