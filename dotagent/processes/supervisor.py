"""The supervisor of one command that outlives its agent's turn: a separate process that sleeps until something happens.

It limits the command's output and disk use. When the command ends, it kills remaining processes and writes `ended`,
which starts the agent's next step. If it crashes, the agent starts another. Owns `ended` and the lock.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from contextlib import suppress
from pathlib import Path

from dotagent import errors
from dotagent.processes import background, space
from dotagent.processes.background import Told
from dotagent.store import disk, process, reserved_names
from dotagent.store.watch import Watcher

PAUSE = 0.05  # seconds between two checks of endless output


def main() -> int:
    """Supervise the command in the given directory, unless another process does."""
    folder = Path(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with disk.open_regular(folder / "lock", os.O_RDWR | os.O_CREAT) as lock:
        if disk.try_lock(lock, 1.0) and not (folder / "ended").exists():
            told, why = background.read_process(folder), ""
            if told:
                why = _attend(folder, told)
                told.end()
                with suppress(FileNotFoundError):
                    background.turn(folder, told.pid)
            disk.replace(folder / "ended", f"{why or _how(folder, told)}\n".encode("utf-8", "replace"))
    return 0


def _attend(folder: Path, told: Told) -> str:
    """Limit the command's output until it ends. Return why it must be stopped, or ""."""
    watch, pause = Watcher(), select.poll()
    left = space.saved_limits(folder, folder.parent.parent / reserved_names.WORK)
    try:
        handle = os.pidfd_open(told.pid) if sys.platform == "linux" and told.alive else -1
    except ProcessLookupError:
        return ""
    if handle >= 0:
        watch.also(handle)
        pause.register(handle, select.POLLIN)
    with suppress(FileNotFoundError):
        watch.content(folder / "out")
    while told.alive:
        with suppress(FileNotFoundError):  # someone removed it, so it needs no limit
            background.turn(folder, told.pid)
        if why := left.exceeded(told.pid):
            return f"stopped: {why}"
        watch.wait(left.pause())
        pause.poll(PAUSE * 1000)  # limits how often a flood of output is checked
    return ""


def _how(folder: Path, told: Told | None) -> str:
    """Return how it ended, in words."""
    status = background.status(folder)
    if status is None:
        return "it never ran"
    if status.isdecimal():
        return f"exit status {status}"
    if told and told.boot != process.boot():
        return "it ended because the machine stopped"
    return "it was killed"


if __name__ == "__main__":
    sys.exit(errors.edge(main))
