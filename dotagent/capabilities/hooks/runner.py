"""The process that runs hooks: a person's commands, at an agent's events.

The agent only writes a file (event_queue.py) and continues, so a command that hangs, crashes or floods does not
affect it. Each command runs once, in the sandbox of the agent's own commands, with the event as JSON on stdin. Owns
nothing on disk itself.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from dotagent import sandbox
from dotagent.capabilities.hooks import event_queue
from dotagent.capabilities.hooks.event_queue import Event
from dotagent.errors import Trouble
from dotagent.processes import background, process_tree, space
from dotagent.processes.space import Space
from dotagent.sandbox import limits, view
from dotagent.store import disk, home, hooks, reserved_names, variables, work_folder
from dotagent.store.home import Home, Settings
from dotagent.store.hooks import Hook
from dotagent.store.watch import Watcher
from dotagent.text import escape, times

MOST = 1 << 16  # bytes of output, after which a command is stopped
SHOWN = 500  # characters of the output kept in the log
GIVEN = 60_000  # bytes of an event, which fit into a pipe at once
LATE = "the hook took longer than {:g} s"
LINGER = 30.0  # seconds without events after which the process exits


def serve(where: Home, self_id: str, linger: float = LINGER) -> None:
    """Run hooks until no event has come for `linger` seconds. Return at once if another process does."""
    place = where.agent(self_id)
    folder = event_queue.folder(place)
    disk.make_dir(folder)
    while True:
        with disk.open_regular(folder / "pid", os.O_RDWR | os.O_CREAT) as lock:
            if not disk.try_lock(lock, disk.PROBED):
                return
            _run_until_idle(where, self_id, linger)
        if not event_queue.waiting(place):  # events that came while the lock was released
            return


def _run_until_idle(where: Home, self_id: str, linger: float) -> None:
    place, watch, settings = where.agent(self_id), Watcher(), home.settings(where)
    watch.names(event_queue.folder(place))
    end = time.monotonic() + linger
    while time.monotonic() < end:
        for path in event_queue.waiting(place):
            end = time.monotonic() + linger
            settings = home.settings_now(where, settings)
            if event := event_queue.take(path):
                for hook in hooks.commands(settings.hooks):
                    if event.get("event") in hook.on:
                        _record_result(place, hook, event, run(where, settings, place, hook, event))
        watch.wait(max(0.0, end - time.monotonic()))
    watch.close()


def _record_result(place: Path, hook: Hook, event: Event, how: tuple[str, bytes]) -> None:
    printed = escape.one_line(how[1].decode("utf-8", "replace"), SHOWN)
    named = {"at": times.now(), "hook": hook.name, "event": event.get("event")}
    event_queue.note(place, {**named, "how": how[0], "printed": printed})


def run(where: Home, settings: Settings, place: Path, hook: Hook, event: Event) -> tuple[str, bytes]:
    """Run one command with one event. Return how it ended, and its output."""
    told = {key: value for key, value in event.items() if key != "heard"}
    data = json.dumps({**told, "hook": hook.name}, ensure_ascii=False).encode("utf-8", "replace")
    heard = event.get("heard")
    audience, bridged = (*map(str, heard if isinstance(heard, list) else ()), "helper", "")[:2]
    mark = f"{place}@hook-{hook.name}-{times.now()}"
    kept = {name: value for name, value in os.environ.items()
            if variables.is_plain(name) or name in settings.environment}  # fmt: skip
    work, words, handles = place / reserved_names.WORK, ["sh", "-c", hook.run], list[int]()
    changed, most = [work], 0
    env = {**kept, "PWD": str(work), background.MARK: mark}
    try:
        if why := sandbox.refuses(settings):
            return f"not run: {why}", b""
        work_folder.workspace(place)
        if kind := sandbox.kind(settings):
            seen = view.make_sight(where, settings, place, event_queue.folder(place), audience)
            cage, changed, most = sandbox.cage(kind, seen), seen.changed, limits.watched(seen.limits)
            words, handle = sandbox.command(cage, *words)
            env, handles = {**env, **cage.env}, [handle]
        elif not sandbox.hears_owner(settings, audience, bool(bridged)):
            return (
                f"the hook did not run: the agent has read text from others, and there is no sandbox "
                f"({sandbox.explain_none(settings)})",
                b"",
            )
        with process_tree.household():
            return _run(
                words, env, work, (data[:GIVEN] + b"\n", hook.timeout, handles, space.make_limits(changed, most))
            )
    except (OSError, ValueError, Trouble) as error:
        return f"not run: {error}", b""
    finally:
        for handle in handles:
            os.close(handle)
        process_tree.kill_marked(f"{background.MARK}={mark}")


def _run(
    words: list[str], env: dict[str, str], place: Path, given: tuple[bytes, float, list[int], Space]
) -> tuple[str, bytes]:
    data, timeout, handles, left = given
    with subprocess.Popen(
        words, cwd=place, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True, pass_fds=handles, bufsize=0,
    ) as child:  # fmt: skip
        assert child.stdin and child.stdout
        with suppress(BrokenPipeError):
            child.stdin.write(data)
        child.stdin.close()
        try:
            end = time.monotonic() + timeout
            why, printed = _output(child, end, left)
            why = why or left.waits(child, end)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
        status = child.wait()
    if why or status < 0:
        return f"stopped: {(why or LATE).format(timeout)}", printed[:MOST]
    return f"exit status {status}", printed


def _output(child: subprocess.Popen[bytes], end: float, left: Space) -> tuple[str, bytes]:
    """Return why waiting stopped, or "", and the output until it is closed."""
    assert child.stdout
    printed, out = b"", child.stdout
    with selectors.DefaultSelector() as ready:
        ready.register(out, selectors.EVENT_READ)
        while len(printed) <= MOST:
            found = ready.select(left.pause(end))
            if why := left.exceeded(child.pid):
                return why, printed
            if not found and time.monotonic() >= end:
                return LATE, printed
            if not found:
                continue
            if not (some := os.read(out.fileno(), 1 << 16)):
                return "", printed
            printed += some
    return f"the hook printed more than {MOST:,} bytes", printed
