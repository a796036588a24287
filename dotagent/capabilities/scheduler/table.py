"""The jobs as `status` lists them. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from dotagent.capabilities.scheduler import jobs, rounds
from dotagent.contract import Cells
from dotagent.errors import Misuse
from dotagent.store.home import Home, Settings
from dotagent.text import times


def rows(where: Home, settings: Settings) -> Iterator[Cells]:
    """Yield the jobs, next due first. A warning says if the scheduler does not run."""
    zone, found = settings.place, list[Cells]()
    for name in jobs.list_names(where):
        known = jobs.ran(where, name)
        try:
            job = jobs.read(where, name, zone)
        except Misuse as wrong:
            found.append(({"name": name, "wrong": str(wrong), "next": ""}, (name, "cannot be read", "", known.handed)))
            continue
        soon = rounds.following(job, known, datetime.now(UTC)) if job.enabled else None
        then = times.make_stamp(soon) if soon else ""
        told = {"name": name, "text": job.text, "next": then, "handed": known.handed, "missed": known.missed,
                "enabled": job.enabled}  # fmt: skip
        words = f"{job.schedule.kind} {job.schedule.words}"
        found.append((told, (name, words, then or "disabled", known.handed or "never")))
    yield from sorted(found, key=lambda row: (not row[0]["next"], str(row[0]["next"])))
