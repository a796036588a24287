"""Hooks: a person's commands at events of a life, run in a process beside it.

The life only leaves a file (store/hooked.py) and goes on: a command that hangs, dies or floods is nothing to it. Each
runs once, in the sandbox that the agent's own commands have, with the event as JSON on its stdin.
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
from typing import IO

from dotagent import sandbox
from dotagent.errors import Trouble
from dotagent.sandbox import view
from dotagent.store import credentials, disk, home, hooked, hooks, process, supervised
from dotagent.store.home import Home, Settings
from dotagent.store.hooked import Event
from dotagent.store.hooks import Hook
from dotagent.store.watch import Watcher
from dotagent.text import escape, times

MOST = 1 << 16  # bytes of output, beyond which a command is stopped
SHOWN = 500  # characters of it that the log keeps
GIVEN = 60_000  # bytes of an event: they fit into a pipe at once
LATE = "stopped: it took longer than {:g} s"
LINGER = 30.0  # seconds without any event, after which the process leaves


def serve(where: Home, self_id: str, linger: float = LINGER) -> None:
    """Run what waits, and what comes, until nothing has come for so long; at once where another process does."""
    place = where.agent(self_id)
    folder = hooked.folder(place)
    disk.make_dir(folder)
    while True:
        with disk.opened(folder / "pid", os.O_RDWR | os.O_CREAT) as lock:
            if not disk.try_lock(lock, disk.PROBED):
                return
            _all(where, self_id, linger)
        if not hooked.waiting(place):  # what came while the lock was let go of
            return


def _all(where: Home, self_id: str, linger: float) -> None:
    place, watch, settings = where.agent(self_id), Watcher(), home.settings(where)
    watch.names(hooked.folder(place))
    end = time.monotonic() + linger
    while time.monotonic() < end:
        for path in hooked.waiting(place):
            end = time.monotonic() + linger
            settings = home.settings_now(where, settings)
            if event := hooked.take(path):
                for hook in hooks.commands(settings.hooks):
                    if event.get("event") in hook.on:
                        _told(place, hook, event, run(where, settings, place, hook, event))
        watch.wait(max(0.0, end - time.monotonic()))
    watch.close()


def _told(place: Path, hook: Hook, event: Event, how: tuple[str, bytes]) -> None:
    printed = escape.one_line(how[1].decode("utf-8", "replace"), SHOWN)
    named = {"at": times.now(), "hook": hook.name, "event": event.get("event")}
    hooked.note(place, {**named, "how": how[0], "printed": printed})


def run(where: Home, settings: Settings, place: Path, hook: Hook, event: Event) -> tuple[str, bytes]:
    """Run one command with one event; how it ended, and what it printed."""
    told = {key: value for key, value in event.items() if key != "heard"}
    data = json.dumps({**told, "hook": hook.name}, ensure_ascii=False).encode("utf-8", "replace")
    heard = event.get("heard")
    audience, bridged = (*map(str, heard if isinstance(heard, list) else ()), "helper", "")[:2]
    mark = f"{place}@hook-{hook.name}-{times.now()}"
    kept = {name: value for name, value in os.environ.items()
            if credentials.plain(name) or name in settings.environment}  # fmt: skip
    env, words, handles = {**kept, "PWD": str(place), supervised.MARK: mark}, ["sh", "-c", hook.run], list[int]()
    try:
        if why := sandbox.refuses(settings):
            return f"not run: {why}", b""
        if kind := sandbox.kind(settings):
            cage = sandbox.cage(kind, view.of(where, settings, place, hooked.folder(place), (audience, bool(bridged))))
            words, handle = sandbox.command(cage, *words)
            env, handles = {**env, **cage.env}, [handle]
        elif not audience.startswith("private") or bridged:
            return f"not run: others are heard here, and there is no sandbox ({sandbox.why(settings)})", b""
        return _run(words, env, place, (data[:GIVEN] + b"\n", hook.timeout, handles))
    except (OSError, ValueError, Trouble) as error:
        return f"not run: {error}", b""
    finally:
        for handle in handles:
            os.close(handle)
        process.kill_marked(f"{supervised.MARK}={mark}")


def _run(
    words: list[str], env: dict[str, str], place: Path, given: tuple[bytes, float, list[int]]
) -> tuple[str, bytes]:
    data, timeout, handles = given
    with subprocess.Popen(
        words, cwd=place, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True, pass_fds=handles, bufsize=0,
    ) as child:  # fmt: skip
        assert child.stdin and child.stdout
        with suppress(BrokenPipeError):
            child.stdin.write(data)
        child.stdin.close()
        try:
            why, printed = _output(child.stdout, end := time.monotonic() + timeout, timeout)
            with suppress(subprocess.TimeoutExpired):
                child.wait(0 if why else max(0.0, end - time.monotonic()))
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
        status = child.wait()
    return why or (f"exit status {status}" if status >= 0 else LATE.format(timeout)), printed[:MOST]


def _output(out: IO[bytes], end: float, timeout: float) -> tuple[str, bytes]:
    """What it prints until it closes its output, and why that was not waited for."""
    printed = b""
    with selectors.DefaultSelector() as ready:
        ready.register(out, selectors.EVENT_READ)
        while len(printed) <= MOST:
            if not ready.select(max(0.0, end - time.monotonic())):
                return LATE.format(timeout), printed
            if not (some := os.read(out.fileno(), 1 << 16)):
                return "", printed
            printed += some
    return f"stopped: it printed more than {MOST:,} bytes", printed
