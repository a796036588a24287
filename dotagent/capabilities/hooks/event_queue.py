"""A queue of events for an agent's hooks: one file for each event, until the hooks' process takes it.

Owns `agents/<self>/run/hooks/`: the events, `pid` (the lock of that process), `log` (how each command ended), and
`said` (the process's own output).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from dotagent.store import child_processes, disk
from dotagent.store.home import Home
from dotagent.text import times

MOST = 256  # the longest queue; later events are dropped
LARGE = 1 << 20  # bytes of the log, after which it starts again
Event = Mapping[str, object]


def folder(place: Path) -> Path:
    """Return the folder for the events of the agent in this directory."""
    return place / "run" / "hooks"


def put(place: Path, event: Event) -> bool:
    """Queue an event. Return False if MOST events are waiting."""
    there = folder(place)
    disk.make_dir(there)
    if len(waiting(place)) >= MOST:
        return False
    name = f"{times.now().replace(':', '')}.json"
    disk.replace(there / name, json.dumps(event, ensure_ascii=False).encode("utf-8", "replace"), durable=False)
    return True


def waiting(place: Path) -> list[Path]:
    """Return the waiting events, oldest first."""
    return [folder(place) / name for name in disk.names(folder(place), ".json") if name.startswith("2")]


def take(path: Path) -> Event | None:
    """Remove an event from the queue and return it, or None if the file is invalid. An event whose processing crashes
    is not repeated."""
    try:
        told = json.loads(disk.read(path))
    except (OSError, ValueError, RecursionError):
        told = None
    disk.remove(path)
    return told if isinstance(told, dict) else None


def serve(where: Home, self_id: str) -> None:
    """Start a process that runs the hooks, if none runs. It exits by itself."""
    if disk.is_locked(folder(where.agent(self_id)) / "pid"):
        return
    with disk.open_regular(folder(where.agent(self_id)) / "said", os.O_WRONLY | os.O_APPEND | os.O_CREAT) as said:
        child_processes.leave(
            child_processes.start([sys.executable, "-m", "dotagent.capabilities.hooks", str(where.root), self_id], said)
        )


def note(place: Path, told: Event) -> None:
    """Log how a command ended."""
    path = folder(place) / "log"
    if disk.is_file(path) and path.stat().st_size > LARGE:
        os.replace(path, path.with_name("log.before"))
    fd = disk.open_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        disk.append_line(fd, json.dumps(told, ensure_ascii=False).encode("utf-8", "replace") + b"\n", path)
    finally:
        os.close(fd)


def read_log(place: Path) -> Iterator[Event]:
    """Yield the log of how commands ended, oldest first."""
    try:
        rows = disk.read(folder(place) / "log").decode("utf-8", "replace").split("\n")
    except OSError:
        return
    for row in rows:
        try:
            told = json.loads(row)
        except (ValueError, RecursionError):
            continue
        if isinstance(told, dict):
            yield told
