"""What happened to a life and its hooks are to hear of: a file an event, in order, until the hooks' process takes it.

Owns `agents/<self>/run/hooks/`: the events, `pid` (the lock of that process), `log`, how each command ended, and
`said`, what the process itself says.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from dotagent.store import disk, process
from dotagent.store.home import Home
from dotagent.text import times

MOST = 256  # events that wait at a time: what comes then is dropped
LARGE = 1 << 20  # bytes of the log, beyond which it is begun anew
Event = Mapping[str, object]


def folder(place: Path) -> Path:
    """Where the events of the agent in this directory wait."""
    return place / "run" / "hooks"


def put(place: Path, event: Event) -> bool:
    """Let an event wait; False where too many do."""
    there = folder(place)
    disk.make_dir(there)
    if len(waiting(place)) >= MOST:
        return False
    name = f"{times.now().replace(':', '')}.json"
    disk.replace(there / name, json.dumps(event, ensure_ascii=False).encode("utf-8", "replace"), durable=False)
    return True


def waiting(place: Path) -> list[Path]:
    """The events that wait, the oldest first."""
    return sorted(folder(place).glob("2*.json"))


def take(path: Path) -> Event | None:
    """An event, which waits no longer: what dies over it is not done again. None for what is none."""
    try:
        told = json.loads(disk.read(path))
    except (OSError, ValueError, RecursionError):
        told = None
    disk.remove(path)
    return told if isinstance(told, dict) else None


def serve(where: Home, self_id: str) -> None:
    """See to it that a process runs the hooks; it leaves by itself."""
    if disk.is_locked(folder(where.agent(self_id)) / "pid"):
        return
    with disk.opened(folder(where.agent(self_id)) / "said", os.O_WRONLY | os.O_APPEND | os.O_CREAT) as said:
        process.leave(process.start([sys.executable, "-m", "dotagent.hooks", str(where.root), self_id], said))


def note(place: Path, told: Event) -> None:
    """Write down how a command ended."""
    path = folder(place) / "log"
    if disk.is_file(path) and path.stat().st_size > LARGE:
        os.replace(path, path.with_name("log.before"))
    fd = disk.open_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        disk.append_line(fd, json.dumps(told, ensure_ascii=False).encode("utf-8", "replace") + b"\n", path)
    finally:
        os.close(fd)


def noted(place: Path) -> Iterator[Event]:
    """How commands ended, the oldest first."""
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
