"""RUN: run one shell command, with limits on its time and its output. The command gets no secrets.

Everything that it starts ends with it: in its process group and, on Linux, in any session. Only a command that takes
longer than a turn continues as a process (see process.py), after a rename of its directory. Its output goes to a file,
so it survives a crash of this process. A command left by a crashed process is killed and reported, never run again. It
is identified by its group and by a mark in the environment, so a process escapes only if it removes the mark, leaves
the group and loses its parent. Owns `run/now/` in the agent's directory: `pid`, `out` and `status` of the last command.
`run/` stays, so that a sandbox can hide it.
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
from dotagent.capabilities.shell import frames
from dotagent.errors import Trouble
from dotagent.life import origins
from dotagent.life.events import Effect
from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.life.tool_results import Worded
from dotagent.processes import background, process_tree, space
from dotagent.processes.background import About
from dotagent.sandbox import limits, view
from dotagent.store import child_processes, disk, log, reserved_names, roots, variables, work_folder
from dotagent.text import escape, lazy
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError, Whose, copy_before_change

FOR = "Run a shell command in files/: list or search files, count, look at the machine, start a program"
USAGE = ("RUN command",)
ORDER = 20
EFFECT = "run"
ORIGIN = "command"
FORM = "shell"
SOME = True
TELLS = True

MOST = 1 << 20  # bytes of output, after which the command is stopped
LOOK = 0.05  # seconds between two checks of the output's size
LATE = "the command took longer than {:g} s"
_PREFIXED = lazy.compile(rf"(?<![\w./~-]){reserved_names.WORK}/\w")


def allowed(life: Whose) -> bool:
    """Return True if the agent may run commands: a sandbox exists, it hears only its owner, or settings name it."""
    named = any(life.id.startswith(name) for name in life.settings.run if name)
    alone = sandbox.hears_owner(life.settings, life.state.audience, life.state.heard.bridged)
    return named or alone or bool(sandbox.kind(life.settings))


def given(life: Whose) -> bool:
    """Return True if the agent may run commands, and a sandbox exists if settings require one."""
    return allowed(life) and not sandbox.refuses(life.settings)


def told(life: Whose) -> str:
    """Return what the agent's commands can reach."""
    return sandbox.describe_reach(life.settings)


def permit(session: Session) -> None:
    """Raise ToolError if the agent may not run commands."""
    if why := sandbox.refuses(session.settings):
        raise ToolError(f"no commands can run: {why}")
    if not allowed(session):
        why = sandbox.explain_none(session.settings)
        raise ToolError(
            f"you cannot run commands, because people other than your owner write to you and there is no sandbox "
            f"({why})"
        )


def effect(session: Session, call: ToolCall) -> Act | None:
    """Return the effect of a command outside a closed sandbox."""
    return None if is_caged(session) else Act(EFFECT, call.args)


def is_caged(session: Session) -> bool:
    """Return True if the agent's commands can reach only `files/`, because their sandbox is closed."""
    settings = session.settings
    opened = settings.network == "on" or settings.hosts
    return bool(sandbox.kind(settings) and not opened
                and not roots.find_roots(session.home, settings, session.state.audience, session.id))  # fmt: skip


def act(session: Session, call: ToolCall) -> bytes | Worded:
    """Run the command. Return its exit status and output."""
    permit(session)
    if not call.args.strip():
        raise ToolError("the command is missing: RUN and a shell command, e.g. RUN ls -la")
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
        with process_tree.household() as spared:
            return _run(session, call.args, mark, out, spared)
    finally:
        os.close(out)


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Kill the rest of the command and report its output. It is not run again."""
    folder = session.path / "run" / "now"
    folder = folder if folder.exists() else folder.parent  # the place in earlier versions
    if on := _gone_on(session):
        background.supervise(on)
        return _as_process(session, on)
    if told := background.read_process(folder, str(session.path)):
        told.end()
    printed = b""
    with suppress(OSError), disk.open_regular(folder / "out") as out:
        printed = _output(out)
    return (
        b"interrupted: the command was killed because I was stopped; a part of it may be done. It printed:\n" + printed
    )


def _run(session: Session, command: str, mark: str, out: int, spared: set[int]) -> bytes | Worded:
    """Start the command and wait for it, within the limits. Return how it ended, and its output.

    If it takes too long, it continues as a process and is `spared` with everything that it started.
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
            spared |= process_tree.children(os.getpid())
            child_processes.leave(child)
            return _as_process(session, on)
    finally:
        if not on:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            status = child.wait()
    if os.fstat(out).st_size > MOST:
        os.ftruncate(out, MOST)
    how = f"exit status {status}" if status >= 0 else f"killed by signal {-status}"
    if limit:
        how = f"stopped: {limit.format(session.patience.run)}"
    printed = _output(out)
    hint = sandbox.hint(session.settings, status, printed) or _misnamed(session, command, status)
    told = how.encode() + b"\n" + printed + (f"\n{hint}" if printed[-1:] != b"\n" and hint else hint).encode()
    return told if printed.strip() else Worded(told, by=origins.OWN)  # a result without output quotes no one


def _misnamed(session: Session, command: str, status: int) -> str:
    """Return a hint to append if a failed command names the folder in which it runs."""
    if (
        not status
        or not _PREFIXED.search(command)
        or (session.path / reserved_names.WORK / reserved_names.WORK).exists()
    ):
        return ""
    return f"(commands already run in {reserved_names.WORK}/, so leave {reserved_names.WORK}/ out of a file's name)"


def begin(session: Session, command: str, folder: Path, mark: str, out: int) -> subprocess.Popen[bytes]:
    """Start a command of the agent in its sandbox; see supervised.begin. Raises OSError, ValueError, Trouble."""
    copy_before_change(session)
    env, kind = environment(session, mark), sandbox.kind(session.settings)
    work = work_folder.workspace(session.path)
    if not kind:
        space.make_limits([work]).keep(folder)
        return background.begin(command, folder, work, env, out)
    seen = view.make_sight(session.home, session.settings, session.path, folder, session.state.audience)
    space.make_limits(seen.changed, limits.watched(seen.limits)).keep(folder)
    with sandbox.start_shell(kind, seen) as (how, changed):
        return background.begin(command, folder, work, {**env, **changed}, out, how)


def _hand_over(session: Session, command: str, mark: str) -> Path | None:
    """Turn the running command into a process. Return its directory, or None if there are too many."""
    processes = session.path / "processes"
    on = background.place_for(processes, session.state.heard.ended)
    if on:
        disk.make_dir(processes)
        background.write_about(
            session.path / "run" / "now",
            About(command, session.state.turn.room, mark.rpartition("@")[2], is_caged(session)),
        )
        os.rename(session.path / "run" / "now", on)
        background.supervise(on)
    return on


def _gone_on(session: Session) -> Path | None:
    """Return the process that continues the last announced command, or None."""
    processes = session.path / "processes"
    begun = next((line.at for line in log.backwards(session.path / "LIFE.md") if line.event == Effect.WORD), "")
    found = [processes / str(number) for number in background.numbers(processes)]
    return next((one for one in reversed(found) if background.read_about(one).at == begun), None)


def _as_process(session: Session, on: Path) -> bytes:
    raw, _, end = background.output(on, 0)
    printed = frames.last(raw)
    background.see(on, end)
    number = on.name
    return (
        f"the command takes longer than {session.patience.run:g} s, so it continues as process {number}. PROCESS "
        f"poll {number} shows its further output, and I get a message when it ends. Its output so far:\n"
    ).encode() + printed


def _wait(child: subprocess.Popen[bytes], out: int, began: float, session: Session) -> str:
    """Wait until the command ends. Return the limit that it exceeded, or ""."""
    poll, left = select.poll(), space.saved_limits(session.path / "run" / "now", session.path / reserved_names.WORK)
    handle = os.pidfd_open(child.pid) if sys.platform == "linux" else -1
    if handle >= 0:
        poll.register(handle, select.POLLIN)
    try:
        while True:
            if handle >= 0:
                poll.poll(LOOK * 1000)
                ended = child.poll() is not None
            else:
                ended = _has_ended(child)
            if os.fstat(out).st_size > MOST:
                return f"the command printed more than {MOST:,} bytes"
            if ended:
                return ""
            if why := left.exceeded(child.pid):
                return why
            if time.monotonic() - began > session.patience.run:
                return LATE
            session.check_leaving()
    finally:
        if handle >= 0:
            os.close(handle)


def _has_ended(child: subprocess.Popen[bytes]) -> bool:
    try:
        child.wait(LOOK)
    except subprocess.TimeoutExpired:
        return False
    return True


def _output(out: int) -> bytes:
    """Return the command's output as a terminal would show it."""
    return frames.last(os.pread(out, MOST, 0))


def environment(session: Session, mark: str) -> dict[str, str]:
    """Return a command's environment: the usual variables, those in settings, and its mark, so no secret."""
    named = session.settings.environment
    kept = {name: value for name, value in os.environ.items() if variables.is_plain(name) or name in named}
    kept |= {"TZ": session.settings.zone} if session.settings.zone else {}
    return {**kept, "PWD": str(session.path / reserved_names.WORK), background.MARK: mark}
