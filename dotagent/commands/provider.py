"""Serve the providers of a home, all or one by name; agents start one by themselves.

The process that holds the keys: it takes calls from the spool, asks the model, writes the answer as it comes and
answers. One a home and provider, held by a flock; a second one says so and leaves. It leaves by itself a minute after
the last agent, or when its home is gone. Owns `calls/<provider>.pid` and `calls/providers.json`.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import signal
import sys
import time
from collections.abc import Mapping

from dotagent import calls, disk, home, serving, watch
from dotagent.commands.desk import Desk
from dotagent.errors import Misuse
from dotagent.home import Home

LOOK = 20.0  # seconds between two looks at whether anybody lives here
ALONE = 60.0  # seconds without any agent after which it leaves
PR_SET_DUMPABLE = 4


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which providers, and where the keys come from."""
    parser.add_argument("name", nargs="?", help="one provider; without it, every one")
    parser.add_argument(
        "--keys-on-stdin", action="store_true", help="take the credentials from stdin, as a JSON object"
    )
    parser.add_argument("--lock", type=int, metavar="FD", help="the provider's lock, held by this descriptor")


def run(asked: argparse.Namespace) -> int:
    """Serve until nobody is left to be served."""
    where = home.find(asked.home)
    home.prepare(where)
    known = serving.modules()
    if asked.name and asked.name not in known:
        raise Misuse(f"no provider {asked.name!r}: there are {', '.join(known)}")
    keys = _keys(where, asked.keys_on_stdin)
    given = {asked.name: asked.lock} if asked.name and asked.lock is not None else {}
    locks = given or _hold(where, [asked.name] if asked.name else known)
    if not locks:
        return 0
    for lock in locks.values():
        serving.sign(lock, os.getpid())
    signal.signal(signal.SIGTERM, lambda signum, frame: os._exit(0))  # calls that are taken go back into the spool
    signal.signal(signal.SIGINT, lambda signum, frame: os._exit(0))
    desk = Desk(where, sorted(locks), keys)
    desk.publish()
    _serve(where, sorted(locks), desk)
    return 0


def _serve(where: Home, names: list[str], desk: Desk) -> None:
    watcher = watch.watcher()
    for name in names:
        disk.make_dir(where.calls / "new" / name)
        watcher.names(where.calls / "new" / name)
    watcher.also(desk.bell)
    seen = looked = time.monotonic()
    calls.put_back(where)
    while True:
        desk.take()
        watcher.wait(LOOK)
        desk.answered()
        if time.monotonic() - looked < LOOK:
            continue
        looked = time.monotonic()
        if not where.calls.is_dir():
            return
        calls.put_back(where)
        if desk.busy() or any(disk.is_locked(where.agent(one) / "LIFE.md") for one in home.lives(where)):
            seen = looked
        elif looked - seen > ALONE:
            return


def _keys(where: Home, on_stdin: bool) -> dict[str, str]:
    """The credentials: of the caller, over those of the home's .env; no first environment of ours ever shows them."""
    clean, secrets = home.split_secrets(os.environ)
    if secrets:  # started by hand: hand them to ourselves through a pipe
        read, write = os.pipe()
        os.write(write, json.dumps(secrets).encode())
        os.close(write)
        os.dup2(read, 0)
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:], "--keys-on-stdin"], clean)
    _close_to_others()
    given: object = json.loads(sys.stdin.buffer.read() or b"{}") if on_stdin else {}
    if not isinstance(given, dict):
        raise Misuse("--keys-on-stdin: a JSON object of names and values")
    return {**home.env_file(where), **{str(name): str(value) for name, value in given.items()}}


def _close_to_others() -> None:
    """Make the process not dumpable: its memory and environment are closed to its own user too (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def _hold(where: Home, names: list[str]) -> Mapping[str, int]:
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
