"""Processes as the store sees them: a pid means a process only together with the time at which it started, since
pids are used again.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
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
def boot() -> str:
    """A word for this run of the machine: pids and start times mean nothing in the next one."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except FileNotFoundError:
        return "-"


@cache
def _named(pid: int) -> tuple[int, str]:  # by pid: a process that was forked off is another one
    return pid, start_time(pid)


def kill_group(pid: int, started: str) -> bool:
    """Kill the group that the process led, also when only what it started is left; False when nothing is.

    The system gives no process the pid of a group that is left, so a new process of this pid means that it is gone.
    """
    if start_time(pid) not in ("", started):
        return False
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True
