"""The loop of a provider's process: it takes calls, has them answered and exits when it is no longer needed.

It wakes for a new call, a finished thread, and every LOOK seconds. It exits ALONE seconds after the last agent, or when
its home is gone. Owns `calls/<provider>.pid`: the lock, with the pid.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence

from dotagent.providers.server.worker import Worker
from dotagent.store import disk, home, launch, queue, taken_calls, watch
from dotagent.store.home import Home

LOOK = 20.0  # seconds between two checks for running agents
ALONE = 60.0  # seconds without agents after which it exits


def serve(where: Home, locks: Mapping[str, int], held: Mapping[str, str], alone: float = ALONE) -> None:
    """Serve the providers with these locks and credentials, until no one needs them."""
    for lock in locks.values():
        launch.sign(lock, os.getpid())
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, lambda signum, frame: os._exit(0))  # taken calls return to the queue
    worker = Worker(where, sorted(locks), held)
    worker.catalogue.publish()
    watcher = watch.Watcher()
    for name in sorted(locks):
        disk.make_dir(where.calls / "new" / name)
        watcher.new(where.calls / "new" / name)  # taking a call from there need not wake this process
    watcher.also(worker.bell)
    look = min(LOOK, alone)
    seen = looked = time.monotonic()
    taken_calls.put_back(where)
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
        taken_calls.put_back(where)
        worker.tend()
        if worker.busy() or any(disk.is_locked(where.agent(one) / "LIFE.md") for one in home.lives(where)):
            seen = looked
        elif looked - seen > alone:
            return


def hold(where: Home, names: Sequence[str]) -> dict[str, int]:
    """Take the lock of each provider that is not served, and report the others."""
    held = {}
    for name in names:
        path = where.calls / f"{name}.pid"
        fd = disk.open_file(path, os.O_RDWR | os.O_CREAT)
        if disk.try_lock(fd, seconds=2.0):  # a process that was asked to exit may still have it
            held[name] = fd
        else:
            print(
                f"dotagent: process {launch.signed(path)} already sends the requests to the provider {name}",
                file=sys.stderr,
            )
            os.close(fd)
    return held
