"""Run the scheduler: jobs, reminders and heartbeats.

The scheduler is one process, which ends on SIGINT (Ctrl-C) and SIGTERM. If a job was due while the scheduler was not
running, the job runs after the next start. An agent that has jobs starts the scheduler by itself. docs/clock.md
explains jobs, and the command `cron` lists them.
"""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.capabilities.scheduler import serve
from dotagent.store import home

GROUP = "daily"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the lock that an agent hands over when it starts the scheduler."""
    parser.add_argument("--lock", type=int, metavar="FD", help="for dotagent itself: the file descriptor of the lock")


def run(asked: argparse.Namespace) -> int:
    """Run the scheduler until SIGINT or SIGTERM."""
    where = home.find(asked.home)
    home.prepare(where)
    serve.run(where, commands.lock_of(asked, where.clock / "pid"))
    return 0
