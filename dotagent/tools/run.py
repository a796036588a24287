"""RUN: one shell command, within limits of time and output, without secrets.

Nothing that it starts outlives it: neither in its process group nor, on Linux, in a session of its own. Its output goes
to a file, so that what it printed is there also when this process dies; a command that a dead process left is killed
and reported, never run again. It is known by its group and by a mark in the environment of all that it started: only
what has taken the mark off, left the group and lost its parent goes on then. Owns `run/` in the agent's directory:
`pid` and `out` of the last one.
"""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from dotagent import errors
from dotagent.life.session import Session
from dotagent.store import credentials, disk, process
from dotagent.text import escape
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError

USAGE = ("RUN ls -la",)
FORM = "shell"

MOST = 1 << 20  # bytes of output, beyond which the command is stopped
LOOK = 0.05  # seconds between two looks at the output's size
MARK = "DOTAGENT_RUN"  # the variable that tells whose command a process is: the agent's directory

# The shell waits for a word from us before it begins: when we die before we have written down its pid, it reads an
# end of file instead and leaves, so no command runs that nobody knows of.
GATE = 'read -r go && eval "set --; $1" </dev/null'


def allowed(session: Session) -> bool:
    """Whether this life runs commands: it hears its person alone, or settings name it."""
    named = any(session.id.startswith(name) for name in session.settings.run if name)
    return named or (session.state.audience.startswith("private") and not session.state.heard.bridged)


def act(session: Session, call: ToolCall) -> bytes:
    """Run the command; return its exit status and what it printed."""
    if not allowed(session):
        raise ToolError("this life has no RUN: it hears others than its person, and there is no sandbox")
    if not call.args.strip():
        raise ToolError("run what? RUN and a shell command, e.g. RUN ls -la")
    folder = session.path / "run"
    try:
        disk.make_dir(folder)
        disk.remove(folder / "pid")
        disk.remove(folder / "out")
    except OSError as error:
        raise ToolError(f"no command can run: {errors.line(error)}") from None
    session.announce(call, escape.one_line(call.args, 200))
    out = disk.open_file(folder / "out", os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        with process.household():
            how = _run(session, call.args, folder, out)
        return how + b"\n" + _output(out)
    finally:
        os.close(out)


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Kill what is left of the command and report what it had printed. It is not run again."""
    folder = session.path / "run"
    process.kill_marked(f"{MARK}={session.path}")
    _kill_left(folder / "pid")
    printed = b""
    with suppress(OSError), disk.opened(folder / "out") as out:
        printed = _output(out)
    return (
        b"interrupted: I was stopped while it ran, and it was killed; it may have done a part. It printed:\n" + printed
    )


def _run(session: Session, command: str, folder: Path, out: int) -> bytes:
    """Start the command, wait for it within the limits; return one line that says how it ended."""
    try:
        child = subprocess.Popen(
            ["sh", "-c", GATE, "sh", command],
            cwd=session.path,
            env=environment(session),
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise ToolError(f"the command could not be started: {error}") from None
    assert child.stdin is not None
    told = f"{child.pid} {process.start_time(child.pid)} {process.boot()}\n"
    disk.replace(folder / "pid", told.encode(), durable=False)
    began = time.monotonic()
    try:
        child.stdin.write(b"go\n")
        child.stdin.close()
        limit = _wait(child, out, began, session)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        status = child.wait()
    if os.fstat(out).st_size > MOST:
        os.ftruncate(out, MOST)
    if limit:
        return f"stopped: {limit}".encode()
    return (f"exit status {status}" if status >= 0 else f"killed by signal {-status}").encode()


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
                return f"it took longer than {session.patience.run:g} s"
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


def _kill_left(file: Path) -> None:
    """Kill what a dead process left running, if it was left since the machine was started."""
    told = list[str]()
    with suppress(OSError):
        told = disk.read(file).decode("utf-8", "replace").split()
    if len(told) == 3 and re.fullmatch(r"[1-9]\d{0,9}", told[0], re.ASCII) and told[2] == process.boot():
        process.kill_group(int(told[0]), told[1])


def _output(out: int) -> bytes:
    return os.pread(out, MOST, 0)


def environment(session: Session) -> dict[str, str]:
    """What a command sees: the usual names, those in settings, its mark, and nothing else, so no secret."""
    named = session.settings.environment
    kept = {name: value for name, value in os.environ.items() if credentials.plain(name) or name in named}
    return {**kept, "PWD": str(session.path), MARK: str(session.path)}
