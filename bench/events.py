"""How long do a project's questions take among 100,000 events, and a search among as many turns? `python
bench/events.py [FOLDER] [--events N] [--asked N]`

Five people's events of twenty working days, in a file each a day, are indexed as `reindex-events` does; then `who`,
`activity`, `timeline`, `feed` and `leaderboard` are asked as their commands ask, each of which first looks whether
anything is new. A life's index gets as many turns, of made-up words and of the bench's own conversations, and is asked
their questions. Times are the thread's own, so that a busy machine blurs little.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import common
from recall_scale import batched, made_up
from recall_sets import Talk, load
from tables import markdown, percentile

from dotagent.project import index, place
from dotagent.project.index import Wanted
from dotagent.project.place import Project
from dotagent.search.index import Index

PEOPLE = ("alice", "bob", "carol", "dan", "eve")
DAYS = 20
KINDS = ("edit", "edit", "edit", "commit", "test", "decision")
WORDS = 12  # of a summary


def happen(here: Project, many: int, draw: random.Random) -> None:
    """Events, a line each, in a file a day and person."""
    for day in range(1, DAYS + 1):
        for who in PEOPLE:
            path = here.episodic / f"2026/11/{day:02}/{who}__0123.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            rows = list[str]()
            for number in range(many // DAYS // len(PEOPLE)):
                summary = " ".join(f"w{draw.randrange(4000)}" for _ in range(WORDS))
                files = [f"src/{draw.randrange(400)}.py" for _ in range(draw.randint(0, 3))]
                told = {"ts": f"2026-11-{day:02}T10:00:00.{number:06}Z", "actor": who, "session": "0123",
                        "kind": draw.choice(KINDS), "summary": summary, "files": files}  # fmt: skip
                rows.append(json.dumps(told))
            path.write_text("\n".join(rows) + "\n")


def timed(ask: Callable[[], object], many: int) -> list[float]:
    """Milliseconds of the thread's time, each time."""
    found = list[float]()
    for _ in range(many):
        began = time.thread_time()
        ask()
        found.append(1000 * (time.thread_time() - began))
    return found


def row(name: str, times: Sequence[float]) -> list[str]:
    values = (percentile(times, part) for part in (0.5, 0.95, 0.99))
    return [name, *(f"{value:.2f}" for value in values), f"{max(times):.2f}"]


def events(folder: Path, many: int, asked: int) -> list[list[str]]:
    """The questions about a project."""
    folder.mkdir()
    here = place.make(str(folder))
    draw = random.Random(1)
    happen(here, many, draw)
    began = time.thread_time()
    with index.opened(here, anew=True) as db:
        print(f"{index.size(db):,} events in {DAYS * len(PEOPLE)} files: indexed in {time.thread_time() - began:.1f} s")
    everything, lately = Wanted(), Wanted(since=f"2026-11-{DAYS - 2}")

    def told(ask: Callable[..., object], *words: object) -> Callable[[], object]:
        def do() -> None:
            with index.opened(here) as db:
                ask(db, *words)

        return do

    questions = {
        "nothing but looking": told(lambda db: None),
        "who": told(index.who, everything),
        "activity": told(index.activity, everything),
        "activity of three days": told(index.activity, lately),
        "timeline, feed": told(index.events, everything, 20),
        "feed of a file": told(index.events, Wanted(file="src/7.py"), 20),
        "feed of an actor": told(index.events, Wanted(actor="bob"), 20),
        "leaderboard": told(index.leaders, everything),
    }
    return [row(name, timed(ask, asked)) for name, ask in questions.items()]


def searches(folder: Path, many: int, talks: Sequence[Talk]) -> list[list[str]]:
    """The questions of the conversations, among a life's turns."""
    made = Index(folder / "recall.db")
    began = time.thread_time()
    for turns in batched(made_up(many, talks, random.Random(1)), 10_000):
        made.add(turns)
    print(f"{many:,} turns: indexed in {time.thread_time() - began:.1f} s")
    asked = [question.text for talk in talks for question in talk.questions]
    gc.collect()
    gc.freeze()  # what this bench holds is not the search's
    times = [one for text in asked for one in timed(partial(made.search, text), 1)]
    made.close()
    return [row(f"memory search ({len(times)} questions)", times)]


def main() -> None:
    """Make, ask, print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("folder", nargs="?", type=Path, help="holds locomo5.json")
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--asked", type=int, default=200)
    asked: argparse.Namespace = parser.parse_args()
    talks = load(asked.folder / "locomo5.json" if asked.folder else common.ROOT / "bench/data/talk.json")
    with common.scratch(asked.dir) as scratch:
        rows = events(scratch / "app", asked.events, asked.asked) + searches(scratch, asked.events, talks)
    markdown(("ms of the thread's time", "median", "95 %", "99 %", "most"), rows)


if __name__ == "__main__":
    main()
