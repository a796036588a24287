"""Running the clock: look, sleep until something is due or a job changes, look again; one process a home.

It sleeps a quarter of a minute at most, since a machine's clock may be set, or the machine itself sleep, meanwhile.
Owns `clock/pid`: the lock, and in it the pid.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from datetime import UTC, datetime

from dotagent import errors
from dotagent.clock.rounds import Round, look
from dotagent.errors import Trouble
from dotagent.store import disk, home, jobs, launch
from dotagent.store.home import Home
from dotagent.store.watch import Watcher

LONGEST = 15.0  # seconds of sleep


def run(where: Home) -> None:
    """Look after jobs until SIGINT or SIGTERM. Raises Trouble when another clock runs here, Misuse for settings."""
    settings, told = home.settings(where), set[str]()

    def tell(text: str) -> None:
        if text not in told:  # what is wrong is wrong at each look
            told.add(text)
            errors.tell(f"clock: {text}")

    disk.make_dir(where.clock)
    disk.make_dir(where.jobs)
    lock = _hold(where)
    leaving, watcher = list[int](), Watcher()
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, lambda signum, frame: leaving.append(signum))
    watcher.also(read)
    watcher.names(where.jobs)
    print(f"the clock runs, as process {os.getpid()}", flush=True)
    while not leaving:
        settings = home.settings_now(where, settings)
        for name in jobs.listed(where):
            with suppress(OSError):  # it is gone, or no file: the look tells
                watcher.content(where.jobs / f"{name}.toml")
        soon = look(Round(where, settings, datetime.now(UTC), tell))
        left = LONGEST if soon is None else (soon - datetime.now(UTC)).total_seconds()
        watcher.wait(max(0.0, min(left, LONGEST)))
    signal.set_wakeup_fd(-1)
    watcher.close()
    for fd in (read, write, lock):
        os.close(fd)


def _hold(where: Home) -> int:
    """Take the clock's lock. Raises Trouble when another process has it."""
    path = where.clock / "pid"
    fd = disk.open_file(path, os.O_RDWR | os.O_CREAT)
    if not disk.try_lock(fd, seconds=2.0):  # one that was asked to leave is about to
        os.close(fd)
        raise Trouble(f"the clock runs already, as process {launch.signed(path)}: one is enough")
    launch.sign(fd, os.getpid())
    return fd
