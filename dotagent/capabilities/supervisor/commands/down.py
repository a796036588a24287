"""Stop everything that `up` runs."""

from __future__ import annotations

import argparse
import os
import signal
import time
from contextlib import suppress

from dotagent import commands
from dotagent.capabilities.supervisor import report
from dotagent.errors import Trouble
from dotagent.store.watch import Watcher

GROUP = "daily"

PATIENCE = 20.0  # seconds


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def run(asked: argparse.Namespace) -> int:
    """Stop `up`, and wait until it has ended."""
    where = commands.home_of(asked)
    pid = report.runs(where)
    if not pid.isdecimal():
        raise Trouble(f"`dotagent up` is not running with the data directory {where.root}")
    watcher, end = Watcher(), time.monotonic() + PATIENCE
    watcher.names(where.up)
    with suppress(ProcessLookupError):
        os.kill(int(pid), signal.SIGTERM)
    while report.runs(where):
        if time.monotonic() > end:
            raise Trouble(f"process {pid} did not exit in time; see {where.up / 'up.log'}")
        watcher.wait(0.05)
    print(f"{where.root} rests")
    return 0
