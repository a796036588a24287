"""The process of the scheduler: check, sleep until something is due or a job changes, and check again.

A home has one such process. It sleeps at most 15 seconds, because someone may set the machine's clock or suspend the
machine. Owns `clock/pid`, the lock that contains its pid.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime

from dotagent import errors
from dotagent.capabilities.scheduler import clock_process, jobs
from dotagent.capabilities.scheduler.rounds import Round, hand_over
from dotagent.store import disk, home, launch, watch
from dotagent.store.home import Home, Settings
from dotagent.store.watch import Watcher

LONGEST = 15.0  # seconds of sleep


def run(where: Home, lock: int | None = None) -> None:
    """Process jobs until SIGINT or SIGTERM. With a `lock` that an agent took for this process, stop when no agent needs
    the scheduler any more.

    Raises Trouble if another scheduler runs here, and Misuse for wrong settings.
    """
    settings = home.settings(where)
    disk.make_dir(where.clock)
    disk.make_dir(where.jobs)
    started, path = lock is not None, where.clock / "pid"
    if lock is None:
        lock = launch.alone(path, "the scheduler is already running, as process {}")
    launch.sign(lock, os.getpid())
    watcher, leaving = Watcher(), list[bool]()
    with watch.signalled(watcher, lambda: leaving.append(True)):
        watcher.names(where.jobs)
        print(f"the scheduler is running as process {os.getpid()}; it starts reminders and jobs", flush=True)
        _rounds(where, settings, watcher, leaving, started)
        os.close(lock)
        while started and not leaving and _is_needed(where, settings):  # an agent may have come meanwhile
            lock = disk.open_file(path, os.O_RDWR | os.O_CREAT)
            if not disk.try_lock(lock):
                break  # another scheduler is running by now
            launch.sign(lock, os.getpid())
            _rounds(where, settings, watcher, leaving, started)
            os.close(lock)
    watcher.close()


def _rounds(where: Home, settings: Settings, watcher: Watcher, leaving: list[bool], started: bool) -> None:
    """Check and sleep until a signal, or, if an agent `started` this process, until no agent needs it."""
    told = set[str]()

    def tell(text: str) -> None:
        if text not in told:  # a problem persists, so each check reports it again
            told.add(text)
            errors.tell(f"clock: {text}")

    while not leaving and (not started or _is_needed(where, settings)):
        settings = home.settings_now(where, settings)
        for name in jobs.list_names(where):
            with suppress(OSError):  # gone, or not a regular file; the check reports it
                watcher.content(where.jobs / f"{name}.toml")
        soon = hand_over(Round(where, settings, datetime.now(UTC), tell))
        left = LONGEST if soon is None else (soon - datetime.now(UTC)).total_seconds()
        watcher.wait(max(0.0, min(left, LONGEST)))


def _is_needed(where: Home, settings: Settings) -> bool:
    return where.agents.is_dir() and clock_process.is_needed(where, settings)
