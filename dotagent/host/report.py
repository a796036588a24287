"""What of a home runs, as the process that keeps it running tells it, held to what is: pids mean nothing by themselves.

Owns `up/state.json`, a cache, and knows `up/pid`: the lock, and in it the pid.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from dotagent.store import disk, launch, process
from dotagent.store.home import Home
from dotagent.text import escape

Row = dict[str, object]


def write(where: Home, rows: Sequence[Row]) -> None:
    """Tell of everything that is kept running."""
    disk.replace(where.up / "state.json", f"{escape.dumps(rows)}\n".encode(), durable=False)


def read(where: Home) -> list[Row]:
    """What was told last; of each process whether it is still there, under `runs`."""
    try:
        found = json.loads(disk.read(where.up / "state.json"))
    except (OSError, ValueError, RecursionError):
        return []
    rows = [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
    there = alive(rows)
    return [{**row, "runs": row in there} for row in rows]


def alive(rows: Sequence[Row]) -> list[Row]:
    """Those of them whose processes are still there."""

    def lives(pid: object, started: object) -> bool:
        return isinstance(pid, int) and pid > 0 and process.lives(pid, str(started))

    return [row for row in rows if lives(row.get("pid"), row.get("started", ""))]


def runs(where: Home) -> str:
    """The pid of the process that keeps the home running; "" when there is none."""
    path = where.up / "pid"
    return launch.signed(path) if disk.is_locked(path) else ""
