"""PROCESS: start a command that continues after the answer, even while the agent is stopped. The agent can read the
command's output, write to its input, kill it, and remove it from the list.

processes/background.py describes its files and its supervision. Its end starts a turn (endings.py).
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from dotagent.capabilities.shell import frames
from dotagent.capabilities.shell.tools import run
from dotagent.errors import Trouble
from dotagent.life.policy import Act
from dotagent.life.session import Leaving, Session, Stopped
from dotagent.processes import background
from dotagent.processes.background import About
from dotagent.store import child_processes, disk
from dotagent.text import lazy, times
from dotagent.text.grammar import ToolCall
from dotagent.text.sizes import amount
from dotagent.tools import UNKNOWN, ToolError

FOR = "Start a server that keeps running during the talk; its end wakes you"
USAGE = (
    "PROCESS start command",
    "PROCESS poll number",
    "PROCESS write number words",
    "PROCESS kill number",
    "PROCESS list",
)
ORDER = 70
BRIEF = ("PROCESS start command",)  # the results explain the others
EFFECT = "run"
ORIGIN = "command"
FORM = "shell"
SOME = True

PRINTED = 1 << 16  # bytes of output shown at once
WRITTEN = 1 << 16  # bytes written at once: the capacity of a pipe
GRACE = 2.0  # seconds between SIGTERM and SIGKILL
LOOK = 0.02  # seconds between two checks during GRACE

_HERE = lazy.compile(r"<<[ \t]*(['\"]?)([A-Za-z_]\w*)\1[ \t]*\n(?:(.*)\n)?\2", re.DOTALL)

given, permit = run.given, run.permit  # only for an agent with RUN


def effect(session: Session, call: ToolCall) -> Act | None:
    """Return the effect of starting or writing to a command outside a closed sandbox. Reading and ending have no
    effect."""
    verb, rest = _parse_subcommand(call)
    caged = run.is_caged(session)
    if caged and verb == "write":  # the process may have begun under other settings
        caged = background.read_about(_existing(session, (*rest.split(None, 1), "")[0])).caged
    return Act(EFFECT, f"{verb} {rest}") if verb in ("start", "write") and not caged else None


def act(session: Session, call: ToolCall) -> bytes:
    """Run the subcommand in the first word."""
    verb, rest = _parse_subcommand(call)
    if verb not in VERBS:
        raise ToolError("write PROCESS in one of these forms: " + "; ".join(USAGE))
    return VERBS[verb](session, call, rest)


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Complete an interrupted call: start a process that did not start, repeat a kill, or show the same output."""
    verb, word, *rest = what.split(" ")
    folder = place(session, int(word))
    if verb == "poll":
        return _show(folder, int(rest[0]), int(rest[1]))
    if verb == "kill":
        return _kill(session, folder)
    if verb != "start":
        raise ToolError(UNKNOWN)
    for _ in range(int(GRACE / LOOK)):  # its shell may be about to begin
        if background.status(folder) is not None or background.never_ran(folder):
            break
        session.check_leaving()
        time.sleep(LOOK)
    if background.never_ran(folder):
        return _begin(session, folder, _command(_parse_subcommand(call)[1]))
    background.supervise(folder)
    return _start_message(folder)


def _parse_subcommand(call: ToolCall) -> tuple[str, str]:
    """Return the subcommand and its argument. Small models omit `start`, so a first word that is a program implies
    it."""
    verb, rest = (*call.args.split(None, 1), "", "")[:2]
    return ("start", call.args) if verb not in VERBS and shutil.which(verb) else (verb, rest)


def place(session: Session, number: int) -> Path:
    """Return the directory of the process with this number."""
    return session.path / "processes" / str(number)


def _start(session: Session, call: ToolCall, rest: str) -> bytes:
    permit(session)
    command = _command(rest)
    if not command.strip():
        raise ToolError("the command to start is missing: " + USAGE[0])
    folder = background.place_for(session.path / "processes", session.state.heard.ended)
    if folder is None:
        raise ToolError(f"{background.AT_ONCE} processes are already running; PROCESS kill one of them first")
    session.announce(call, f"start {folder.name} {command}")
    return _begin(session, folder, command)


def _begin(session: Session, folder: Path, command: str) -> bytes:
    disk.make_dir(folder)
    background.write_about(folder, About(command, session.state.turn.room, times.now(), run.is_caged(session)))
    with suppress(FileExistsError):
        os.mkfifo(folder / "in", 0o600)
    out = disk.open_file(folder / "out", os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        mark = f"{session.path}/processes/{folder.name}"
        child_processes.leave(run.begin(session, command, folder, mark, out))
    except (OSError, ValueError, Trouble) as error:
        raise ToolError(f"the command could not be started: {error}") from None
    finally:
        os.close(out)
    background.supervise(folder, new=True)
    return _start_message(folder)


def _start_message(folder: Path) -> bytes:
    number = folder.name
    more = f"PROCESS poll {number} shows its output, PROCESS write {number} words sends input to it"
    ends = f"PROCESS kill {number} ends it; I get a message when process {number} ends"
    return f"started as process {number}; {more}, {ends}".encode()


def _list(session: Session, call: ToolCall, rest: str) -> bytes:
    lines = [_line(place(session, one)) for one in background.numbers(session.path / "processes")]
    return "\n".join(lines or ["there are no processes"]).encode("utf-8", "replace")


def _line(folder: Path) -> str:
    about = background.read_about(folder)
    background.supervise(folder)
    state = background.describe_end(folder) or "runs"
    return f"{folder.name}  {state}, since {times.format_stamp(about.at, 19)}  {about.command}"


def _poll(session: Session, call: ToolCall, rest: str) -> bytes:
    folder = _existing(session, rest)
    background.supervise(folder)
    start = background.read_offset(folder)
    _, _, end = background.output(folder, start)
    session.announce(call, f"poll {folder.name} {start} {end}")
    return _show(folder, start, end)


def _show(folder: Path, start: int, end: int) -> bytes:
    """Return the process's state and its output between two bytes, which then counts as read."""
    background.see(folder, end)
    return f"process {folder.name}: {background.describe_end(folder) or 'runs'}".encode() + printed(folder, start, end)


def printed(folder: Path, start: int, end: int) -> bytes:
    """Return the output between two bytes, without parts that were dropped or are too long, after a line about
    these."""
    raw, first, last = background.output(folder, start, end)
    data = frames.last(raw)
    shown = data[-PRINTED:]
    if last <= start:
        return b"; it printed nothing new\n"
    gone = first - start + len(data) - len(shown)
    return (f"; the first {amount(gone)} of the output are not shown\n" if gone else "\n").encode() + shown


def _write(session: Session, call: ToolCall, rest: str) -> bytes:
    number, text = (*rest.split(None, 1), "", "")[:2]
    folder = _existing(session, number)
    here = _HERE.fullmatch(text)
    data = (f"{here[3] or ''}\n" if here else f"{text}\n").encode("utf-8", "replace")
    if background.describe_end(folder):
        raise ToolError(f"process {folder.name} has ended: {background.describe_end(folder)}")
    if len(data) > WRITTEN:
        raise ToolError(f"at most {WRITTEN:,} bytes can be written at once; put the input into a file")
    pipe = _pipe(session, folder)
    try:
        session.announce(call, f"write {folder.name} {len(data)}")
        done = os.write(pipe, data)
    except BlockingIOError:
        done = 0
    finally:
        os.close(pipe)
    if done < len(data):
        raise ToolError(f"process {folder.name} does not read its input: {done:,} of {len(data):,} bytes were sent")
    return f"written to process {folder.name}".encode()


def _pipe(session: Session, folder: Path) -> int:
    """Return a descriptor for the command's input. The shell opens the other end when it begins."""
    for last in (*[False] * int(GRACE / LOOK), True):
        try:
            return disk.open_pipe(folder / "in")
        except OSError as error:
            if last or error.errno != errno.ENXIO:
                break
            session.check_leaving()
            time.sleep(LOOK)
    raise ToolError(f"process {folder.name} does not read its input")


def _end(session: Session, call: ToolCall, rest: str) -> bytes:
    folder = _existing(session, rest)
    if background.describe_end(folder):
        raise ToolError(f"process {folder.name} has ended: {background.describe_end(folder)}")
    session.announce(call, f"kill {folder.name}")
    return _kill(session, folder)


def _kill(session: Session, folder: Path) -> bytes:
    """Ask the command to end, then kill it and everything that it started. Its end is not reported. If a person stops
    the turn, the command gets no more time to end by itself."""
    disk.replace(folder / "quiet", b"", durable=False)
    told = background.read_process(folder)
    background.supervise(folder)
    if told:
        told.ask_to_end()
        for _ in range(int(GRACE / LOOK)):
            if not told.alive or _must_end(session):
                break
            time.sleep(LOOK)
        told.end()
    for _ in range(int(GRACE / LOOK)):  # its supervisor records how
        if background.describe_end(folder) or _must_end(session):
            break
        time.sleep(LOOK)
    return f"process {folder.name} was killed".encode()


def _must_end(session: Session) -> bool:
    """Return True if this process was asked to exit, or a person stops the turn."""
    try:
        session.check_leaving()
    except (Leaving, Stopped):
        return True
    return False


def _clear(session: Session, call: ToolCall, rest: str) -> bytes:
    there = [place(session, one) for one in background.numbers(session.path / "processes")]
    over = [folder for folder in there if background.describe_end(folder)]
    for folder in over:
        background.remove(folder)
    return f"removed {len(over)} ended processes from the list; {len(there) - len(over)} are still running".encode()


def _existing(session: Session, rest: str) -> Path:
    word = rest.strip().lstrip("#")
    folder = session.path / "processes" / word
    if not word.isdecimal() or not folder.is_dir():
        raise ToolError(f"there is no process {word[:40] or '(no number)'}; PROCESS list shows the numbers")
    return folder


def _command(rest: str) -> str:
    here = _HERE.fullmatch(rest)
    return here[3] or "" if here else rest


VERBS: dict[str, Callable[[Session, ToolCall, str], bytes]] = {
    "start": _start,
    "list": _list,
    "poll": _poll,
    "write": _write,
    "kill": _end,
    "clear": _clear,
}
