"""Check whether a home needs the process of its scheduler now, and start it. A home has at most one.

A running agent starts the process if the home has jobs, or if a running agent has a HEARTBEAT.md with items. The
process then exits when neither is true. `up` and `dotagent clock` run it permanently. Owns `clock/clock.log`, the
output of a scheduler that an agent started, and the lock `clock/pid` until the process signs it.
"""

from __future__ import annotations

import os
import sys

from dotagent.capabilities.scheduler import checklist, jobs, options
from dotagent.errors import Misuse
from dotagent.store import child_processes, disk, home, launch, lives, variables
from dotagent.store.home import Home, Settings
from dotagent.text import encoding

LIST = "HEARTBEAT.md"
LOOK = 15.0  # seconds until an idle agent checks again that the scheduler it needs still runs


def is_needed(where: Home, settings: Settings) -> bool:
    """Return whether an agent runs for which something is or may become due."""
    awake = [one for one in home.lives(where) if lives.runs(where, one)]
    return any(_needs(where, settings, one) for one in awake)


def _needs(where: Home, settings: Settings, self_id: str) -> bool:
    """Return whether something is or may become due for this agent while it runs."""
    beats = options.heartbeat(settings).get("every") != "off" and _has_list(where, self_id)
    return beats or has_jobs(where)


def has_jobs(where: Home) -> bool:
    """Return whether a job of this home is enabled."""
    return any(_is_on(where, name) for name in jobs.list_names(where))


def runs(where: Home) -> bool:
    """Return whether the scheduler runs in this home."""
    return disk.is_locked(where.clock / "pid")


def ensure(where: Home, settings: Settings, self_id: str) -> float | None:
    """Start the scheduler if this running agent needs it and it does not run. Return the seconds until the next check,
    None for never."""
    if not _needs(where, settings, self_id):
        return None
    if not runs(where):
        _start(where)
    return LOOK


def _start(where: Home) -> None:
    """Start the process with the lock already held, so that no one else starts a second one meanwhile."""
    disk.make_dir(where.clock)
    with disk.open_regular(where.clock / "pid", os.O_RDWR | os.O_CREAT) as lock:
        if not disk.try_lock(lock):
            return
        words = [sys.executable, "-m", "dotagent", "clock", "--home", str(where.root), "--lock", str(lock)]
        with disk.open_regular(where.clock / "clock.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT) as log:
            child = child_processes.start(words, log, env=variables.split(os.environ)[0], held=(lock,))
        launch.sign(lock, child.pid)
    child_processes.leave(child)


def _is_on(where: Home, name: str) -> bool:
    try:
        return jobs.read(where, name).enabled
    except Misuse:
        return False


def _has_list(where: Home, self_id: str) -> bool:
    try:
        text = disk.read(where.agent(self_id) / LIST, checklist.MOST)
    except OSError:
        return False
    return checklist.has_content(encoding.utf8(text).decode("utf-8", "replace"))
