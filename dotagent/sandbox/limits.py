"""Resource limits of a command: processes, memory, the size of a file.

Limits of a process (setrlimit) work everywhere. If this user may create control groups, they limit all processes of a
command together, also root's, whose number is otherwise unlimited. Owns the control groups `dotagent-<pid>-<number>`;
empty ones are removed when the next is created.
"""

from __future__ import annotations

import itertools
import os
import resource
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from dotagent.processes import process_tree
from dotagent.text.lazy import dataclass

GROUPS = Path("/sys/fs/cgroup")
YOUNG = 10.0  # seconds for which a new group may still be empty
MIB = 1 << 20
PROCESSES, DISK = 512, 4096  # threads count as processes; MiB of one file
_FILES = {  # the file of each limit, by version of control groups
    "pids": ("pids.max",),
    "memory": ("memory.max", "memory.limit_in_bytes"),
}
_SCRIPT = (
    "ulimit -c 0; ulimit -f $1; ulimit -d $2; ulimit -p $3 2>/dev/null || ulimit -u $3; n=$4; shift 4; "
    'while [ $n -gt 0 ]; do echo $$ > "$1"; shift; n=$((n - 1)); done; exec "$@"'
)
_count = itertools.count()


@dataclass(frozen=True)
class Bounds:
    """The limits of one command, and its control groups."""

    processes: int
    memory: int
    disk: int
    groups: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        """Return a wrapper command that sets the limits."""
        numbers = (self.disk // 512, self.memory // 1024, self.processes, len(self.groups))
        return ["sh", "-c", _SCRIPT, "sh", *map(str, numbers), *self.groups]

    def take(self) -> None:
        """Set the limits for this process. Raises OSError."""
        for group in self.groups:
            with open(group, "w", encoding="ascii") as file:
                file.write(str(os.getpid()))
        for kind, most in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_FSIZE, self.disk),
            (resource.RLIMIT_DATA, self.memory),
            (resource.RLIMIT_NPROC, self.processes),
        ):
            _, hard = resource.getrlimit(kind)
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (most, most))


def default_limits() -> dict[str, int]:
    """Return the default limits; the memory is half of the machine's, in MiB."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2 // MIB
    return {"processes": PROCESSES, "memory": memory, "disk": DISK}


def scratch(given: Mapping[str, int]) -> int:
    """Return the size of bubblewrap's /tmp in bytes; it uses memory."""
    return {**default_limits(), **given}["memory"] * MIB // 4


def make_bounds(given: Mapping[str, int]) -> Bounds:
    """Return the limits for a command that starts now. A user's existing processes are added, because the kernel counts
    them, too."""
    mine = {**default_limits(), **given}
    groups = _groups({"pids": mine["processes"], "memory": mine["memory"] * MIB})
    return Bounds(mine["processes"] + process_tree.running(), mine["memory"] * MIB, mine["disk"] * MIB, groups)


def describe(given: Mapping[str, int]) -> str:
    """Return the limits in words."""
    mine = {**default_limits(), **given}
    return f"{mine['processes']} processes, {mine['memory']} MiB of memory, {mine['disk']} MiB a file"


def watched(given: Mapping[str, int]) -> int:
    """Return how many processes a command may have that only its watcher limits (processes/space.py): the kernel limits
    no number of root's processes outside a control group. 0 for any other command."""
    return {**default_limits(), **given}["processes"] if os.geteuid() == 0 and not _parents("pids") else 0


def _groups(wanted: Mapping[str, int]) -> tuple[str, ...]:
    """Create control groups with these limits, if this user may. Return the files that add a process to them."""
    name, found = f"dotagent-{os.getpid()}-{next(_count)}", list[Path]()
    for part, most in wanted.items():
        for parent in _parents(part):
            with suppress(OSError):
                _sweep(parent)
                (parent / name).mkdir(exist_ok=True)
                limit = next(one for file in _FILES[part] if (one := parent / name / file).exists())
                with open(limit, "w", encoding="ascii") as file:
                    file.write(str(most))
                found.append(parent / name / "cgroup.procs")
                break
    return tuple(dict.fromkeys(map(str, found)))


def _parents(part: str) -> Sequence[Path]:
    """Return the places for a group with this controller: below this process's group, or next to it."""
    found = list[Path]()
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().split("\n")[:-1]:
            _, controllers, path = line.split(":", 2)
            if part in controllers.split(","):
                found.append(GROUPS / part / path.lstrip("/"))
            elif not controllers:
                own = GROUPS / path.lstrip("/")
                found += [one for one in (own, own.parent) if part in _enabled_controllers(one)]
    return [one for one in found if os.access(one, os.W_OK) and one.is_relative_to(GROUPS)]


def _enabled_controllers(group: Path) -> list[str]:
    with suppress(OSError):
        return (group / "cgroup.subtree_control").read_text().split()
    return []


def _sweep(parent: Path) -> None:
    """Remove the groups of commands that have ended."""
    for one in parent.glob("dotagent-*"):
        with suppress(OSError):
            if time.time() - one.stat().st_mtime > YOUNG:
                one.rmdir()
