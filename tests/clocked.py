"""The clock at a time that a test gives, and what it has handed over."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

from dotagent.capabilities.scheduler import due, rounds
from dotagent.capabilities.scheduler.rounds import Round
from dotagent.store.home import Home, Settings

START = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)  # a Monday


def hours(count: float) -> datetime:
    return START + timedelta(hours=count)


def write(where: Home, name: str, text: str, at: datetime = START) -> None:
    """A person writes a job's file at a time."""
    where.jobs.mkdir(exist_ok=True)
    path = where.jobs / f"{name}.toml"
    path.write_text(text)
    os.utime(path, (at.timestamp(), at.timestamp()))


def look(where: Home, now: datetime, told: list[str] | None = None, settings: Settings = Settings()) -> datetime | None:  # noqa: B008
    """Look after the jobs at this time."""
    return rounds.hand_over(Round(where, settings, now, (told if told is not None else list[str]()).append))


def handed(where: Home, self_id: str) -> list[str]:
    """What waits for the agent."""
    runs = map(due.read, due.waiting(where.agent(self_id) / "due"))
    return [f"{one.job} {one.at[5:16].replace('T', ' ')} {one.how}".rstrip() for one in runs]
