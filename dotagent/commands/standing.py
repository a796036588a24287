"""List and edit an agent's standing instructions.

A standing instruction, such as "always answer in German", stays permanently in the text that the model reads, in the
person's own words. A running agent notices your change between two turns, and a stopped agent when it runs again. The
agent's log LIFE.md still contains replaced and removed instructions.
"""

from __future__ import annotations

import argparse
import json

from dotagent import commands
from dotagent.compaction import standing_wishes
from dotagent.errors import Misuse
from dotagent.life.replay import derive
from dotagent.store import disk, home, lineage
from dotagent.text import escape, times
from dotagent.text.reference import short

GROUP = "inside"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the agent and a change."""
    commands.life_argument(parser)
    parser.add_argument("--all", action="store_true", help="also list replaced and removed instructions")
    parser.add_argument("--add", metavar="WORDS", help="add this standing instruction")
    parser.add_argument("--instead", metavar="N", type=int, help="with --add: replace instruction number N")
    parser.add_argument("--drop", metavar="N", type=int, help="remove instruction number N")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """List the instructions, or save the change for the agent."""
    if asked.instead is not None and not asked.add:
        raise Misuse("--instead N needs --add WORDS too: the new words replace instruction N")
    where = commands.home_of(asked)
    self_id = commands.life_of(asked, where)
    if asked.add is not None or asked.drop is not None:
        _change(where, self_id, asked)
    else:
        _list(where, self_id, asked)
    return 0


def _list(where: home.Home, self_id: str, asked: argparse.Namespace) -> None:
    there = {
        one.number
        for one in standing_wishes.list_wishes(derive(where, self_id, home.settings(where).context_limit).state)
    }
    rows = list[commands.Row]()
    for event, line, over in standing_wishes.trail(
        lineage.picked(where.store(), where.agent(self_id), standing_wishes.WORDS)
    ):
        if event.number not in there and not asked.all:
            continue
        told = {"number": event.number, "who": event.who, "at": event.at, "entry": event.entry or None, "id": line.id,
                "instead": event.instead or None, "words": event.words, "over": over or None}  # fmt: skip
        named = f"#{event.entry}" if event.entry else short(line.id)
        became = "" if event.number in there else f"by {over}" if over.isdecimal() else over or "too old"
        cells = [event.number, times.format_stamp(event.at, 10), event.who, named]
        cells += [became] if asked.all else []
        rows.append((told, (*cells, escape.row(event.words))))
    heads = f">number at who entry{' over' if asked.all else ''} words"
    empty = "no standing instructions yet; when a summary replaces old messages, their instructions appear here"
    commands.print_list(asked, heads, rows, empty, wrap=True)


def _change(where: home.Home, self_id: str, asked: argparse.Namespace) -> None:
    path = where.agent(self_id)
    there = {
        one.number
        for one in standing_wishes.list_wishes(derive(where, self_id, home.settings(where).context_limit).state)
    }
    for number in (asked.drop, asked.instead):
        if number is not None and number not in there:
            known = ", ".join(map(str, sorted(there))) or "none"
            raise Misuse(f"no standing instruction has number {number}; the numbers are: {known}")
    words = escape.one_line(asked.add or "", standing_wishes.LONGEST)
    if asked.add is not None and not words:
        raise Misuse("--add: the instruction is empty")
    told = {"drop": asked.drop, "add": words, "instead": asked.instead}
    row = json.dumps({name: one for name, one in told.items() if one}, ensure_ascii=False)
    disk.make_dir(path / "run")
    wish = path / "run" / "standing"
    before = disk.read(wish) if disk.is_file(wish) else b""
    disk.replace(wish, before + row.encode("utf-8", "replace") + b"\n")
    when = "now" if disk.is_locked(path / "LIFE.md") else "when the agent runs next"
    print(f"the standing instructions of agent {short(self_id)} change {when}")
