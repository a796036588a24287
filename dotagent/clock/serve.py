"""Running the clock: look, sleep until something is due or a job changes, look again; one process a home.

It sleeps a quarter of a minute at most, since a machine's clock may be set, or the machine itself sleep, meanwhile.
Owns `clock/pid`: the lock, and in it the pid.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime

from dotagent import errors
from dotagent.clock.rounds import Round, look
from dotagent.store import disk, home, jobs, launch, watch
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
    lock = launch.alone(where.clock / "pid", "the clock runs already, as process {}: one is enough")
    watcher, leaving = Watcher(), list[bool]()
    with watch.signalled(watcher, lambda: leaving.append(True)):
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
    watcher.close()
    os.close(lock)
