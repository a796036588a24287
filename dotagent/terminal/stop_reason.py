"""The reason why an agent stopped unexpectedly, for a person who waits in its room.

A full disk also refuses the agent's log, so the first check is whether the agent's files can be written now. Owns
nothing on disk.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from dotagent import errors
from dotagent.store import disk, lives, log
from dotagent.store.home import Home

PROBE = 1 << 16  # bytes written and removed again: more than the free rest of an allocated block


def find_reason(where: Home, self_id: str, room: Path) -> str:
    """Return the reason and what to do, or "" if the agent runs or was stopped properly."""
    life = where.agent(self_id) / "LIFE.md"
    if lives.runs(where, self_id) or not life.exists():
        return ""
    last = next(log.backwards(life), None)
    if last and last.event in ("SLEEP", "BOOT"):  # it was stopped, or it is a fork that never ran
        return ""
    return refused(life, room) or _printed(where.agent(self_id) / "agent.log", life)


def refused(life: Path, room: Path) -> str:
    """Return the system's error when the agent's files are written, or ""."""
    try:
        for path in (life, room):
            os.close(disk.open_file(path, os.O_WRONLY | os.O_APPEND))
    except OSError as error:
        return errors.line(error)
    try:
        with tempfile.TemporaryFile(dir=life.parent, buffering=0) as probe:
            probe.write(b"\n" * PROBE)
            os.fsync(probe.fileno())
            if os.fstat(probe.fileno()).st_size < PROBE:
                probe.write(b"\n" * PROBE)  # raises the error that cut the first write short
    except OSError as error:
        error.filename = str(life.parent)
        return errors.line(error)
    return ""


def _printed(printed: Path, life: Path) -> str:
    """Return the last line of the agent's log, if it is newer than the agent's last event."""
    with suppress(OSError):
        if printed.stat().st_mtime >= life.stat().st_mtime:
            line = disk.read(printed).decode("utf-8", "replace").strip().rpartition("\n")[2]
            if line:
                return f"{line.removeprefix('dotagent: ')} (from {printed})"
    return "it was killed, or its last error is in the terminal that started it"
