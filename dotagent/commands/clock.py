"""Run the clock of a home: jobs, reminders and heartbeats, each when it is due.

One process a home; it ends on SIGINT and SIGTERM, and what is due meanwhile is made up for when it runs again. See
docs/clock.md, and `cron` for the jobs.
"""

from __future__ import annotations

import argparse

from dotagent.clock import serve
from dotagent.store import home


def arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing of its own."""


def run(asked: argparse.Namespace) -> int:
    """Look after jobs until told to end."""
    where = home.find(asked.home)
    home.prepare(where)
    serve.run(where)
    return 0
