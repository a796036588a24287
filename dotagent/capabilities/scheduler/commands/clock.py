"""Run the scheduler: jobs, reminders and heartbeats.

Each home has one clock. The clock ends on SIGINT (Ctrl-C) and SIGTERM. If a job was due while no clock was running, the
next clock runs the job. An agent that has jobs starts a clock by itself. docs/clock.md explains the clock, and the
command `cron` lists the jobs.
"""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.capabilities.scheduler import serve
from dotagent.store import home

GROUP = "daily"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the lock that an agent hands over when it starts the clock."""
    parser.add_argument("--lock", type=int, metavar="FD", help="the open file descriptor that holds the clock's lock")


def run(asked: argparse.Namespace) -> int:
    """Run the clock until SIGINT or SIGTERM."""
    where = home.find(asked.home)
    home.prepare(where)
    serve.run(where, commands.lock_of(asked, where.clock / "pid"))
    return 0
