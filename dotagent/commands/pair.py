"""Let in a person whom a bridge gave a code; without a code, list who asks.

The bridge notices by itself, also when it is started later. Writes `bridges/<name>/pairs.jsonl` of that bridge.
"""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.bridges.pattern import pairs
from dotagent.text import escape


def arguments(parser: argparse.ArgumentParser) -> None:
    """The code."""
    parser.add_argument("code", nargs="?", metavar="CODE", help="the 8 letters that the person was given")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Approve the code, or list those that wait."""
    where = commands.home_of(asked)
    if asked.code:
        bridge, one = pairs.approve(where.bridges, asked.code)
        print(f"{escape.one_line(one['name'])} ({escape.one_line(one['id'])}) is let in on {bridge}")
        return 0
    rows = list[commands.Row]()
    for bridge, one in pairs.listed(where.bridges):
        told = {"bridge": bridge, **{name: one[name] for name in ("code", "name", "id", "at")}}
        rows.append((told, (one["code"], bridge, one["name"], one["id"], f"{one['at'][:19]}Z")))
    commands.listed(asked, "code bridge name id since", rows, "nobody asks to be let in")
    return 0
