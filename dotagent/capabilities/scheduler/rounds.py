"""One check of all jobs: hand over each due run once, and replace missed runs by one run or report them.

To hand over a run, the scheduler first creates a file that only one process can create, and then records it. If the
scheduler crashes in between, it finds the run later in the agent's folder or log, and records it. The time is an
argument and never read from the system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from dotagent import contract, errors
from dotagent.capabilities.scheduler import due, heartbeat, jobs
from dotagent.capabilities.scheduler.due import LATE, Due
from dotagent.capabilities.scheduler.jobs import Job, Ran
from dotagent.errors import Misuse
from dotagent.store import agent_search, disk, home, lives
from dotagent.store.home import Home, Settings
from dotagent.text import schedule, times
from dotagent.text.lazy import dataclass, replace
from dotagent.text.reference import short
from dotagent.text.sizes import plural

AGAIN = timedelta(seconds=15)  # before a run without an agent is tried again
AHEAD = 86_400.0  # seconds; a ledger further ahead than this comes from a wrong clock


@dataclass(frozen=True)
class Round:
    """The context of a check: the home, its settings, the time, and a function that reports a message to the user."""

    home: Home
    settings: Settings
    now: datetime
    tell: Callable[[str], None]


def hand_over(at: Round) -> datetime | None:
    """Hand over everything that is due. Return the time of the next due run, or None if no run is known."""
    found = list[datetime]()
    for name in jobs.list_names(at.home):
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
    for one in contract.list_chosen(at.settings):
        for told in one.round(at.home, at.settings, at.now) if one.round else ():
            at.tell(told)
    found += [beat] if (beat := heartbeat.following(at.settings, at.now)) else []
    return min(found, default=None)


def checked_until(job: Job, known: Ran, now: datetime) -> datetime:
    """Return the time after which runs are due: the last check, or the last change of the job's file if that is
    later."""
    begun = jobs.NEVER if job.schedule.kind == "at" else min(job.written, now)
    at = times.parse(known.at) if known.at else begun
    return begun if (at - now).total_seconds() > AHEAD else max(at, begun)


def following(job: Job, known: Ran, now: datetime) -> datetime | None:
    """Return when the job is due next: `now` if a due run is unprocessed, or None if it never is."""
    begun = checked_until(job, known, now)
    last, others = schedule.last_due(job.schedule, begun, now, job.window)
    if last or others:
        return now
    return schedule.next_time(job.schedule, begun)


def due_of(where: Home, settings: Settings, self_id: str) -> Iterator[datetime]:
    """Yield when each enabled job of this agent is due next, except jobs that cannot be read."""
    for name in jobs.list_names(where):
        with suppress(Misuse, OSError):
            job = jobs.read(where, name, settings.place)
            then = following(job, jobs.ran(where, name), datetime.now(UTC)) if job.enabled else None
            if then and find_agent(where, job) == self_id:
                yield then


def _job(at: Round, job: Job) -> datetime | None:
    """Process one job. Return when it is due next."""
    known = _recover(at, job, jobs.ran(at.home, job.name))
    begun = checked_until(job, known, at.now)
    last, others = schedule.last_due(job.schedule, begun, at.now, job.window)
    if last:
        known = _hand(at, job, known, last, others)
    elif others:
        known = _missed(at, job, known, others)
    if job.schedule.kind == "at" and known.at and times.parse(known.at) >= schedule.instant(job.schedule):
        jobs.finish(at.home, job.name, schedule.instant(job.schedule))
        return None
    return following(job, known, at.now)


def _hand(at: Round, job: Job, known: Ran, last: datetime, others: int) -> Ran:
    """Hand over the last due run, and record how many earlier runs it replaces."""
    self_id, stamp = find_agent(at.home, job), times.make_stamp(last)
    if not self_id:
        return _nobody(at, job, known)
    late = (at.now - last).total_seconds() > LATE
    if due.is_waiting(at.home, self_id, job.name) and job.schedule.kind != "at":
        others += 1  # the earlier run was not taken yet and represents both
    else:
        due.hand(at.home, self_id, make_due(job, stamp, "late" if late else ""))
    known = _with_run(known, stamp, others)
    jobs.note(at.home, job.name, known)
    return known


def _with_run(known: Ran, stamp: str, others: int) -> Ran:
    """Return the record with a run that was handed over, and with the number of others that it replaces."""
    why = (
        f"the job missed {plural(others, 'run')} before {stamp}; one later run replaces all missed runs"
        if others
        else known.why
    )
    return Ran(stamp, stamp, known.missed + others, why)


def _recover(at: Round, job: Job, known: Ran) -> Ran:
    """Record the runs that agents got since the last check: the scheduler crashed before it did."""
    first = schedule.next_time(job.schedule, checked_until(job, known, at.now))
    if not first or first > at.now:
        return known
    found = set[datetime]()
    for self_id in lives.find_agents(at.home, job.room, _owner(at.home)):
        found |= {*due.times_waiting(at.home, self_id, job.name)}  # first, because the agent may take one meanwhile
        found |= {*due.times_taken(at.home, self_id, job.name, first)}
    for one in sorted(found):
        last, others = schedule.last_due(job.schedule, checked_until(job, known, at.now), one, job.window)
        if last == one <= at.now:
            known = _with_run(known, times.make_stamp(one), others)
            jobs.note(at.home, job.name, known)
    return known


def _nobody(at: Round, job: Job, known: Ran) -> Ran:
    """Record that no agent can take the run. It waits until an agent exists or its time window is over."""
    why = why_nobody(job)
    if known.why != why:
        at.tell(f"job {job.name}: {why}; {waits(job)}")
        known = replace(known, why=why)
        jobs.note(at.home, job.name, known)
    return known


def _missed(at: Round, job: Job, known: Ran, others: int) -> Ran:
    """Report runs that are too late to be made up for. The agent is informed only of a run that was due once."""
    why = (
        f"the job missed {plural(others, 'run')}: at {times.make_stamp(at.now)}, the run was more than "
        f"{job.window:,.0f} s late, the most that the job's `window` allows"
    )
    at.tell(f"job {job.name}: {why}")
    stamp = times.make_stamp(at.now)
    if job.schedule.kind == "at":
        stamp = times.make_stamp(schedule.instant(job.schedule))
        if self_id := find_agent(at.home, job):
            due.hand(at.home, self_id, make_due(job, stamp, "missed"))
    known = Ran(stamp, known.handed, known.missed + others, why)
    jobs.note(at.home, job.name, known)
    return known


def make_due(job: Job, stamp: str, how: str) -> Due:
    """Return a run of the job as it is handed over."""
    return Due(job.name, stamp, job.room, how, format_time(stamp, job.schedule.zone), job.text)


def format_time(stamp: str, zone: str) -> str:
    """Return a time in the job's time zone: `Fri 2026-11-27 09:00 Europe/Berlin`."""
    return times.format_day(times.parse(stamp), zone)


def find_agent(where: Home, job: Job) -> str:
    """Return the agent for a job, or "". This is the agent that the job names, otherwise the oldest running agent of
    the room, otherwise the last active agent of the room."""
    owner = _owner(where)
    there = lives.find_agents(where, job.room, owner)
    if job.agent:
        return next((one for one in there if one.startswith(job.agent)), "")
    awake = lives.awake(where, job.room, owner)
    return next(iter(awake), "") or (agent_search.newest(where, there) if there else "")


def why_nobody(job: Job) -> str:
    """Return why no agent can take a run of the job."""
    return (
        f"agent {short(job.agent)} is not in room {job.room}" if job.agent else f"no agent has joined room {job.room}"
    )


def waits(job: Job) -> str:
    """Return for whom a job without an agent waits."""
    return f"the job waits until {'this agent' if job.agent else 'an agent'} joins"


def _owner(where: Home) -> str:
    """Return the owner's name in the present settings."""
    return home.owner(home.settings_now(where, Settings()))
