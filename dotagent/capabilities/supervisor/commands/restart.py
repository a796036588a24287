"""Restart what `up` runs: everything, or the parts you name.

An agent that has nothing to do only exits. `up` starts this agent again when the agent has work.
"""

from __future__ import annotations

import argparse
import os
import signal
from contextlib import suppress

from dotagent import commands, installed
from dotagent.capabilities.supervisor import report
from dotagent.errors import Misuse, Trouble
from dotagent.store import named_agents
from dotagent.text.reference import short

GROUP = "daily"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names."""
    parser.add_argument("name", nargs="*", metavar="NAME", help="restart only these processes (default: everything)")


def run(asked: argparse.Namespace) -> int:
    """Stop each part; `up` starts it again."""
    where = commands.home_of(asked)
    if not report.runs(where):
        raise Trouble(
            f"`dotagent up` is not running with the data directory {where.root}; start it with "
            f"`{installed.program('up')}`"
        )
    rows = [row for row in report.read(where) if row["runs"]]
    for name in (names := [named_agents.life(where.root, one) or one for one in asked.name]):
        if not any(str(row["name"]).startswith(name) for row in rows):
            there = ", ".join(short(str(row["name"])) for row in rows) or "nothing"
            raise Misuse(f"no process {name} is running here; the running processes are: {there}")
    wanted = [row for row in rows if not names or str(row["name"]).startswith(tuple(names))]
    for row in wanted:
        with suppress(ProcessLookupError):
            os.kill(int(str(row["pid"])), signal.SIGTERM)
        print(f"{short(str(row['name'])) if row['kind'] == 'life' else row['name']} is restarted")
    return 0
