"""Does it forget gracefully? One command, a table a claim: `python bench/forget.py [FOLDER] [--reach --recall …]`.

FOLDER holds locomo5.json; without one the bench's own small conversations, bench/data/talk.json, are used. Without an
option all tables are made, which takes some minutes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import common
import forget_cost as cost
import forget_delay as delay
import forget_lives as lives
import forget_long as long
import forget_talks as talks
from recall_sets import load


def main() -> None:
    """Make the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="holds locomo5.json")
    for name, (what, _) in TABLES.items():
        parser.add_argument(f"--{name}", action="store_true", help=what)
    asked = parser.parse_args()
    path = asked.folder / "locomo5.json" if asked.folder else lives.ROOT / "bench/data/talk.json"
    if not path.exists():
        parser.error(f"{path} is not there; leave the folder out to run on the bench's own conversations")
    wanted = [name for name in TABLES if getattr(asked, name)] or list(TABLES)
    with common.scratch(lives.MEMORY if lives.MEMORY.is_dir() else None) as scratch:
        if {"reach", "recall", "faint"} & set(wanted):
            conversations(path, talks.LIMIT if asked.folder else talks.SMALL, scratch, wanted)
        for name in wanted:
            make = TABLES[name][1]
            if make:
                make(scratch / name)


def conversations(path: Path, limit: int, scratch: Path, wanted: list[str]) -> None:
    """Feed each conversation to a life of its own, and look."""
    rows: list[list[object]] = []
    scores: talks.Scores = []
    found: list[talks.Reminded] = []
    for one in load(path):
        with talks.fed(one, scratch / one.name, limit) as fed:
            rows += [talks.reached(fed)] if "reach" in wanted else []
            scores += talks.recalled(fed, scratch / f"{one.name}.db") if "recall" in wanted else []
            found += talks.reminded(fed, scratch / one.name) if "faint" in wanted else []
    if rows:
        talks.print_reached(rows)
    if scores:
        talks.print_recalled(scores)
    if found:
        talks.print_reminded(found)


TABLES = {
    "reach": ("nothing is lost: every original is a few references away", None),
    "recall": ("it is found again: RECALL of a life that heard the conversation", None),
    "faint": ("it is reminded: what a FAINT entry names when the question is said", None),
    "cost": ("it costs less: 300 turns at 32,000 tokens beside other ways", cost.make),
    "delay": ("the conversation goes on while a compaction takes its time", delay.make),
    "long": ("a life of 10,000 turns at 4,000 tokens", long.make_long),
    "standing": ("first messages and standing instructions after ten compactions", long.make_standing),
}


if __name__ == "__main__":
    main()
