"""The usage of an agent's answers, today and this month, from LIFE alone: a fold over its events.

Days are in the person's time zone, as `times.local_day` returns them. Owns nothing on disk.
"""

from __future__ import annotations

from datetime import timedelta

from dotagent.life import events
from dotagent.life.events import Clock, Reply, Spent
from dotagent.life.state import Used, change
from dotagent.store.log import Line
from dotagent.text import times

WORDS = (Reply.WORD, Spent.WORD, Clock.WORD)
COUNTED = 64  # answers outside the conversation that are remembered
NEAR = timedelta(hours=1)  # how long LIFE's times may stay ahead after a CLOCK: they do not go back


def add_usage(used: Used, line: Line) -> Used:
    """Return the usage after this event."""
    event = events.parse(line)
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
    """Return the usage on this day, as `times.local_day` returns it: zero for a new day, or a new month."""
    if day <= used.day:
        return used
    used = change(used, day_tokens=0, day_cost=0) if used.day else used
    return change(used, day=day) if day[:7] == used.day[:7] else change(used, day=day, month_tokens=0, month_cost=0)


def _number(event: Reply | Spent, name: str) -> int:
    told = event.told.get(name, "")
    return int(told) if told.isascii() and told.isdecimal() and len(told) < 13 else 0


def _true(used: Used, at: str) -> str:
    """Return an event's true time. It differs from that in LIFE while the times in LIFE are ahead."""
    wrong, _, true = used.ahead.partition(" ")
    return true if wrong and times.parse(at) - times.parse(wrong) < NEAR else at
