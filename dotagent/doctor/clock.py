"""The clock: whether its jobs can be read, whether it runs where something is to be done, what was missed."""

from __future__ import annotations

from collections.abc import Iterator

from dotagent import installed
from dotagent.doctor import Finding, entries, ok, open_to_others, warning
from dotagent.errors import Misuse
from dotagent.store import disk, due, home, jobs
from dotagent.store.home import Home
from dotagent.text import times
from dotagent.text.reference import short
from dotagent.text.sizes import plural

LONG = 3600.0  # seconds for which something that is due may wait for an agent that runs


def clock(where: Home) -> Iterator[Finding]:
    """Every job is one, and somebody looks after them."""
    enabled = 0
    for name in jobs.listed(where):
        place = f"jobs/{name}.toml"
        try:
            enabled += jobs.read(where, name).enabled
        except Misuse as wrong:
            yield warning(str(wrong), place, "until then it is never due")
            continue
        known = jobs.ran(where, name)
        if known.why:
            yield warning(known.why, place, "`cron list` tells of all; writing the file anew begins anew")
    for entry in entries(where.jobs):
        if entry.name.endswith(".toml") and entry.name[:-5] not in jobs.listed(where):
            yield warning("cannot be a job's name", f"jobs/{entry.name}", "rename it: a-z, 0-9, _ and -")
    if enabled and not disk.is_locked(where.clock / "pid"):
        told = f"{plural(enabled, 'job')}, and the clock does not run"
        yield warning(told, "jobs", f"start it: `{installed.typed('clock')}`")
    elif enabled:
        yield ok(plural(enabled, "job"), "jobs")
    yield from open_to_others([path for path in (where.jobs, where.clock) if path.is_dir()], "jobs clock")


def waiting(where: Home) -> Iterator[Finding]:
    """What is due is heard."""
    for self_id in home.lives(where):
        folder, place = where.agent(self_id) / "due", f"agents/{short(self_id)}/due"
        for path in due.waiting(folder):
            try:
                one = due.read(path)
            except (OSError, ValueError, RecursionError) as wrong:
                yield warning(f"cannot be read: {wrong}", f"{place}/{path.name}", "remove it")
                continue
            if (old := -times.ahead(one.at)) > LONG:
                what = f"{one.job} is due for {old / 3600:,.1f} hours and not heard"
                yield warning(what, f"{place}/{path.name}", "start that agent, or remove it")
