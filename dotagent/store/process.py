"""Processes as the store sees them: a pid means a process only together with the time at which it started, since
pids are used again. And ending what was started, whole: Linux tells whose child is whose, and what is in whose
environment; elsewhere only groups are known.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from dotagent.installed import CODE
from dotagent.store import disk

PR_SET_CHILD_SUBREAPER = 36
ROUNDS = 1000  # looks for what is left, after which something that cannot be killed is left alone
_left: list[subprocess.Popen[bytes]] = []  # what goes on without us


def start(
    words: Sequence[str],
    out: int,
    *,
    err: int | None = None,
    env: Mapping[str, str] | None = None,
    stdin: int = subprocess.DEVNULL,
    held: tuple[int, ...] = (),
) -> subprocess.Popen[bytes]:
    """Start a program of ours in a session of its own: it prints into the descriptor `out`, and inherits `held`."""
    return subprocess.Popen(
        words, cwd=CODE, env=env, stdin=stdin, stdout=out, stderr=out if err is None else err, pass_fds=held,
        start_new_session=True,
    )  # fmt: skip


def leave(child: subprocess.Popen[bytes]) -> None:
    """Let a process go on without us; those of them that have ended are taken off the system's list."""
    _left[:] = [one for one in (*_left, child) if one.poll() is None]


def no_hook() -> dict[str, str]:
    """This environment without what git tells its hooks: so git works where it is asked to."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


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


def told(path: Path) -> tuple[int, str]:
    """The process that a file names by its pid and start time, while that is there; (0, "") for none."""
    try:
        word, started = disk.read(path, 1000).decode("ascii", "replace").split()
    except (OSError, ValueError):
        return 0, ""
    there = re.fullmatch("[1-9][0-9]{0,9}", word) and lives(int(word), started)
    return (int(word), started) if there else (0, "")


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


def ask_inside(leader: int) -> bool:
    """Ask those of the group that run in another pid namespace than its leader to end; False when none does."""
    outer, found = _depth(leader), False
    for pid in _pids():
        with suppress(OSError):
            if os.getpgid(pid) == leader and _depth(pid) > outer:
                os.kill(pid, signal.SIGTERM)
                found = True
    return found


def _depth(pid: int) -> int:
    """In how many pid namespaces, one in the other, the process has a pid; 0 where the system does not tell."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_bytes().split(b"\n"):
            if line.startswith(b"NSpid:"):
                return len(line.split()) - 1
    return 0


@contextmanager
def household() -> Iterator[set[int]]:
    """What is started in the block, and all that it starts in turn, ends with it, in whatever session it runs; but for
    the children that the block adds to the set.

    Linux gives us, meanwhile, the children of each of them that ends, instead of giving them to init.
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
        _libc().prctl(PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0)


@cache
def _libc() -> Any:
    import ctypes  # the watcher has loaded it

    return ctypes.CDLL(None)


def children(pid: int) -> set[int]:
    """The pids of a process's children; none where the system does not tell."""
    found = set[int]()
    with suppress(OSError):  # it ended meanwhile
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as told:
                found.update(map(int, told.read().split()))
    return found


def kill_marked(mark: str) -> None:
    """Kill what has the mark, `NAME=value`, in its environment, with what it started, until nothing is left of it."""
    for _ in range(ROUNDS):
        marked = [pid for pid in _pids() if pid != os.getpid() and mark.encode() in _environment(pid)]
        if not marked:
            return
        for pid in marked:  # a child need not have the mark, but belongs to somebody else once its parent is dead
            marked += children(pid) - set(marked)
        for pid in marked:
            _kill(pid)


def _pids() -> Iterator[int]:
    return (int(path.name) for path in Path("/proc").glob("[0-9]*"))


def _environment(pid: int) -> list[bytes]:
    with suppress(OSError):  # it ended, or is another user's
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return []


def _kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return False
    return True
