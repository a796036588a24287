"""Retention: settings keep things for a number of days; older ones are announced and removed like a person's request.

`[retention] episodes = 90, audit = 365`. Without it nothing is removed by age. Owns nothing on disk.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from dotagent.erasure import ledger, sweep
from dotagent.erasure.ledger import NEVER, Ages
from dotagent.store import home, log, log_search
from dotagent.store.home import Home, Settings
from dotagent.text import times

BY = "retention"
LATE = timedelta(days=2)  # after this time doctor reports that retention does not run


def find_cutoffs(settings: Settings, now: datetime) -> Ages:
    """Return the times before which things are removed, by these settings: the beginning of a day."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    given = {name: settings.retention.get(name, 0) for name in ("episodes", "audit")}
    return Ages(
        **{name: times.make_stamp(today - timedelta(days=days)) if days else "" for name, days in given.items()}
    )


def find_due(where: Home, settings: Settings, now: datetime) -> tuple[Ages, int]:
    """Return the times before which things must be removed now, and the number of events; NEVER and 0 if nothing is
    due."""
    done = ledger.ages(where.root)
    ages = find_cutoffs(settings, now).later(done)
    many = _count_events(where, done.episodes, ages.episodes) + _count_events(where, done.audit, ages.audit)
    return (ages, many) if many else (NEVER, 0)


def begin(where: Home, settings: Settings, now: datetime) -> bool:
    """Announce a removal if something is too old. Return whether it did. Raises Trouble if a deletion is announced
    already."""
    ages, many = find_due(where, settings, now)
    if many:
        sweep.announce_aged(where, ages, many, BY)
    return bool(many)


def _count_events(where: Home, first: str, last: str) -> int:
    many = 0
    for self_id in home.lives(where) if first < last else ():
        path = where.agent(self_id) / "LIFE.md"
        for line in log.lines(path, log_search.offset_of_day(path, first[:10]) if first else 0):
            if line.at >= last:
                break
            many += line.at >= first
    return many
