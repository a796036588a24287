"""Lives of many turns, made up of conversations and of words drawn by Zipf's law, and the time of a query in them."""

from __future__ import annotations

import bisect
import itertools
import random
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from recall_ranks import timed
from recall_reminders import LIVE
from recall_sets import Talk
from tables import markdown, percentile

from dotagent.search.index import Index
from dotagent.search.turn import Passage

LANGUAGE = list(itertools.accumulate(1 / (n + 2.7) for n in range(40_000)))  # how often its words come, summed up


def made_up(size: int, talks: Sequence[Talk], draw: random.Random) -> Iterator[Passage]:
    """A life of `size` turns: turns of the conversations, again and again, among as many of words drawn by Zipf's law,
    in ten rooms by turns of twenty."""
    told = itertools.cycle([turn for one in talks for turn in one.turns])
    for number in range(1, size + 1):
        room = f"room{number // 20 % 10}"
        if number // 20 % 2:
            turn = next(told)
            yield Passage(number, f"{number:032x}", room, turn.speaker, turn.at, turn.text)
        else:
            words = " ".join(zipf(draw) for _ in range(draw.randint(4, 40)))
            at = datetime.fromtimestamp(1.6e9 + 120 * number).isoformat()
            yield Passage(number, f"{number:032x}", room, f"user{number % 7}", at, words)


def zipf(draw: random.Random) -> str:
    """A word of the language."""
    return f"w{bisect.bisect(LANGUAGE, draw.random() * LANGUAGE[-1])}"


def scale(talks: Sequence[Talk], folder: Path) -> None:
    """The time of a query in large lives: of the conversations' questions, of rare and of the commonest words."""
    rows: list[list[str | float]] = []
    for size in (10_000, 1_000_000):
        draw = random.Random(1)
        path = folder / f"{size}.db"
        index = Index(path)
        start = time.perf_counter()
        for turns in batched(made_up(size, talks, draw), 10_000):
            index.add(turns)
        print(f"{size:,} turns: built in {time.perf_counter() - start:.1f} s, {path.stat().st_size / 1e6:.0f} MB")
        asked = [question.text for one in talks for question in one.questions]
        queries = {
            "the questions": draw.sample(asked, min(300, len(asked))),
            "words by Zipf": [" ".join(zipf(draw) for _ in range(draw.randint(2, 6))) for _ in range(300)],
            "the commonest": [" ".join(f"w{draw.randrange(12)}" for _ in range(4)) for _ in range(100)],
        }
        for name, texts in queries.items():
            rows.append([f"{size:,}: search, {name}", *spread([timed(index.search, text) for text in texts])])
            times = [timed(index.remind, text, exclude=range(size - LIVE, size + 1)) for text in texts]
            rows.append([f"{size:,}: remind, {name}", *spread(times)])
        index.close()
    print()
    markdown(("ms", "mean", "median", "95 %", "most"), rows)


def spread(times: Sequence[float]) -> list[str]:
    values = sum(times) / len(times), percentile(times, 0.5), percentile(times, 0.95), max(times)
    return [f"{value:.2f}" for value in values]


def batched(turns: Iterator[Passage], size: int) -> Iterator[list[Passage]]:
    while batch := list(itertools.islice(turns, size)):
        yield batch
