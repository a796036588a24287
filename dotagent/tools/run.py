"""RUN: one shell command, within limits of time and output, without secrets.

Nothing that it starts outlives it: neither in its process group nor, on Linux, in a session of its own. But one that
takes longer than a turn should wait goes on as a process (see process.py), by a rename of its directory. Its output
goes to a file, so that what it printed is there also when this process dies; a command that a dead process left is
killed and reported, never run again. It is known by its group and by a mark in the environment of all that it started:
only what has taken the mark off, left the group and lost its parent goes on then. Owns `run/now/` in the agent's
directory: `pid`, `out` and `status` of the last one; `run/` itself stays, so that a sandbox can hide it.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from dotagent import errors, sandbox
from dotagent.errors import Trouble
from dotagent.life import origins
from dotagent.life.events import Effect
from dotagent.life.session import Session
from dotagent.life.showing import Worded
from dotagent.sandbox import view
from dotagent.store import credentials, disk, log, made, process, supervised
from dotagent.store.supervised import About
from dotagent.text import escape
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError, Whose

FOR = "Run a shell command: list or search files, count, ask the machine, start a program"
USAGE = ("RUN command",)
ORDER = 20
EFFECT = "run"
ORIGIN = "command"
FORM = "shell"
SOME = True

MOST = 1 << 20  # bytes of output, beyond which the command is stopped
LOOK = 0.05  # seconds between two looks at the output's size
LATE = "it took longer than {:g} s"


def allowed(life: Whose) -> bool:
    """Whether this life runs commands: there is a sandbox, or it hears its person alone, or settings name it."""
    named = any(life.id.startswith(name) for name in life.settings.run if name)
    alone = life.state.audience.startswith("private") and not life.state.heard.bridged
    return named or alone or bool(sandbox.kind(life.settings))


def given(life: Whose) -> bool:
    """Whether it has the tool: it may run commands, and where settings require a sandbox there is one."""
    return allowed(life) and not sandbox.refuses(life.settings)


def permit(session: Session) -> None:
    """Raise ToolError when this life may not run commands."""
    if why := sandbox.refuses(session.settings):
        raise ToolError(f"no command runs: {why}")
    if not allowed(session):
        why = sandbox.why(session.settings)
        raise ToolError(f"this life runs no commands: it hears others than its person, and there is no sandbox ({why})")


def act(session: Session, call: ToolCall) -> bytes | Worded:
    """Run the command; return its exit status and what it printed."""
    permit(session)
    if not call.args.strip():
        raise ToolError("run what? RUN and a shell command, e.g. RUN ls -la")
    folder = session.path / "run" / "now"
    try:
        disk.make_dir(folder)
        for name in ("pid", "out", "status", "begun", "about.json"):
            disk.remove(folder / name)
    except OSError as error:
        raise ToolError(f"no command can run: {errors.line(error)}") from None
    mark = f"{session.path}@{session.next()}"
    session.announce(call, escape.one_line(call.args, 200))
    out = disk.open_file(folder / "out", os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        with process.household() as spared:
            return _run(session, call.args, mark, out, spared)
    finally:
        os.close(out)


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Kill what is left of the command and report what it had printed. It is not run again."""
    folder = session.path / "run" / "now"
    folder = folder if folder.exists() else folder.parent  # an earlier version's
    if on := _gone_on(session):
        supervised.supervise(on)
        return _as_process(session, on)
    if told := supervised.told(folder, str(session.path)):
        told.end()
    made.settle(folder, session.path)
    printed = b""
    with suppress(OSError), disk.opened(folder / "out") as out:
        printed = _output(out)
    return (
        b"interrupted: I was stopped while it ran, and it was killed; it may have done a part. It printed:\n" + printed
    )


def _run(session: Session, command: str, mark: str, out: int, spared: set[int]) -> bytes | Worded:
    """Start the command, wait for it within the limits; return how it ended and what it printed.

    One that takes too long goes on as a process, and is `spared` with all that it started.
    """
    folder = session.path / "run" / "now"
    try:
        child = begin(session, command, folder, mark, out)
    except (OSError, ValueError, Trouble) as error:
        raise ToolError(f"the command could not be started: {error}") from None
    on = None
    try:
        limit = _wait(child, out, time.monotonic(), session)
        if limit == LATE and (on := _hand_over(session, command, mark)):
            spared |= process.children(os.getpid())
            process.leave(child)
            return _as_process(session, on)
    finally:
        if not on:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            status, left = child.wait(), made.settle(folder, session.path)
    if os.fstat(out).st_size > MOST:
        os.ftruncate(out, MOST)
    how = f"exit status {status}" if status >= 0 else f"killed by signal {-status}"
    if limit:
        how = f"stopped: {limit.format(session.patience.run)}"
    how = f"{how}; {left}" if left else how
    printed = _output(out)
    hint = sandbox.hint(session.settings, status, printed)
    told = how.encode() + b"\n" + printed + (f"\n{hint}" if printed[-1:] != b"\n" and hint else hint).encode()
    return told if printed.strip() else Worded(told, by=origins.OWN)  # what ends in silence tells nobody's words


def begin(session: Session, command: str, folder: Path, mark: str, out: int) -> subprocess.Popen[bytes]:
    """Start a command of this life, in its sandbox; see supervised.begin. Raises OSError, ValueError, Trouble."""
    env, kind = environment(session, mark), sandbox.kind(session.settings)
    if not kind:
        return supervised.begin(command, folder, session.path, env, out)
    heard = session.state.audience, session.state.heard.bridged
    seen = view.of(session.home, session.settings, session.path, folder, heard)
    seen = view.apart(seen, folder) if kind == "bubblewrap" else seen
    with sandbox.around(kind, seen) as (how, changed):
        return supervised.begin(command, folder, session.path, {**env, **changed}, out, how)


def _hand_over(session: Session, command: str, mark: str) -> Path | None:
    """Make a process of the command that runs; None where there are too many."""
    processes = session.path / "processes"
    on = supervised.place_for(processes, session.state.heard.ended)
    if on:
        disk.make_dir(processes)
        supervised.write_about(
            session.path / "run" / "now", About(command, session.state.turn.room, mark.rpartition("@")[2])
        )
        os.rename(session.path / "run" / "now", on)
        supervised.supervise(on)
    return on


def _gone_on(session: Session) -> Path | None:
    """The process that the command which was announced last went on as."""
    processes = session.path / "processes"
    begun = next((line.at for line in log.backwards(session.path / "LIFE.md") if line.event == Effect.WORD), "")
    found = [processes / str(number) for number in supervised.numbers(processes)]
    return next((one for one in reversed(found) if supervised.about(one).at == begun), None)


def _as_process(session: Session, on: Path) -> bytes:
    printed, _, end = supervised.output(on, 0)
    supervised.see(on, end)
    number = on.name
    return (
        f"it takes longer than {session.patience.run:g} s, so it goes on as process {number}: PROCESS poll {number} "
        "shows what it prints from now on, and I hear of its end. So far it printed:\n"
    ).encode() + printed


def _wait(child: subprocess.Popen[bytes], out: int, began: float, session: Session) -> str:
    """Wait until the command ends; return the limit it passed, or an empty text."""
    poll = select.poll()
    handle = os.pidfd_open(child.pid) if sys.platform == "linux" else -1
    if handle >= 0:
        poll.register(handle, select.POLLIN)
    try:
        while True:
            if handle >= 0:
                poll.poll(LOOK * 1000)
                ended = child.poll() is not None
            else:
                ended = _ended(child)
            if os.fstat(out).st_size > MOST:
                return f"it printed more than {MOST:,} bytes"
            if ended:
                return ""
            if time.monotonic() - began > session.patience.run:
                return LATE
            session.check_leaving()
    finally:
        if handle >= 0:
            os.close(handle)


def _ended(child: subprocess.Popen[bytes]) -> bool:
    try:
        child.wait(LOOK)
    except subprocess.TimeoutExpired:
        return False
    return True


def _output(out: int) -> bytes:
    return os.pread(out, MOST, 0)


def environment(session: Session, mark: str) -> dict[str, str]:
    """What a command sees: the usual names, those in settings, its mark, and nothing else, so no secret."""
    named = session.settings.environment
    kept = {name: value for name, value in os.environ.items() if credentials.plain(name) or name in named}
    return {**kept, "PWD": str(session.path), supervised.MARK: mark}
