"""Retention: what settings keep for so many days; the rest is announced and removed like what a person wishes gone.

`[retention] episodes = 90, audit = 365`; without it nothing goes by its age. Owns nothing on disk.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from dotagent.forgetting import ledger, sweep
from dotagent.forgetting.ledger import NEVER, Ages
from dotagent.store import home, log
from dotagent.store.home import Home, Settings
from dotagent.text import times

BY = "retention"
LATE = timedelta(days=2)  # after which doctor says that nobody looks after it


def before(settings: Settings, now: datetime) -> Ages:
    """Before when things go, by these settings: the beginning of a day."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    given = {name: settings.retention.get(name, 0) for name in ("episodes", "audit")}
    return Ages(**{name: times.of(today - timedelta(days=days)) if days else "" for name, days in given.items()})


def due(where: Home, settings: Settings, now: datetime) -> tuple[Ages, int]:
    """Before when things go that are there still, and how many events that is; NEVER and 0 where nothing is due."""
    done = ledger.ages(where.root)
    ages = before(settings, now).later(done)
    many = _between(where, done.episodes, ages.episodes) + _between(where, done.audit, ages.audit)
    return (ages, many) if many else (NEVER, 0)


def begin(where: Home, settings: Settings, now: datetime) -> bool:
    """Announce it, if something is too old; whether that is so. Raises Trouble where something is announced already."""
    ages, many = due(where, settings, now)
    if many:
        sweep.announce_aged(where, ages, many, BY)
    return bool(many)


def _between(where: Home, first: str, last: str) -> int:
    """How many events of all lives happened from one time to another."""
    many = 0
    for self_id in home.lives(where) if first < last else ():
        path = where.agent(self_id) / "LIFE.md"
        for line in log.lines(path, log.since(path, first[:10]) if first else 0):
            if line.at >= last:
                break
            many += line.at >= first
    return many
