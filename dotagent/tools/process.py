"""PROCESS: a command that outlives the turn, and the agent: started, looked at, written to, killed, forgotten.

What of it is on disk, and how it is looked after, stands in store/supervised.py. Its end wakes the agent
(`loop/ended.py`).
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

from dotagent.errors import Trouble
from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.store import disk, process, supervised
from dotagent.store.supervised import About
from dotagent.text import times
from dotagent.text.grammar import ToolCall
from dotagent.text.sizes import amount
from dotagent.tools import UNKNOWN, ToolError, Whose, run

FOR = "Start a server that goes on beside the talk; its end wakes you"
USAGE = (
    "PROCESS start command",
    "PROCESS poll number",
    "PROCESS write number words",
    "PROCESS kill number",
    "PROCESS list",
)
ORDER = 70
BRIEF = ("PROCESS start command",)  # of the others its results tell
EFFECT = "run"
ORIGIN = "command"
FORM = "shell"
SOME = True

PRINTED = 1 << 16  # bytes of output that are shown at once
WRITTEN = 1 << 16  # bytes that are written at once: what a pipe holds
GRACE = 2.0  # seconds between asking a command to end and killing it
LOOK = 0.02  # seconds between two looks in that time

_HERE = re.compile(r"<<[ \t]*(['\"]?)([A-Za-z_]\w*)\1[ \t]*\n(?:(.*)\n)?\2", re.DOTALL)


def effect(session: Session, call: ToolCall) -> Act | None:
    """What a command does that is started or written to; looking at one, and ending it, is none."""
    verb, rest = _asked(call)
    return Act(EFFECT, "", (rest,)) if verb in ("start", "write") else None


def given(life: Whose) -> bool:
    """Whether this life has it: as RUN."""
    return run.given(life)


def act(session: Session, call: ToolCall) -> bytes:
    """Do what the first word says."""
    verb, rest = _asked(call)
    if verb not in VERBS:
        raise ToolError("PROCESS what? " + "; ".join(USAGE))
    return VERBS[verb](session, call, rest)


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """What became of it: a start that did not happen happens now, a kill is done again, what was shown is shown."""
    verb, word, *rest = what.split(" ")
    folder = place(session, int(word))
    if verb == "poll":
        return _show(folder, int(rest[0]), int(rest[1]))
    if verb == "kill":
        return _kill(session, folder)
    if verb != "start":
        raise ToolError(UNKNOWN)
    for _ in range(int(GRACE / LOOK)):  # its shell may just be reading that it may begin, or that it may not
        if supervised.status(folder) is not None or supervised.never_ran(folder):
            break
        time.sleep(LOOK)
    if supervised.never_ran(folder):
        return _begin(session, folder, _command(_asked(call)[1]))
    supervised.supervise(folder)
    return _begun(folder)


def _asked(call: ToolCall) -> tuple[str, str]:
    """What to do, and to what. A command whose `start` was left out, as small models do, begins with a program."""
    verb, rest = (*call.args.split(None, 1), "", "")[:2]
    return ("start", call.args) if verb not in VERBS and shutil.which(verb) else (verb, rest)


def permit(session: Session) -> None:
    """Raise ToolError that says why this life starts no commands."""
    run.permit(session)


def place(session: Session, number: int) -> Path:
    """The directory of the process of this number."""
    return session.path / "processes" / str(number)


def _start(session: Session, call: ToolCall, rest: str) -> bytes:
    permit(session)
    command = _command(rest)
    if not command.strip():
        raise ToolError("start what? " + USAGE[0])
    folder = supervised.place_for(session.path / "processes", session.state.heard.ended)
    if folder is None:
        raise ToolError(f"{supervised.AT_ONCE} processes run already: PROCESS kill one of them first")
    session.announce(call, f"start {folder.name} {command}")
    return _begin(session, folder, command)


def _begin(session: Session, folder: Path, command: str) -> bytes:
    disk.make_dir(folder)
    supervised.write_about(folder, About(command, session.state.turn.room, times.now()))
    with suppress(FileExistsError):
        os.mkfifo(folder / "in", 0o600)
    out = disk.open_file(folder / "out", os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        mark = f"{session.path}/processes/{folder.name}"
        process.leave(run.begin(session, command, folder, mark, out))
    except (OSError, ValueError, Trouble) as error:
        raise ToolError(f"the command could not be started: {error}") from None
    finally:
        os.close(out)
    supervised.supervise(folder, new=True)
    return _begun(folder)


def _begun(folder: Path) -> bytes:
    number = folder.name
    more = f"PROCESS poll {number} shows what it prints, PROCESS write {number} words gives it these"
    return f"started as process {number}; {more}, PROCESS kill {number} ends it, and I hear of its end".encode()


def _list(session: Session, call: ToolCall, rest: str) -> bytes:
    lines = [_line(place(session, one)) for one in supervised.numbers(session.path / "processes")]
    return "\n".join(lines or ["there are no processes"]).encode("utf-8", "replace")


def _line(folder: Path) -> str:
    about = supervised.about(folder)
    supervised.supervise(folder)
    return f"{folder.name}  {supervised.ended(folder) or 'runs'}, since {times.to_second(about.at)}  {about.command}"


def _poll(session: Session, call: ToolCall, rest: str) -> bytes:
    folder = _existing(session, rest)
    supervised.supervise(folder)
    start = supervised.seen(folder)
    _, _, end = supervised.output(folder, start)
    session.announce(call, f"poll {folder.name} {start} {end}")
    return _show(folder, start, end)


def _show(folder: Path, start: int, end: int) -> bytes:
    """How it stands, and what it printed between these two bytes; that is read now."""
    supervised.see(folder, end)
    return f"process {folder.name}: {supervised.ended(folder) or 'runs'}".encode() + printed(folder, start, end)


def printed(folder: Path, start: int, end: int) -> bytes:
    """What it printed between two bytes, as far as it is kept and may be shown, under a line that says what is not."""
    data, first, last = supervised.output(folder, start, end)
    shown = data[-PRINTED:]
    if last <= start:
        return b"; it printed nothing new\n"
    gone = first - start + len(data) - len(shown)
    return (f"; {amount(gone)} before this are not shown\n" if gone else "\n").encode() + shown


def _write(session: Session, call: ToolCall, rest: str) -> bytes:
    number, text = (*rest.split(None, 1), "", "")[:2]
    folder = _existing(session, number)
    here = _HERE.fullmatch(text)
    data = (f"{here[3] or ''}\n" if here else f"{text}\n").encode("utf-8", "replace")
    if supervised.ended(folder):
        raise ToolError(f"process {folder.name} has ended: {supervised.ended(folder)}")
    if len(data) > WRITTEN:
        raise ToolError(f"at most {WRITTEN:,} bytes can be written at once: put them into a file")
    pipe = _pipe(folder)
    try:
        session.announce(call, f"write {folder.name} {len(data)}")
        done = os.write(pipe, data)
    except BlockingIOError:
        done = 0
    finally:
        os.close(pipe)
    if done < len(data):
        raise ToolError(
            f"process {folder.name} does not read what it is given: {done:,} of {len(data):,} bytes went in"
        )
    return f"written to process {folder.name}".encode()


def _pipe(folder: Path) -> int:
    """A descriptor of what the command reads; its shell opens the other end when it begins."""
    for last in (*[False] * int(GRACE / LOOK), True):
        try:
            return disk.open_pipe(folder / "in")
        except OSError as error:
            if last or error.errno != errno.ENXIO:
                break
            time.sleep(LOOK)
    raise ToolError(f"process {folder.name} reads nothing")


def _end(session: Session, call: ToolCall, rest: str) -> bytes:
    folder = _existing(session, rest)
    if supervised.ended(folder):
        raise ToolError(f"process {folder.name} has ended: {supervised.ended(folder)}")
    session.announce(call, f"kill {folder.name}")
    return _kill(session, folder)


def _kill(session: Session, folder: Path) -> bytes:
    """Ask it to end, and kill it and all that it started when it does not; nobody need be told of its end then."""
    disk.replace(folder / "quiet", b"", durable=False)
    told = supervised.told(folder)
    supervised.supervise(folder)
    if told:
        told.ask_to_end()
        for _ in range(int(GRACE / LOOK)):
            if not told.alive or session.leaving:
                break
            time.sleep(LOOK)
        told.end()
    for _ in range(int(GRACE / LOOK)):  # its supervisor says how
        if supervised.ended(folder):
            break
        time.sleep(LOOK)
    return f"process {folder.name} is killed".encode()


def _clear(session: Session, call: ToolCall, rest: str) -> bytes:
    there = [place(session, one) for one in supervised.numbers(session.path / "processes")]
    over = [folder for folder in there if supervised.ended(folder)]
    for folder in over:
        supervised.remove(folder)
    return f"{len(over)} ended processes are cleared, {len(there) - len(over)} run".encode()


def _existing(session: Session, rest: str) -> Path:
    word = rest.strip().lstrip("#")
    folder = session.path / "processes" / word
    if not word.isdecimal() or not folder.is_dir():
        raise ToolError(f"there is no process {word[:40] or '(which?)'}: PROCESS list shows them")
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
