"""The list of a home's supervised processes, written by `up`; a reader compares each pid with its start time, because a
pid may be used again.

Owns `up/state.json`, a cache. Reads `up/pid`, the lock that contains the pid of `up`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from dotagent.store import disk, launch, process
from dotagent.store.home import Home
from dotagent.text import escape

Row = dict[str, object]


def write(where: Home, rows: Sequence[Row]) -> None:
    """Write the list of supervised processes."""
    disk.replace(where.up / "state.json", f"{escape.dumps(rows)}\n".encode(), durable=False)


def read(where: Home) -> list[Row]:
    """Return the last written rows; `runs` in each says whether the process still exists."""
    try:
        found = json.loads(disk.read(where.up / "state.json"))
    except (OSError, ValueError, RecursionError):
        return []
    rows = [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
    there = alive(rows)
    return [{**row, "runs": row in there} for row in rows]


def alive(rows: Sequence[Row]) -> list[Row]:
    """Return the rows whose processes still exist."""

    def lives(pid: object, started: object) -> bool:
        return isinstance(pid, int) and pid > 0 and process.lives(pid, str(started))

    return [row for row in rows if lives(row.get("pid"), row.get("started", ""))]


def runs(where: Home) -> str:
    """Return the pid of the process that keeps the home running, or "" if it is not running."""
    path = where.up / "pid"
    return launch.signed(path) if disk.is_locked(path) else ""
