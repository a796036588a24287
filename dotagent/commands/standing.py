"""List what people told an agent once for all, and change it.

It stands in the agent's context after every swap, in their own words. The agent takes a change up between two turns, as
soon as it runs; what was replaced or taken away stays in its LIFE.
"""

from __future__ import annotations

import argparse
import json

from dotagent import commands
from dotagent.compaction import wishes
from dotagent.errors import Misuse
from dotagent.life.replay import derive
from dotagent.store import disk, home, log
from dotagent.text import escape
from dotagent.text.reference import short


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which agent, and perhaps a change."""
    commands.life_argument(parser)
    parser.add_argument("--all", action="store_true", help="also what was replaced or taken away")
    parser.add_argument("--add", metavar="WORDS", help="let these words of yours stand from now on")
    parser.add_argument("--instead", metavar="N", type=int, help="with --add: in place of what stands as number N")
    parser.add_argument("--drop", metavar="N", type=int, help="take away what stands as number N")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """A line for each, or leave the change for the agent."""
    if asked.instead is not None and not asked.add:
        raise Misuse("--instead N says in place of what --add WORDS shall stand: name both")
    where = commands.home_of(asked)
    self_id = commands.life_of(asked, where)
    if asked.add is not None or asked.drop is not None:
        _change(where, self_id, asked)
    else:
        _list(where, self_id, asked)
    return 0


def _list(where: home.Home, self_id: str, asked: argparse.Namespace) -> None:
    there = {one.number for one in wishes.known(derive(where, self_id, home.settings(where).context_limit).state)}
    rows = list[commands.Row]()
    for event, line, over in wishes.trail(log.lines(where.agent(self_id) / "LIFE.md")):
        if event.number not in there and not asked.all:
            continue
        told = {"number": event.number, "who": event.who, "at": event.at, "entry": event.entry or None, "id": line.id,
                "instead": event.instead or None, "words": event.words, "over": over or None}  # fmt: skip
        named = f"#{event.entry}" if event.entry else short(line.id)
        became = ("" if event.number in there else f"by {over}" if over.isdecimal() else over or "too old",)
        words = escape.row(event.words)
        rows.append((told, (event.number, event.at[:10], event.who, named, *(became if asked.all else ()), words)))
    heads = f">number at who entry{' over' if asked.all else ''} words"
    commands.listed(asked, heads, rows, "nobody said anything once for all that has faded yet", wrap=True)


def _change(where: home.Home, self_id: str, asked: argparse.Namespace) -> None:
    path = where.agent(self_id)
    there = {one.number for one in wishes.known(derive(where, self_id, home.settings(where).context_limit).state)}
    for number in (asked.drop, asked.instead):
        if number is not None and number not in there:
            known = ", ".join(map(str, sorted(there))) or "none"
            raise Misuse(f"nothing stands as number {number}: there are {known}")
    words = escape.one_line(asked.add or "", wishes.LONGEST)
    if asked.add is not None and not words:
        raise Misuse("--add: which words shall stand? they are empty")
    told = {"drop": asked.drop, "add": words, "instead": asked.instead}
    row = json.dumps({name: one for name, one in told.items() if one}, ensure_ascii=False)
    disk.make_dir(path / "run")
    wish = path / "run" / "standing"
    before = disk.read(wish) if disk.is_file(wish) else b""
    disk.replace(wish, before + row.encode("utf-8", "replace") + b"\n")
    when = "now" if disk.is_locked(path / "LIFE.md") else "when the agent runs"
    print(f"{short(self_id)}: it is so {when}")
