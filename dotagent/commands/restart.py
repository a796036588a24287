"""Start anew what `up` keeps running: all of it, or what is named: a bridge, the clock, an agent by its name or its id.

An agent that has nothing to do just leaves: it is started when it has.
"""

from __future__ import annotations

import argparse
import os
import signal
from contextlib import suppress

from dotagent import commands
from dotagent.errors import Misuse, Trouble
from dotagent.host import report
from dotagent.store import listed
from dotagent.text.reference import short


def arguments(parser: argparse.ArgumentParser) -> None:
    """What."""
    parser.add_argument("name", nargs="*", metavar="NAME", help="these only")


def run(asked: argparse.Namespace) -> int:
    """Ask each to leave; `up` starts it again."""
    where = commands.home_of(asked)
    if not report.runs(where):
        raise Trouble(f"nothing keeps {where.root} running: `up` does")
    rows = [row for row in report.read(where) if row["runs"]]
    for name in (names := [listed.life(where.root, one) or one for one in asked.name]):
        if not any(str(row["name"]).startswith(name) for row in rows):
            there = ", ".join(short(str(row["name"])) for row in rows) or "nothing"
            raise Misuse(f"{name} does not run here: {there} does")
    wanted = [row for row in rows if not names or str(row["name"]).startswith(tuple(names))]
    for row in wanted:
        with suppress(ProcessLookupError):
            os.kill(int(str(row["pid"])), signal.SIGTERM)
        print(f"{short(str(row['name'])) if row['kind'] == 'life' else row['name']} is started anew")
    return 0
