"""An agent's commands that continue after their turn, even while the agent is stopped. Each has a directory.

`agents/<self>/processes/<number>/` contains `about.json` (the command, its room and start time), `pid`, `in` (a pipe to
its input), `out` (recent output) and `kept-<offset>` (earlier output, partly), `status` or `begun` (the exit status
from the shell), `ended` (how it ended, in words), `seen` (bytes that the agent has read), `quiet` (no one waits for its
end) and `lock`, taken by its supervisor.

The shell waits until its pid is recorded, so no command runs unknown. If RUN stops waiting for a command, its directory
is renamed into this place.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dotagent.errors import Trouble
from dotagent.processes import process_tree
from dotagent.store import child_processes, disk, process
from dotagent.text import lazy
from dotagent.text.lazy import asdict, dataclass

if TYPE_CHECKING:
    import subprocess

MARK = "DOTAGENT_RUN"  # variable that identifies a command's processes: the agent's directory and the start time
AT_ONCE = 32  # commands of one agent that may run; as many ended ones are kept
MOST = 1 << 20  # bytes of `out`, beyond which its end moves to `kept-<offset>`
KEPT = 1 << 19  # bytes of earlier output to keep
GATE = (
    "read -r go && exec 9>\"$2/status\" && trap 'echo $? >&9' EXIT && "
    'if [ -p "$2/in" ]; then exec 0<>"$2/in"; else exec 0</dev/null; fi && eval "set --; $1"'
)
_APART = (
    "trap 'echo $? >&9' EXIT && trap : TERM && "
    'if [ -p "$2/in" ]; then exec 0<>"$2/in"; else exec 0</dev/null; fi && c=$1 && shift 2 && { '
    '(exec "$@" sh -c "$c" 2>&8 8>&- 9>&-); '
    "s=$?; case $s in 137|143) trap - EXIT TERM; kill -$((s - 128)) $$;; esac; exit $s; }"
)
CAGED = f'read -r go && exec 8>&2 9>"$2/status" 2>/dev/null && {_APART}'
"""The same around a sandbox: this shell stays outside, and its exit status is the command's."""
LOCKED = f"read -r go && exec 8>&1 9>&2 2>/dev/null && echo >&9 && {_APART}"
"""The same in a sandbox that the process has already entered. `begun` is open as its stderr."""
LATER = ("sh", "-c", 'sleep 0.05; exec "$@"', "sh")
_KEPT = lazy.compile(r"kept-(\d{1,18})")
_NUMBER = lazy.compile(r"[1-9]\d{0,8}")


@dataclass(frozen=True)
class About:
    """A command, the room of its turn, when it began (ISO, UTC), and whether in a closed sandbox."""

    command: str
    room: str
    at: str
    caged: bool = False


@dataclass(frozen=True)
class Around:
    """How to enter a command's sandbox: a wrapper command with descriptors to inherit, or a function that the process
    calls before it becomes the shell."""

    words: Sequence[str] = ()
    inherited: tuple[int, ...] = ()
    confine: Callable[[], None] | None = None


OPEN = Around()
"""No sandbox."""


@dataclass(frozen=True)
class Told:
    """The process in a `pid` file. `mark` is in the environment of every process that it started."""

    pid: int
    started: str
    boot: str
    mark: str

    @property
    def alive(self) -> bool:
        """Return True if it runs."""
        return self.boot == process.boot() and process.lives(self.pid, self.started)

    def end(self) -> None:
        """Kill the process and the remains of everything that it started."""
        process_tree.kill_marked(f"{MARK}={self.mark}")
        if self.boot == process.boot():
            process_tree.kill_group(self.pid, self.started)

    def ask_to_end(self) -> None:
        """Send SIGTERM to its group, or to the processes inside a sandbox, because the sandbox ends with them."""
        with suppress(ProcessLookupError):
            if self.alive and not process_tree.ask_inside(self.pid):
                os.killpg(self.pid, signal.SIGTERM)


def begin(
    command: str,
    folder: Path,
    place: Path,
    env: Mapping[str, str],
    out: int,
    around: Around = OPEN,
) -> subprocess.Popen[bytes]:
    """Start a shell command in `place`, with its files in `folder` and its output in the descriptor `out`.

    Raises OSError and ValueError if the command cannot be started, and Trouble if its sandbox cannot be set up.
    """
    import subprocess

    locked = around.confine is not None
    begun = disk.open_file(folder / "begun", os.O_WRONLY | os.O_CREAT | os.O_TRUNC) if locked else out
    try:
        child = subprocess.Popen(
            ["sh", "-c", LOCKED if locked else CAGED if around.words else GATE, "sh", command, str(folder),
             *around.words],
            cwd=place, env=env, stdin=subprocess.PIPE, stdout=out, stderr=begun, start_new_session=True,
            pass_fds=around.inherited, preexec_fn=around.confine,  # safe: the agent has one thread
        )  # fmt: skip
    except subprocess.SubprocessError as error:
        raise Trouble(f"the sandbox could not be created, so the command did not run: {error}") from None
    finally:
        if locked:
            os.close(begun)
    assert child.stdin is not None
    told = f"{child.pid} {process.start_time(child.pid)} {process.boot()} {env[MARK]}\n"
    disk.replace(folder / "pid", told.encode("utf-8", "surrogateescape"), durable=False)
    with suppress(BrokenPipeError), child.stdin:  # it may have been killed already
        child.stdin.write(b"go\n")
    return child


def read_process(folder: Path, mark: str = "") -> Told | None:
    """Return the process in the folder's `pid` file, or None. `mark` is the default for a file without one."""
    try:
        words = disk.read(folder / "pid").decode("utf-8", "surrogateescape").strip().split(" ", 3)
    except OSError:
        return None
    if len(words) < 3 or not re.fullmatch(r"[1-9]\d{0,9}", words[0], re.ASCII):
        return None
    return Told(int(words[0]), words[1], words[2], words[3] if len(words) > 3 else mark)


def status(folder: Path) -> str | None:
    """Return the command's exit status from its shell, "" while it runs, or None if it did not begin."""
    for name, least in (("status", 0), ("begun", 1)):  # its shell makes the one, or writes a line into the other
        try:
            word = disk.read(folder / name, 100)
        except OSError:
            continue
        if len(word) >= least:
            return word.decode("ascii", "replace").strip()
    return None


def never_ran(folder: Path) -> bool:
    """Return True if the command did not begin and never will."""
    there = read_process(folder)
    return status(folder) is None and not (there and there.alive)


def numbers(processes: Path) -> list[int]:
    """Return the sorted numbers of an agent's processes."""
    return sorted(int(name) for name in disk.names(processes) if _NUMBER.fullmatch(name, 0))


def place_for(processes: Path, used: Iterable[int]) -> Path | None:
    """Return a directory for one more command, or None if too many run.

    The oldest ended commands are removed. Numbers, and those in `used`, are never reused.
    """
    there = numbers(processes)
    over = [processes / str(one) for one in there if describe_end(processes / str(one))]
    if len(there) - len(over) >= AT_ONCE:
        return None
    for one in over[: max(0, len(over) - AT_ONCE + 1)]:
        remove(one)
    return processes / str(max((*there, *used), default=0) + 1)


def write_about(folder: Path, about: About) -> None:
    """Save the description of the folder's command."""
    disk.replace(folder / "about.json", json.dumps(asdict(about), ensure_ascii=False).encode("utf-8", "replace"))


def read_about(folder: Path) -> About:
    """Return the description of the folder's command, with empty fields if it is unreadable."""
    try:
        given = json.loads(disk.read(folder / "about.json"))
        command, room, at = (str(given[name]) for name in ("command", "room", "at"))
        return About(command, room, at, given.get("caged") is True)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return About("", "", "")


def describe_end(folder: Path) -> str:
    """Return a line that says how the command ended, or "" while it runs."""
    try:
        return disk.read(folder / "ended", 1000).decode("utf-8", "replace").strip() or "ended"
    except OSError:
        return ""


def read_offset(folder: Path) -> int:
    """Return how many bytes of its output the agent has read."""
    with suppress(OSError):
        word = disk.read(folder / "seen", 100)
        return int(word) if word.isdigit() else 0
    return 0


def see(folder: Path, end: int) -> None:
    """Record that the agent has read this many bytes of its output."""
    disk.replace(folder / "seen", b"%d" % end, durable=False)


def output(folder: Path, start: int, end: int | None = None) -> tuple[bytes, int, int]:
    """Return the command's output from byte `start` to `end`, without deleted parts, and the actual start and end."""
    while True:
        before = _kept_offset(folder)
        data = b"" if before is None else disk.read(folder / f"kept-{before}")
        first = before or 0
        with suppress(FileNotFoundError):
            data += disk.read(folder / "out")
        if _kept_offset(folder) == before:  # otherwise `turn` ran meanwhile
            break
    last = first + len(data)
    begin, stop = max(start, first), last if end is None else min(end, last)
    return data[begin - first : stop - first], min(begin, stop), stop


def turn(folder: Path, group: int) -> None:
    """If `out` is too large, move its end to a file and truncate `out`. The process group is stopped meanwhile, so that
    no output is lost."""
    with disk.open_regular(folder / "out", os.O_RDWR) as out:
        if os.fstat(out).st_size <= MOST:
            return
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGSTOP)
        try:
            size, before = os.fstat(out).st_size, _kept_offset(folder)
            start = 0 if before is None else before + os.stat(folder / f"kept-{before}").st_size
            disk.replace(folder / f"kept-{start + size - KEPT}", os.pread(out, KEPT, size - KEPT), durable=False)
            if before is not None:
                disk.remove(folder / f"kept-{before}")
            os.ftruncate(out, 0)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGCONT)


def _kept_offset(folder: Path) -> int | None:
    """Return the offset of the kept output before `out`, or None if there is none."""
    found = [int(name[1]) for entry in disk.names(folder) if (name := _KEPT.fullmatch(entry))]
    return max(found, default=None)


def supervise(folder: Path, *, new: bool = False) -> None:
    """Start a supervisor for the command if it needs one and none runs. For a `new` command it starts a moment later,
    so that it does not slow down the command's start."""
    import subprocess

    if (folder / "ended").exists() or disk.is_locked(folder / "lock"):
        return
    words = [*(LATER if new else ()), sys.executable, "-m", "dotagent.processes.supervisor", str(folder)]
    child_processes.leave(child_processes.start(words, subprocess.DEVNULL))


def remove(folder: Path) -> None:
    """Remove a command's files."""
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
