"""Is memory as good as it must be? `python bench/floors.py eval|canary` prints a line, and fails below the floor.

`eval` asks RECALL the questions of bench/data/talk.json. `canary` tells an agent twenty facts, goes on about other
things for ten compactions without a model, and asks RECALL for each. Neither needs a network or takes two minutes.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

import common
import forget_lives as lives
from forget_lives import ROOM, Clock, prose
from recall_sets import DEPTH, load, measures, ours

from dotagent.search.feed import Feed
from dotagent.search.index import Index

FLOORS = {"eval": 90.0, "canary": 95.0}  # percent that is found among the first five
FACTS, SWAPS, LIMIT, FIRST = 20, 10, 3000, 5
WORDS = "anvil badger cobalt dahlia ember falcon garnet hazel indigo juniper".split()
THINGS = "boat cellar ledger violin garden kiln tractor wardrobe bicycle lantern".split()


def evaluated(folder: Path) -> float:
    """The share of questions of which RECALL finds a part of the evidence among the first."""
    found = list[float]()
    for number, talk in enumerate(load(common.ROOT / "bench/data/talk.json")):
        index = Index(folder / f"{number}.db")
        index.add(talk.turns)
        rank = ours(index)
        found += (measures(rank(one.text, DEPTH), one.gold)[1] for one in talk.questions)
        index.close()
    return 100 * sum(found) / len(found)


def canaries(folder: Path) -> float:
    """The share of facts that RECALL finds among the first after the compactions."""
    draw, facts = random.Random(1), list[tuple[str, str]]()
    for number in range(FACTS):
        thing, code = THINGS[number % len(THINGS)], f"{WORDS[number % 7]}-{draw.randrange(1000, 9999)}"
        facts.append((f"{WORDS[9 - number // 2 % 10]} {thing}", code))
    with lives.life(folder / "home", LIMIT, lives.answering("Noted, and on to the next.")) as lived:
        for about, code in facts:
            lived.say(f"The code of the {about} is {code}.", "ana", ROOM)
            Clock().run(lived)
        while lives.count(lived, "SWAP") < SWAPS:
            lived.say(prose(120, draw), "ana", ROOM)
            Clock().run(lived)
        feed = Feed(lived.session.path, lived.session.store, lived.session.owner)
        store, hits = lived.session.store, 0
        for about, code in facts:
            told = feed.search(f"code of the {about}", FIRST)
            hits += any(code.encode() in store.get(hit.turn.id).body for hit in told)
        feed.close()
    return 100 * hits / len(facts)


def main() -> int:
    """Measure, print, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", choices=sorted(FLOORS))
    parser.add_argument("--floor", type=float, help="percent (default: as stated in this file)")
    asked = parser.parse_args()
    which, floor = asked.which, FLOORS[asked.which] if asked.floor is None else asked.floor
    with tempfile.TemporaryDirectory() as folder:
        share = (evaluated if which == "eval" else canaries)(Path(folder))
    print(f"{which}: {share:.1f} % found among the first {FIRST}; the floor is {floor:g} %")
    return int(share < floor)


if __name__ == "__main__":
    sys.exit(main())
