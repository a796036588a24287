"""Start processes, and identify them. A pid is valid only with its start time, because pids are reused. Owns nothing on
disk."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from dotagent.installed import CODE
from dotagent.store import disk

if TYPE_CHECKING:
    import subprocess

_left: list[subprocess.Popen[bytes]] = []  # children that continue without us


def start(
    words: Sequence[str],
    out: int,
    *,
    err: int | None = None,
    env: Mapping[str, str] | None = None,
    stdin: int | None = None,
    held: tuple[int, ...] = (),
) -> subprocess.Popen[bytes]:
    """Start one of dotagent's programs in a separate session. It writes to the descriptor `out` and inherits `held`."""
    import subprocess  # 5 ms, and few processes start others

    return subprocess.Popen(
        words, cwd=CODE, env=env, stdin=subprocess.DEVNULL if stdin is None else stdin, stdout=out,
        stderr=out if err is None else err, pass_fds=held, start_new_session=True,
    )  # fmt: skip


def leave(child: subprocess.Popen[bytes]) -> None:
    """Let a process continue without us, and reap earlier processes that have ended."""
    _left[:] = [one for one in (*_left, child) if one.poll() is None]


def no_hook() -> dict[str, str]:
    """Return this environment without git's hook variables, so that git works in the directory that it is given."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


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
