"""One look at all jobs: what is due is handed over, once; what was missed is made up once, or told of.

A run is handed over by a file that only one can make, and only then noted as done: a clock that dies between the two
hands the same run over again, under the same name, and the agent knows it. The time is given, never asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from dotagent import errors
from dotagent.clock import heartbeat, night, retain
from dotagent.errors import Misuse, Trouble
from dotagent.store import disk, due, home, jobs, lives
from dotagent.store.due import LATE, Due
from dotagent.store.home import Home, Settings
from dotagent.store.jobs import Job, Ran
from dotagent.text import schedule, times
from dotagent.text.reference import short
from dotagent.text.sizes import plural

AGAIN = timedelta(seconds=15)  # until a run that nobody could be given is tried again
AHEAD = 86_400.0  # seconds that a ledger may be ahead: else the machine's clock was, and has come back


@dataclass(frozen=True)
class Round:
    """What a look has to go by: the home, its settings, the time, and where to tell a person something."""

    home: Home
    settings: Settings
    now: datetime
    tell: Callable[[str], None]


def look(at: Round) -> datetime | None:
    """Hand over all that is due now; when there is something again. None: nobody knows of anything."""
    found = list[datetime]()
    for name in jobs.listed(at.home):
        try:
            job = jobs.read(at.home, name, at.settings.place)
            if job.enabled and (soon := _job(at, job)):
                found.append(soon if soon > at.now else at.now + AGAIN)
        except Misuse as wrong:
            at.tell(str(wrong))
        except OSError as error:
            at.tell(f"job {name}: {errors.line(error)}")
    for name in jobs.forgotten(at.home):
        disk.remove(at.home.clock / "ran" / f"{name}.json")
    for self_id in home.lives(at.home):
        try:
            heartbeat.beat(at.home, self_id, at.settings, at.now)
        except OSError as error:
            at.tell(f"heartbeat of {short(self_id)}: {errors.line(error)}")
        try:
            if told := night.look(at.home, self_id, at.settings, at.now):
                at.tell(told)
        except (OSError, Misuse) as error:
            at.tell(f"dream of {short(self_id)}: {errors.line(error) if isinstance(error, OSError) else error}")
    try:
        if told := retain.look(at.home, at.settings, at.now):
            at.tell(told)
    except (OSError, Trouble) as error:
        at.tell(f"retention: {errors.line(error) if isinstance(error, OSError) else error}")
    found += [beat] if (beat := heartbeat.following(at.settings, at.now)) else []
    return min(found, default=None)


def since(job: Job, known: Ran, now: datetime) -> datetime:
    """From when on its runs count: up to when it was looked after, or the writing of its file, if that is later."""
    begun = jobs.NEVER if job.schedule.kind == "at" else min(job.written, now)
    at = times.parse(known.at) if known.at else begun
    return begun if (at - now).total_seconds() > AHEAD else max(at, begun)


def following(job: Job, known: Ran, now: datetime) -> datetime | None:
    """When the job is due next, by what is known of it; None: never again. A run that waits to be looked at is now."""
    begun = since(job, known, now)
    last, others = schedule.due(job.schedule, begun, now, job.window)
    if last or others:
        return now
    return schedule.after(job.schedule, begun)


def _job(at: Round, job: Job) -> datetime | None:
    """Look after one job; when it is due next."""
    known = jobs.ran(at.home, job.name)
    begun = since(job, known, at.now)
    last, others = schedule.due(job.schedule, begun, at.now, job.window)
    if last:
        known = _hand(at, job, known, last, others)
    elif others:
        known = _missed(at, job, known, others)
    if job.schedule.kind == "at" and known.at and times.parse(known.at) >= schedule.instant(job.schedule):
        jobs.finish(at.home, job.name, schedule.instant(job.schedule))
        return None
    return following(job, known, at.now)


def _hand(at: Round, job: Job, known: Ran, last: datetime, others: int) -> Ran:
    """Hand the last of the due runs over; with others before it, that is told with it."""
    self_id, stamp = whose(at.home, job), times.of(last)
    if not self_id:
        return _nobody(at, job, known)
    late = (at.now - last).total_seconds() > LATE
    if due.waits(at.home, self_id, job.name) and job.schedule.kind != "at":
        others += 1  # the one before still waits there: it stands for both
    else:
        due.hand(at.home, self_id, of(job, stamp, "late" if late else ""))
    why = f"{plural(others, 'run')} before {stamp} stood for by one" if others else known.why
    known = Ran(stamp, stamp, known.missed + others, why)
    jobs.note(at.home, job.name, known)
    return known


def _nobody(at: Round, job: Job, known: Ran) -> Ran:
    """There is no agent yet: the run waits until there is one, or until it is too late."""
    why = f"no agent hears room {job.room}" if not job.agent else f"agent {job.agent} does not hear room {job.room}"
    if known.why != why:
        at.tell(f"job {job.name}: {why}: it waits")
        known = replace(known, why=why)
        jobs.note(at.home, job.name, known)
    return known


def _missed(at: Round, job: Job, known: Ran, others: int) -> Ran:
    """Tell of runs that are too late to be made up: a person, and, of what was to happen once, the agent."""
    why = f"{plural(others, 'run')} missed, longer ago than the window of {job.window:,.0f} s, at {times.of(at.now)}"
    at.tell(f"job {job.name}: {why}")
    stamp = times.of(at.now)
    if job.schedule.kind == "at":
        stamp = times.of(schedule.instant(job.schedule))
        if self_id := whose(at.home, job):
            due.hand(at.home, self_id, of(job, stamp, "missed"))
    known = Ran(stamp, known.handed, known.missed + others, why)
    jobs.note(at.home, job.name, known)
    return known


def of(job: Job, stamp: str, how: str) -> Due:
    """A run of the job as it is handed over."""
    return Due(job.name, stamp, job.room, how, in_words(stamp, job.schedule.zone), job.text)


def in_words(stamp: str, zone: str) -> str:
    """A time where the person is: `Fri 2026-11-27 09:00 Europe/Berlin`."""
    return f"{times.parse(stamp).astimezone(ZoneInfo(zone)):%a %Y-%m-%d %H:%M} {zone}"


def whose(where: Home, job: Job) -> str:
    """The agent that the job wakes: the one it names, else of those in its room the eldest that runs, else the one that
    lived last; "" when there is none."""
    there = lives.of(where, job.room)
    if job.agent:
        return next((one for one in there if one.startswith(job.agent)), "")
    return next(iter(lives.awake(where, job.room)), "") or (lives.newest(where, there) if there else "")
