"""Approve a person by pairing code, or list requests.

A bridge connects a chat network, such as Telegram, to dotagent. A person that the bridge does not know gets a pairing
code from the bridge. Run `pair CODE` to let this person write to your agent. The bridge notices the approval by itself,
even if you start the bridge later. The command saves the approval in `bridges/<name>/pairs.jsonl`.
"""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.bridges.pattern import pairs
from dotagent.text import escape, times

GROUP = "setup"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the code."""
    parser.add_argument(
        "code", nargs="?", metavar="CODE", help="the pairing code of 8 letters that the person received"
    )
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Approve the code, or list the waiting requests."""
    where = commands.home_of(asked)
    if asked.code:
        bridge, one = pairs.approve(where.bridges, asked.code)
        print(f"{escape.one_line(one['name'])} ({escape.one_line(one['id'])}) may now write on {bridge}")
        return 0
    rows = list[commands.Row]()
    for bridge, one in pairs.list_waiting(where.bridges):
        told = {"bridge": bridge, **{name: one[name] for name in ("code", "name", "id", "at")}}
        rows.append((told, (one["code"], bridge, one["name"], one["id"], times.format_stamp(one["at"], 19))))
    commands.print_list(asked, "code bridge name id since", rows, "no pairing requests")
    return 0
