"""The loop of a provider's process: it takes calls, has them answered and leaves when nobody needs it any more.

It wakes up when a call is placed, when a thread is done and every LOOK seconds. It leaves ALONE seconds after the last
agent, or when its home is gone. Owns `calls/<provider>.pid`: the lock, and in it the pid.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence

from dotagent.providers.server.worker import Worker
from dotagent.store import disk, home, launch, queue, watch
from dotagent.store.home import Home

LOOK = 20.0  # seconds between two looks at whether anybody lives here
ALONE = 60.0  # seconds without any agent after which it leaves


def serve(where: Home, locks: Mapping[str, int], held: Mapping[str, str], alone: float = ALONE) -> None:
    """Serve the providers whose locks these are, with these credentials, until nobody is left to be served."""
    for lock in locks.values():
        launch.sign(lock, os.getpid())
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, lambda signum, frame: os._exit(0))  # calls that are taken go back into the spool
    worker = Worker(where, sorted(locks), held)
    worker.catalogue.publish()
    watcher = watch.Watcher()
    for name in sorted(locks):
        disk.make_dir(where.calls / "new" / name)
        watcher.new(where.calls / "new" / name)  # what this process takes from there need not wake it
    watcher.also(worker.bell)
    look = min(LOOK, alone)
    seen = looked = time.monotonic()
    queue.put_back(where)
    queue.sweep(where)
    while True:
        worker.take()
        watcher.wait(worker.pause(look))
        worker.answered()
        if time.monotonic() - looked < look:
            continue
        looked = time.monotonic()
        if not where.calls.is_dir():
            return
        queue.put_back(where)
        worker.tend()
        if worker.busy() or any(disk.is_locked(where.agent(one) / "LIFE.md") for one in home.lives(where)):
            seen = looked
        elif looked - seen > alone:
            return


def hold(where: Home, names: Sequence[str]) -> dict[str, int]:
    """Take the lock of each of these providers that nobody serves; say so of the others."""
    held = {}
    for name in names:
        path = where.calls / f"{name}.pid"
        fd = disk.open_file(path, os.O_RDWR | os.O_CREAT)
        if disk.try_lock(fd, seconds=2.0):  # one that was asked to leave is about to
            held[name] = fd
        else:
            print(f"dotagent: {name} is served already, by process {launch.signed(path)}", file=sys.stderr)
            os.close(fd)
    return held
