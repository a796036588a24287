"""Is it found again? Feeds conversations whose questions name the turns that answer them into the index of RECALL, and
prints how often these turns come first among as many as the tool asks for, beside plain FTS5 over everything and over
the person's messages. `python bench/recall.py [FOLDER] [--beam FOLDER] [--like] [--one-life]`: FOLDER holds
locomo5.json; without one, bench/data/talk.json. BEAM's is its chats/100K, a judge to which nothing shall be tuned but
chats 1 to 10, so its halves are told apart. --like adds a row with the local embedding model."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import common
from common import markdown, percentile
from recall_sets import (
    AGENT,
    DEPTH,
    KINDS,
    LIKE,
    SHOWN,
    Meaning,
    Rank,
    Talk,
    beam,
    exchanges,
    load,
    mean,
    measures,
    ours,
    plain,
    shown,
    timed,
)

from dotagent.search.index import Index
from dotagent.search.turn import Passage

PLAIN, PERSONS = "plain FTS5 bm25", "the same, the person's messages"


def found_again(talks: Sequence[Talk], indexes: Sequence[Index], meaning: Meaning | None = None) -> None:
    names = ("any@1", "any@3", "any@5", "any@10", "all@5", "all@10", "MRR")
    scores: dict[str, list[tuple[int, list[float]]]] = {}
    times: list[float] = []
    for one, index in zip(talks, indexes, strict=True):
        person = [turn for turn in one.turns if turn.speaker != AGENT]
        ranks: dict[str, Rank] = {
            PLAIN: plain(one.turns),
            PERSONS: plain(person),
            "RECALL": ours(index),
            SHOWN: shown(index),
        }
        if meaning:
            ranks[LIKE] = ours(index, meaning.of(index))
        for question in one.questions:
            for name, rank in ranks.items():
                scores.setdefault(name, []).append((question.kind, measures(rank(question.text, DEPTH), question.gold)))
            times.append(timed(index.search, question.text))
    rows: list[list[str | float]] = []
    for name, scored in scores.items():
        for kind, title in [*KINDS.items(), (0, "total")]:
            part = [values for own, values in scored if own == kind or not kind]
            if part:
                rows.append([f"{name}, {title} ({len(part)})", *mean(part)])
    markdown(("RECALL finds the evidence, %", *names), rows)
    print(f"one query of 10: {sum(times) / len(times):.2f} ms, 95 of 100 within {percentile(times, 0.95):.2f} ms\n")


TUNED = 10  # BEAM's chats to which the ranking was tuned


def talked(talks: Sequence[Talk], folder: Path, meaning: Meaning | None) -> None:
    """BEAM: by message and by exchange, the half that was tuned to and the other; RECALL, plain FTS5, and the same
    among the person's messages alone."""
    found: dict[tuple[str, str], list[list[float]]] = {}
    for n, one in enumerate(talks):
        index = Index(folder / f"beam-{n}.db")
        index.add(one.turns)
        person = [turn for turn in one.turns if turn.speaker != AGENT]
        ranks = {PLAIN: plain(one.turns), PERSONS: plain(person), "RECALL": ours(index), SHOWN: shown(index)}
        if meaning:
            ranks[LIKE] = ours(index, meaning.of(index))
        pair = exchanges(one)
        for question in one.questions:
            gold = frozenset(pair[id] for id in question.gold)
            for name, rank in ranks.items():
                ids = rank(question.text, DEPTH)
                row = [value for at, value in enumerate(measures(ids, question.gold)) if at in (0, 2, 3)]
                row += [value for at, value in enumerate(measures(list(dict.fromkeys(pair[id] for id in ids)), gold))
                        if at in (0, 2, 3)]  # fmt: skip
                for part in ("all", f"1-{TUNED}, tuned to" if int(one.name) <= TUNED else f"{TUNED + 1} on, held out"):
                    found.setdefault((part, name), []).append(row)
        index.close()
    rows: list[list[str | float]] = [
        [f"chats {of[0]}: {of[1]} ({len(found[of])})", *mean(found[of])] for of in sorted(found)
    ]
    heads = ("message any@1", "@5", "@10", "exchange any@1", "@5", "@10")
    markdown(("BEAM, %", *heads), rows)


def in_one_life(sets: Mapping[str, Sequence[Talk]], folder: Path) -> None:
    """All conversations in one life, each in a room of its own. A search cannot read all that matches in a long life,
    so this tells what it misses."""
    index, asked, number = Index(folder / "whole.db"), list[tuple[str, str, frozenset[str]]](), 0
    for name, talks in sets.items():
        for n, one in enumerate(talks):
            room = f"{name}-{n}"
            index.add(Passage(number + i, f"{room}:{turn.id}", room, turn.speaker, turn.at, turn.text)
                      for i, turn in enumerate(one.turns, 1))  # fmt: skip
            number += len(one.turns)
            asked += [(name, each.text, frozenset(f"{room}:{id}" for id in each.gold)) for each in one.questions]
    rows: list[list[str | float]] = []
    for name in sets:
        found = [measures(ours(index)(text, DEPTH), gold) for of, text, gold in asked if of == name]
        rows.append([f"{name} ({len(found)})", *(mean(found)[at] for at in (0, 2, 3))])
    times = [timed(index.search, text) for _, text, _ in asked[:: max(1, len(asked) // 300)]]
    index.close()
    markdown((f"RECALL in one life of {number:,} turns, %", "any@1", "@5", "@10"), rows)
    print(f"one query: {sum(times) / len(times):.1f} ms, 95 of 100 within {percentile(times, 0.95):.1f} ms\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="holds locomo5.json")
    parser.add_argument("--beam", type=Path, help="BEAM's chats/100K")
    parser.add_argument("--like", action="store_true", help="also with the local embedding model ([embedding])")
    parser.add_argument("--one-life", action="store_true", help="also with all conversations in one life")
    asked = parser.parse_args()
    path = asked.folder / "locomo5.json" if asked.folder else common.ROOT / "bench/data/talk.json"
    if not path.exists():
        parser.error(f"{path} is not there; leave the folder out to run on the bench's own conversations")
    talks = load(path)
    print(f"{path.name}: {len(talks)} conversations, {sum(len(one.turns) for one in talks)} turns, ", end="")
    print(f"{sum(len(one.questions) for one in talks)} questions{'' if asked.folder else ' (a small set of our own)'}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        indexes = [Index(folder / f"{n}.db") for n in range(len(talks))]
        built = [timed(at.add, one.turns) for at, one in zip(indexes, talks, strict=True)]
        print(f"built in {sum(built) / len(built):.0f} ms a conversation\n")
        meaning = Meaning() if asked.like else None
        found_again(talks, indexes, meaning)
        chats = beam(asked.beam) if asked.beam else []
        if chats:
            talked(chats, folder, meaning)
        if asked.one_life:
            in_one_life({path.stem: talks, **({"BEAM": chats} if chats else {})}, folder)


if __name__ == "__main__":
    main()
