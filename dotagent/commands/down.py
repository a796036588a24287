"""End what `up` keeps running: its agents at their next step, bridges, clock and providers; nothing is lost."""

from __future__ import annotations

import argparse
import os
import signal
import time
from contextlib import suppress

from dotagent import commands
from dotagent.errors import Trouble
from dotagent.host import report
from dotagent.store.watch import Watcher

PATIENCE = 20.0  # seconds


def arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing of its own."""


def run(asked: argparse.Namespace) -> int:
    """Ask it to end, and wait until it has."""
    where = commands.home_of(asked)
    pid = report.runs(where)
    if not pid.isdecimal():
        raise Trouble(f"nothing keeps {where.root} running")
    watcher, end = Watcher(), time.monotonic() + PATIENCE
    watcher.names(where.up)
    with suppress(ProcessLookupError):
        os.kill(int(pid), signal.SIGTERM)
    while report.runs(where):
        if time.monotonic() > end:
            raise Trouble(f"process {pid} does not leave: see {where.up / 'up.log'}")
        watcher.wait(0.05)
    print(f"{where.root} rests")
    return 0
