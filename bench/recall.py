"""Is it found again? Feeds conversations whose questions name their evidence into the index of RECALL, and prints how
often the evidence comes first among as many results as the tool asks for, beside plain FTS5 over everything and over
the person's messages. `python bench/recall.py [FOLDER] [--beam DIR] [--memora DIR] [--like] [--one-life]`: FOLDER holds
locomo5.json; without one, bench/data/talk.json. The other folders can be given several times. BEAM's odd chats may be
tuned to, the even ones and Memora not. --like adds a row with the local embedding model."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import common
from common import markdown, percentile
from recall_sets import (
    AGENT,
    DEPTH,
    LIKE,
    SHOWN,
    Meaning,
    Talk,
    beam,
    load,
    mean,
    measures,
    memora,
    ours,
    plain,
    shown,
    timed,
)

from dotagent.search.index import Index
from dotagent.search.turn import Passage

PLAIN, PERSONS = "plain FTS5 bm25", "plain, the person's messages"
MEASURES = ("any@1", "any@5", "any@10", "all@10", "MRR")


def judge(name: str, talks: Sequence[Talk], folder: Path, meaning: Meaning | None) -> Iterator[list[str | float]]:
    """A row of the table for each ranking, over all questions of a set."""
    scores: dict[str, list[list[float]]] = {}
    times = list[float]()
    for number, one in enumerate(talks):
        index = Index(folder / f"{name}-{number}.db")
        index.add(one.turns)
        person = [turn for turn in one.turns if turn.speaker != AGENT]
        ranks = {PLAIN: plain(one.turns), PERSONS: plain(person), "RECALL": ours(index), SHOWN: shown(index)}
        if meaning:
            ranks[LIKE] = ours(index, meaning.of(index))
        for question in one.questions:
            for of, rank in ranks.items():
                places = list(dict.fromkeys(map(one.place, rank(question.text, DEPTH))))
                scores.setdefault(of, []).append(measures(places, question.gold))
            times.append(timed(index.search, question.text))
        index.close()
    for of, found in scores.items():
        spent = f"{percentile(times, 0.95):.1f}" if of == "RECALL" else ""
        yield [f"{name} ({len(found)}): {of}", *mean(found), spent]


def in_one_life(sets: Mapping[str, Sequence[Talk]], folder: Path) -> None:
    """All conversations in one life, each in a room of its own. A search cannot read all that matches in a long life,
    so this tells what it misses."""
    index, number = Index(folder / "whole.db"), 0
    asked = list[tuple[str, Talk, str, str, frozenset[str]]]()
    for name, talks in sets.items():
        for n, one in enumerate(talks):
            room = f"{name}-{n}"
            index.add(Passage(number + i, f"{room}/{turn.id}", room, turn.speaker, turn.at, turn.text)
                      for i, turn in enumerate(one.turns, 1))  # fmt: skip
            number += len(one.turns)
            asked += [(name, one, room, each.text, each.gold) for each in one.questions]
    found: dict[str, list[list[float]]] = {}
    for name, one, room, text, gold in asked:
        parts = [id.rpartition("/") for id in ours(index)(text, DEPTH)]
        places = list(dict.fromkeys((of, one.place(id)) for of, _, id in parts))
        found.setdefault(name, []).append(measures([id if of == room else "" for of, id in places], gold))
    times = [timed(index.search, text) for _, _, _, text, _ in asked[:: max(1, len(asked) // 300)]]
    index.close()
    markdown((f"RECALL in one life of {number:,} turns, %", *MEASURES),
             [[f"{name} ({len(rows)})", *mean(rows)] for name, rows in found.items()])  # fmt: skip
    print(f"one query: {sum(times) / len(times):.1f} ms, 95 of 100 within {percentile(times, 0.95):.1f} ms\n")


def halves(name: str, chats: Sequence[Talk]) -> dict[str, list[Talk]]:
    """BEAM's chats by whether the ranking may be tuned to them."""
    return {f"{name} {half}": [one for one in chats if int(one.name) % 2 == odd]
            for odd, half in ((1, "odd"), (0, "even"))}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="holds locomo5.json")
    parser.add_argument("--beam", type=Path, action="append", default=[], help="BEAM's chats/100K or chats/500K")
    parser.add_argument(
        "--memora", type=Path, action="append", default=[], help="Memora's data/weekly, or a longer one"
    )
    parser.add_argument("--like", action="store_true", help="also with the local embedding model ([embedding])")
    parser.add_argument("--one-life", action="store_true", help="also with all conversations in one life")
    asked = parser.parse_args()
    path = asked.folder / "locomo5.json" if asked.folder else common.ROOT / "bench/data/talk.json"
    if not path.exists():
        parser.error(f"{path} is not there; leave the folder out to run on the bench's own conversations")
    sets = {"LoCoMo" if asked.folder else "a small set of our own": load(path)}
    for chats in asked.beam:
        sets |= halves(f"BEAM {chats.name}", beam(chats))
    sets |= {f"Memora {period.name}": memora(period) for period in asked.memora}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        meaning = Meaning() if asked.like else None
        rows = [row for of, talks in sets.items() for row in judge(of, talks, folder, meaning)]
        markdown(("evidence found, % (questions)", *MEASURES, "ms, 95 of 100"), rows)
        if asked.one_life:
            in_one_life(sets, folder)


if __name__ == "__main__":
    main()
