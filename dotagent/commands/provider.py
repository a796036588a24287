"""Serve the providers of a home, all or one by name; agents start one by themselves.

The process that holds the keys: it takes calls from the spool, asks the model, writes the answer as it comes and
answers. One a home and provider, held by a flock; a second one says so and leaves. It leaves by itself a minute after
the last agent, or when its home is gone. Owns `calls/<provider>.pid` and `calls/providers.json`.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence

from dotagent import extensions
from dotagent.errors import Misuse
from dotagent.providers.server.worker import Worker
from dotagent.store import credentials, disk, home, launch, queue, watch
from dotagent.store.home import Home

LOOK = 20.0  # seconds between two looks at whether anybody lives here
ALONE = 60.0  # seconds without any agent after which it leaves


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which providers, and where the keys come from."""
    parser.add_argument("name", nargs="?", help="one provider; without it, every one")
    credentials.option(parser)
    parser.add_argument("--lock", type=int, metavar="FD", help="the provider's lock, held by this descriptor")


def run(asked: argparse.Namespace) -> int:
    """Serve until nobody is left to be served."""
    where = home.find(asked.home)
    home.prepare(where)
    known = extensions.names("providers")
    if asked.name and asked.name not in known:
        raise Misuse(f"no provider {asked.name!r}: there are {', '.join(known)}")
    held = credentials.take_over(where, asked.keys_on_stdin)
    given = {asked.name: asked.lock} if asked.name and asked.lock is not None else {}
    locks = given or _hold(where, [asked.name] if asked.name else known)
    if not locks:
        return 0
    for lock in locks.values():
        launch.sign(lock, os.getpid())
    signal.signal(signal.SIGTERM, lambda signum, frame: os._exit(0))  # calls that are taken go back into the spool
    signal.signal(signal.SIGINT, lambda signum, frame: os._exit(0))
    worker = Worker(where, sorted(locks), held)
    worker.catalogue.publish()
    _serve(where, sorted(locks), worker)
    return 0


def _serve(where: Home, names: list[str], worker: Worker) -> None:
    watcher = watch.watcher()
    for name in names:
        disk.make_dir(where.calls / "new" / name)
        watcher.names(where.calls / "new" / name)
    watcher.also(worker.bell)
    seen = looked = time.monotonic()
    queue.put_back(where)
    while True:
        worker.take()
        watcher.wait(worker.pause(LOOK))
        worker.answered()
        if time.monotonic() - looked < LOOK:
            continue
        looked = time.monotonic()
        if not where.calls.is_dir():
            return
        queue.put_back(where)
        worker.tend()
        if worker.busy() or any(disk.is_locked(where.agent(one) / "LIFE.md") for one in home.lives(where)):
            seen = looked
        elif looked - seen > ALONE:
            return


def _hold(where: Home, names: Sequence[str]) -> Mapping[str, int]:
    """Take the lock of each of these providers that nobody serves; say so of the others."""
    held = {}
    for name in names:
        path = where.calls / f"{name}.pid"
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if disk.try_lock(fd, seconds=2.0):  # one that was asked to leave is about to
            held[name] = fd
        else:
            print(f"dotagent: {name} is served already, by process {path.read_text().split(' ')[0]}", file=sys.stderr)
            os.close(fd)
    return held
