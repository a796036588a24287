"""Looking after one command that outlives its agent's turn: a process of its own, which sleeps until something happens.

It keeps what the command prints within bounds, and when the command ends, kills what that left behind, carries over
what it made (made.py), and writes how it ended into `ended`, which wakes the agent. It may die at any time: the agent
starts another.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from contextlib import suppress
from pathlib import Path

from dotagent import errors
from dotagent.store import disk, made, process, supervised
from dotagent.store.supervised import Told
from dotagent.store.watch import Watcher

PAUSE = 0.05  # seconds between two looks at what a command prints without end
LOOK = 1.0  # seconds between two looks whether it lives, where the system does not tell


def main() -> int:
    """Look after the command whose directory is named, unless somebody does."""
    folder = Path(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with disk.opened(folder / "lock", os.O_RDWR | os.O_CREAT) as lock:
        if disk.try_lock(lock, 1.0) and not (folder / "ended").exists():
            told = supervised.told(folder)
            if told:
                _attend(folder, told)
                told.end()
                with suppress(FileNotFoundError):
                    supervised.turn(folder, told.pid)
            left = made.settle(folder, folder.parent.parent)
            how = "; ".join(filter(None, (_how(folder, told), left)))
            disk.replace(folder / "ended", f"{how}\n".encode("utf-8", "replace"))
    return 0


def _attend(folder: Path, told: Told) -> None:
    """Keep its output within bounds until it has ended."""
    watch, pause = Watcher(), select.poll()
    try:
        handle = os.pidfd_open(told.pid) if sys.platform == "linux" and told.alive else -1
    except ProcessLookupError:
        return
    if handle >= 0:
        watch.also(handle)
        pause.register(handle, select.POLLIN)
    with suppress(FileNotFoundError):
        watch.content(folder / "out")
    while told.alive:
        with suppress(FileNotFoundError):  # somebody removed it: there is nothing to bound
            supervised.turn(folder, told.pid)
        watch.wait(None if handle >= 0 else LOOK)
        pause.poll(PAUSE * 1000)  # a flood is looked at now and then


def _how(folder: Path, told: Told | None) -> str:
    """How it ended, in words."""
    status = supervised.status(folder)
    if status is None:
        return "it never ran"
    if status.isdecimal():
        return f"exit status {status}"
    if told and told.boot != process.boot():
        return "it ended when the machine did"
    return "it was killed"


if __name__ == "__main__":
    sys.exit(errors.edge(main))
