"""Processes as the store sees them: a pid means a process only together with the time at which it started, since
pids are used again. Owns nothing on disk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path


def start_time(pid: int) -> str:
    """When the process started, as the system tells it (a word without spaces); "" when there is no such process."""
    if sys.platform == "linux":
        try:
            stat = Path(f"/proc/{pid}/stat").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            return ""
        fields = stat[stat.rindex(b")") + 2 :].split()
        return "" if fields[0] == b"Z" else fields[19].decode()  # a zombie does nothing any more
    told = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, check=False)
    return "-".join(told.stdout.decode().split())


def lives(pid: int, started: str) -> bool:
    """Whether the process that had this pid and start time is still there."""
    return bool(started) and start_time(pid) == started


def own() -> tuple[int, str]:
    """The pid and start time of this process."""
    return _named(os.getpid())


@cache
def _named(pid: int) -> tuple[int, str]:  # by pid: a process that was forked off is another one
    return pid, start_time(pid)


def kill_group(pid: int, started: str) -> bool:
    """Kill the process group led by that process; False when it is gone already."""
    if not lives(pid, started):
        return False
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    return True
