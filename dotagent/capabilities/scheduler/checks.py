"""The scheduler: its jobs can be read, it runs if there is work, and nothing was missed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from dotagent import installed
from dotagent.capabilities.scheduler import checklist, clock_process, due, jobs, rounds
from dotagent.doctor import Finding, entries, ok, open_to_others, warning
from dotagent.errors import Misuse
from dotagent.store import disk, home
from dotagent.store.home import Home
from dotagent.text import times, zones
from dotagent.text.reference import short
from dotagent.text.sizes import plural

LONG = 3600.0  # seconds that a due job may wait for a running agent


def clock(where: Home) -> Iterator[Finding]:
    """Check that every job is valid, and that a scheduler runs if there are jobs."""
    enabled = 0
    for name in jobs.list_names(where):
        place = f"jobs/{name}.toml"
        try:
            job = jobs.read(where, name)
        except Misuse as wrong:
            yield warning(str(wrong), place, "correct the file; until then the job never runs")
            continue
        enabled += job.enabled
        known = jobs.ran(where, name)
        if known.why:
            yield warning(
                known.why, place, "to reset the job, correct the file and save it; `cron list` shows all jobs"
            )
        elif job.enabled and not rounds.find_agent(where, job):
            yield warning(rounds.why_nobody(job), place, f"correct the file; otherwise {rounds.waits(job)}")
    for entry in entries(where.jobs):
        if entry.name.endswith(".toml") and entry.name[:-5] not in jobs.list_names(where):
            yield warning(
                "the file's name cannot be the name of a job",
                f"jobs/{entry.name}",
                "rename the file; use a-z, 0-9, _ and -",
            )
    if enabled and not clock_process.runs(where):
        told = f"{plural(enabled, 'job')}, but the scheduler (`clock`) is stopped, so jobs run late"
        yield warning(told, "jobs", f"start an agent, which starts the scheduler, or run `{installed.program('up')}`")
    elif enabled:
        yield ok(plural(enabled, "job"), "jobs")
    yield from open_to_others([path for path in (where.jobs, where.clock) if path.is_dir()], "jobs clock")


def zone(where: Home) -> Iterator[Finding]:
    """Name the zone and the table of its rules; check that the rules have a name that holds on other machines, too."""
    name, versions = zones.table()
    if times.zone() == zones.LOCAL:
        what = "the time zone of this machine has no name such as Europe/Berlin"
        yield warning(what, zones.LOCAL, 'set zone in dotagent.toml, e.g. zone = "Europe/Berlin"')
    yield ok(f"the time zone is {times.zone()}; its rules are from {name} ({versions})", "dotagent.toml")


def lists(where: Home) -> Iterator[Finding]:
    """Check that each time in a HEARTBEAT.md is understood."""
    for self_id in home.lives(where):
        place = f"agents/{short(self_id)}/{clock_process.LIST}"
        with suppress(OSError):  # the checks of an agent's files report it
            text = disk.read(where.agent(self_id) / clock_process.LIST, checklist.MOST).decode("utf-8", "replace")
            for wrong in checklist.unclear(text):
                yield warning(
                    f"the time of an item in this list is not clear: {wrong}",
                    place,
                    "write the time in another way, like “every 2 hours: …”",
                )


def waiting(where: Home) -> Iterator[Finding]:
    """Check that due jobs are run."""
    for self_id in home.lives(where):
        folder, place = where.agent(self_id) / "due", f"agents/{short(self_id)}/due"
        for path in due.waiting(folder):
            try:
                one = due.read(path)
            except (OSError, ValueError, RecursionError) as wrong:
                yield warning(f"is unreadable: {wrong}", f"{place}/{path.name}", "remove it")
                continue
            if (old := -times.ahead(one.at)) > LONG:
                what = f"{one.job} has been due for {old / 3600:,.1f} hours, but its agent has not run it"
                yield warning(what, f"{place}/{path.name}", "start the agent, or remove the job")
