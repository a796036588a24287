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
from dotagent.store import home, lives
from dotagent.store.watch import Watcher
from dotagent.text.reference import short

GROUP = "daily"

PATIENCE = 20.0  # seconds


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def run(asked: argparse.Namespace) -> int:
    """Stop `up`, and wait until it has ended."""
    where = commands.home_of(asked)
    pid = report.runs(where)
    if not pid.isdecimal():
        alone = [
            f"agent {short(one)} runs without `up`: `kill {number}` stops it"
            for one in home.lives(where)
            if lives.runs(where, one) and (number := lives.pid(where, one))
        ]
        raise Trouble("; ".join([f"`dotagent up` is not running with the data directory {where.root}", *alone]))
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
