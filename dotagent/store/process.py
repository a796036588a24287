"""Identify processes. A pid is valid only with its start time, because pids are reused. Owns nothing on disk."""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from pathlib import Path

from dotagent.store import disk


def start_time(pid: int) -> str:
    """Return when the process started, in the system's own form, or "" if it does not exist."""
    if sys.platform == "linux":
        try:
            stat = Path(f"/proc/{pid}/stat").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            return ""
        fields = stat[stat.rindex(b")") + 2 :].split()
        return "" if fields[0] == b"Z" else fields[19].decode()  # a zombie does nothing any more
    import subprocess

    told = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, check=False)
    return "-".join(told.stdout.decode().split())


def lives(pid: int, started: str) -> bool:
    """Return True if the process with this pid and start time still runs."""
    return bool(started) and start_time(pid) == started


def read_process(path: Path) -> tuple[int, str]:
    """Return the running process that a file names by pid and start time, or (0, "")."""
    try:
        word, started = disk.read(path, 1000).decode("ascii", "replace").split()
    except (OSError, ValueError):
        return 0, ""
    there = re.fullmatch("[1-9][0-9]{0,9}", word) and lives(int(word), started)
    return (int(word), started) if there else (0, "")


def own_mark() -> tuple[int, str]:
    """Return the pid and start time of this process."""
    return _make_mark(os.getpid())


@cache
def boot() -> str:
    """Return a word that identifies this boot of the machine, because pids and start times repeat after a boot."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except FileNotFoundError:
        return "-"


@cache
def _make_mark(pid: int) -> tuple[int, str]:  # cached by pid, because a fork has another
    return pid, start_time(pid)
