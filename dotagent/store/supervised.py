"""Commands of an agent that outlive the turn in which they began, and the agent: each is a directory of files.

`agents/<self>/processes/<number>/` holds `about.json` (the command, the room it was started in, and when), `pid`, `in`
(a pipe: what is written there it reads), `out` (what it printed last) and `kept-<offset>` (what it printed before that,
as far as it is kept), `status` or `begun` (the shell's own word of how it ended), `ended` (how it ended, told once it
has), `seen` (how far the agent has read), `quiet` (nobody waits for its end) and `lock`, which its supervisor holds.

The shell begins only when its pid is written down: so no command runs that nobody knows of. A command that RUN gave up
waiting for becomes one of these by a rename of its directory.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from dotagent.errors import Trouble
from dotagent.store import disk, made, process

MARK = "DOTAGENT_RUN"  # the variable that tells whose command a process is: the agent's directory, and since when
AT_ONCE = 32  # commands of one agent that run, and as many that have ended and are kept
MOST = 1 << 20  # bytes of `out`, beyond which it is turned into what is kept
KEPT = 1 << 19  # bytes that are kept of what was printed before
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
"""The same around a sandbox: this shell stays outside and tells how the command ended, by ending so itself."""
LOCKED = f"read -r go && exec 8>&1 9>&2 2>/dev/null && echo >&9 && {_APART}"
"""The same in a sandbox that its process is in already: where it would print errors `begun` is open for it."""
LATER = ("sh", "-c", 'sleep 0.05; exec "$@"', "sh")
_KEPT = re.compile(r"kept-(\d{1,18})")
_NUMBER = re.compile(r"[1-9]\d{0,8}")


@dataclass(frozen=True)
class About:
    """What is known of a command from its beginning: itself, the room of the turn, and when (ISO, UTC)."""

    command: str
    room: str
    at: str


@dataclass(frozen=True)
class Around:
    """What makes a command's sandbox: words before it and descriptors that these are to inherit, or what the process
    does to itself before it becomes the shell."""

    words: Sequence[str] = ()
    inherited: tuple[int, ...] = ()
    confine: Callable[[], None] | None = None


OPEN = Around()
"""No sandbox."""


@dataclass(frozen=True)
class Told:
    """The process that a `pid` file tells of: `mark` stands in the environment of all that it started."""

    pid: int
    started: str
    boot: str
    mark: str

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self.boot == process.boot() and process.lives(self.pid, self.started)

    def end(self) -> None:
        """Kill it and all that it started, whatever of them is left."""
        process.kill_marked(f"{MARK}={self.mark}")
        if self.boot == process.boot():
            process.kill_group(self.pid, self.started)

    def ask_to_end(self) -> None:
        """Ask its group to end; of a sandbox what is inside, since that ends with what is around it."""
        with suppress(ProcessLookupError):
            if self.alive and not process.ask_inside(self.pid):
                os.killpg(self.pid, signal.SIGTERM)


def begin(
    command: str,
    folder: Path,
    place: Path,
    env: Mapping[str, str],
    out: int,
    around: Around = OPEN,
) -> subprocess.Popen[bytes]:
    """Start a shell command in `place` whose files are in `folder`; it prints into the descriptor `out`.

    Raises OSError and ValueError for a command that cannot be started, Trouble where its sandbox cannot be made.
    """
    locked = around.confine is not None
    begun = disk.open_file(folder / "begun", os.O_WRONLY | os.O_CREAT | os.O_TRUNC) if locked else out
    try:
        child = subprocess.Popen(
            ["sh", "-c", LOCKED if locked else CAGED if around.words else GATE, "sh", command, str(folder),
             *around.words],
            cwd=place, env=env, stdin=subprocess.PIPE, stdout=out, stderr=begun, start_new_session=True,
            pass_fds=around.inherited, preexec_fn=around.confine,  # the agent has one thread
        )  # fmt: skip
    except subprocess.SubprocessError as error:
        raise Trouble(f"its sandbox could not be made, nothing was run: {error}") from None
    finally:
        if locked:
            os.close(begun)
    assert child.stdin is not None
    told = f"{child.pid} {process.start_time(child.pid)} {process.boot()} {env[MARK]}\n"
    disk.replace(folder / "pid", told.encode("utf-8", "surrogateescape"), durable=False)
    with suppress(BrokenPipeError), child.stdin:  # somebody killed it already
        child.stdin.write(b"go\n")
    return child


def told(folder: Path, mark: str = "") -> Told | None:
    """The process that the folder's `pid` tells of, or None; one that tells of no mark has this one."""
    try:
        words = disk.read(folder / "pid").decode("utf-8", "surrogateescape").strip().split(" ", 3)
    except OSError:
        return None
    if len(words) < 3 or not re.fullmatch(r"[1-9]\d{0,9}", words[0], re.ASCII):
        return None
    return Told(int(words[0]), words[1], words[2], words[3] if len(words) > 3 else mark)


def status(folder: Path) -> str | None:
    """The shell's own word of how the command ended, empty while there is none; None when it did not begin."""
    for name, least in (("status", 0), ("begun", 1)):  # its shell makes the one, or writes a line into the other
        try:
            word = disk.read(folder / name, 100)
        except OSError:
            continue
        if len(word) >= least:
            return word.decode("ascii", "replace").strip()
    return None


def never_ran(folder: Path) -> bool:
    """Whether the command did not begin, and never will."""
    there = told(folder)
    return status(folder) is None and not (there and there.alive)


def numbers(processes: Path) -> list[int]:
    """The numbers of an agent's processes, in order."""
    names = os.listdir(processes) if processes.is_dir() else []
    return sorted(int(name) for name in names if _NUMBER.fullmatch(name, 0))


def place_for(processes: Path, used: Iterable[int]) -> Path | None:
    """Where one more command of an agent may have its files; None when too many run.

    Of those that have ended the oldest are forgotten; no number is used again, those in `used` neither.
    """
    there = numbers(processes)
    over = [processes / str(one) for one in there if ended(processes / str(one))]
    if len(there) - len(over) >= AT_ONCE:
        return None
    for one in over[: max(0, len(over) - AT_ONCE + 1)]:
        remove(one)
    return processes / str(max((*there, *used), default=0) + 1)


def write_about(folder: Path, about: About) -> None:
    """Write down what the folder's command is."""
    disk.replace(folder / "about.json", json.dumps(asdict(about), ensure_ascii=False).encode("utf-8", "replace"))


def about(folder: Path) -> About:
    """What the folder's command is; empty where that cannot be read."""
    try:
        given = json.loads(disk.read(folder / "about.json"))
        return About(*(str(given[name]) for name in ("command", "room", "at")))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return About("", "", "")


def ended(folder: Path) -> str:
    """How the command ended, one line; empty while it runs."""
    try:
        return disk.read(folder / "ended", 1000).decode("utf-8", "replace").strip() or "ended"
    except OSError:
        return ""


def seen(folder: Path) -> int:
    """How many bytes of its output the agent has read."""
    with suppress(OSError):
        word = disk.read(folder / "seen", 100)
        return int(word) if word.isdigit() else 0
    return 0


def see(folder: Path, end: int) -> None:
    """The agent has read so many bytes of its output."""
    disk.replace(folder / "seen", b"%d" % end, durable=False)


def output(folder: Path, start: int, end: int | None = None) -> tuple[bytes, int, int]:
    """What the command printed from byte `start` on (to byte `end`), as far as it is kept, and from where to where."""
    while True:
        before = _kept(folder)
        data = b"" if before is None else disk.read(folder / f"kept-{before}")
        first = before or 0
        with suppress(FileNotFoundError):
            data += disk.read(folder / "out")
        if _kept(folder) == before:  # else it was turned meanwhile
            break
    last = first + len(data)
    begin, stop = max(start, first), last if end is None else min(end, last)
    return data[begin - first : stop - first], min(begin, stop), stop


def turn(folder: Path, group: int) -> None:
    """Where `out` is too large, keep its end and begin it anew; the group stands still meanwhile, so nothing is lost
    in between."""
    with disk.opened(folder / "out", os.O_RDWR) as out:
        if os.fstat(out).st_size <= MOST:
            return
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGSTOP)
        try:
            size, before = os.fstat(out).st_size, _kept(folder)
            start = 0 if before is None else before + os.stat(folder / f"kept-{before}").st_size
            disk.replace(folder / f"kept-{start + size - KEPT}", os.pread(out, KEPT, size - KEPT), durable=False)
            if before is not None:
                disk.remove(folder / f"kept-{before}")
            os.ftruncate(out, 0)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGCONT)


def _kept(folder: Path) -> int | None:
    """From which byte on output before `out` is kept; None when there was not so much."""
    found = [int(name[1]) for entry in os.listdir(folder) if (name := _KEPT.fullmatch(entry))]
    return max(found, default=None)


def supervise(folder: Path, *, new: bool = False) -> None:
    """See to it that a supervisor looks after the command, until it has ended; one that died is started anew. For a
    `new` one it comes a moment later: on few processors its start would hold up the command's."""
    if (folder / "ended").exists() or disk.is_locked(folder / "lock"):
        return
    words = [*(LATER if new else ()), sys.executable, "-m", "dotagent.store.supervisor", str(folder)]
    process.leave(process.start(words, subprocess.DEVNULL))


def remove(folder: Path) -> None:
    """Remove a command's files; not where something that it made could not be carried over and lies there."""
    if (folder / made.TOP).exists():
        return
    for entry in sorted(os.listdir(folder)):
        disk.remove(folder / entry)
    os.rmdir(folder)
