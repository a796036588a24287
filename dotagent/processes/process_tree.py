"""Find and kill a process with all its descendants: on Linux by parentage and environment, elsewhere only its group.

Owns nothing on disk.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from dotagent.store.process import start_time

PR_SET_CHILD_SUBREAPER = 36
ROUNDS = 1000  # searches for remaining processes, before an unkillable one is left alone
_MARK = b"DOTAGENT_RUN="  # background.MARK, as it begins in an environment
_adopting: list[bool] = []  # not empty while this process adopts orphans


def kill_group(pid: int, started: str) -> bool:
    """Kill the group that the process led, even if only its descendants are left. Return False if the group is gone.

    The system does not reuse the pid of a remaining group, so a new process with this pid means that the group is gone.
    """
    if start_time(pid) not in ("", started):
        return False
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def ask_inside(leader: int) -> bool:
    """Send SIGTERM to the processes of the group in another pid namespace than the leader's. Return False if there
    are none."""
    outer, found = _depth(leader), False
    for pid in _pids():
        with suppress(OSError):
            if os.getpgid(pid) == leader and _depth(pid) > outer:
                os.kill(pid, signal.SIGTERM)
                found = True
    return found


def _depth(pid: int) -> int:
    """Return the number of nested pid namespaces that contain the process, or 0 if unknown."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_bytes().split(b"\n"):
            if line.startswith(b"NSpid:"):
                return len(line.split()) - 1
    return 0


@contextmanager
def household() -> Iterator[set[int]]:
    """When the block ends, kill every process started in it, with all descendants in any session, except the children
    that the block adds to the set.

    On Linux, this process adopts orphaned descendants meanwhile, instead of init.
    """
    before = children(os.getpid())
    _adopt(True)
    try:
        yield before
    finally:
        for _ in range(ROUNDS):
            new = children(os.getpid()) - before
            if not new:
                break
            for pid in new:
                if _kill(pid):
                    os.waitpid(pid, 0)
                else:
                    before.add(pid)  # it became another user's
        _adopt(False)


def _adopt(on: bool) -> None:
    if sys.platform == "linux":
        _adopting[:] = [True] if on else []
        _libc().prctl(PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0)


@cache
def _libc() -> Any:
    import ctypes  # the watcher has loaded it

    return ctypes.CDLL(None)


def children(pid: int) -> set[int]:
    """Return the pids of a process's children, or nothing if the system does not say."""
    found = set[int]()
    with suppress(OSError):  # it ended meanwhile
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as told:
                found.update(map(int, told.read().split()))
    return found


def kill_marked(mark: str) -> None:
    """Kill all processes with the mark `NAME=value` in their environment, and their descendants, until none is left."""
    for _ in range(ROUNDS):
        marked = [pid for pid in _pids() if pid != os.getpid() and mark.encode() in _environment(pid)]
        if not marked:
            return
        for pid in marked:  # a child may lack the mark, and gets another parent once this one is dead
            marked += children(pid) - set(marked)
        for pid in marked:
            _kill(pid)


def running() -> int:
    """Return how many threads the machine has."""
    return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])


def threads(leader: int) -> int:
    """Return how many threads the processes have that are in the session or group of this one, or that such a process
    started. An orphan in another session is found by its mark, or as a child that this process adopted meanwhile."""
    rows = dict[int, list[int]]()  # the parent, the group, the session, the threads and the start time of each
    for pid in _pids():
        with suppress(OSError, ValueError):
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            rows[pid] = [int(fields[one]) for one in (1, 2, 3, 17, 19)]
    mark, begun = set(_marks(leader)), rows.get(leader, [0, 0, 0, 0, 0])[4]
    found, new = set[int](), {pid for pid, row in rows.items() if leader in (pid, *row[1:3])}
    new |= {pid for pid, row in rows.items() if _adopting and row[0] == os.getpid() and row[4] >= begun > 0}
    new |= {pid for pid in rows if mark and not mark.isdisjoint(_marks(pid))}
    while new:
        found |= new
        new = {pid for pid, row in rows.items() if row[0] in new} - found
    return sum(rows[pid][3] for pid in found)


def _pids() -> Iterator[int]:
    return (int(path.name) for path in Path("/proc").glob("[0-9]*"))


def _environment(pid: int) -> list[bytes]:
    with suppress(OSError):  # it ended, or is another user's
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return []


def _marks(pid: int) -> list[bytes]:
    """Return the mark in the environment of a command's process."""
    return [one for one in _environment(pid) if one.startswith(_MARK)]


def _kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return False
    return True
