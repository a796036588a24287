"""Lives that last: the tables --long (10,000 turns at a limit of 4,000 tokens) and --standing (what a person said at
the very beginning, after ten compactions) of bench/forget.py."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path

import forget_lives as lives
from forget_cost import prose
from forget_lives import ROOM, Clock, Model
from forget_model import compacted
from recall_scale import zipf
from tables import markdown
from world import World  # type: ignore[import-not-found]

from dotagent.capabilities.faint_memory.capability import feed_of
from dotagent.compaction import check
from dotagent.life.context import render
from dotagent.life.replay import View
from dotagent.store import request_rebuilding, requests
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import exact

TURNS, LIMIT, PART = 10_000, 4_000, 1_000
COMPACTIONS = 10

RULES = """You must never book a flight before noon.
Always answer me in metric units.
Never mention the surprise party to Ben.
From now on, call me Captain.
I am allergic to peanuts.
Always round prices up to whole euros.
Do not ever call my mother after nine in the evening.
You must write dates as day, month, year.
Never delete anything in the folder taxes without asking me twice.
Under no circumstances give my address to anyone."""
FIRST = """Hello, my name is Ana and I live by the old harbour in Bergen. | Where does Ana live?
My sister Ingrid is a violin maker. | What does Ingrid do for a living?
I work at the aquarium, mostly with the octopuses. | Where does Ana work?
Our dog is called Biscuit and hates the vacuum cleaner. | What is the dog's name?
I am learning Portuguese on Tuesdays with Joaquim. | With whom does Ana learn Portuguese?
The spare key hangs behind the barometer. | Where is the spare key?
My first boat sank off Stavanger in 1998. | What happened to the first boat?
Ben owes me forty euros since the concert. | How much does Ben owe?
I paint lighthouses in watercolour when it rains. | What does Ana paint?
The doctor moved my appointment to the 14th of March. | To what day was the appointment moved?"""


def language(draw: random.Random) -> Callable[[int], str]:
    """Gives as many words as it is asked for, of a made-up language in which some are as common as ours are."""
    return lambda count: " ".join(zipf(draw) for _ in range(count))


def make_long(path: Path, turns: int = TURNS) -> None:
    """Live a long life, print how large its prompts were, how long its turns took, and what it takes on disk."""
    draw, clock = random.Random(5), Clock()
    say = language(draw)
    prompts: list[int] = []

    def model(messages: list[ChatMessage], call: Call) -> str:
        if call.kind == "live":
            prompts.append(exact.count("\n\n".join(message["content"] for message in messages)))
            return say(8)
        return compacted(messages) or ""

    with lives.life(path, LIMIT, model) as lived:
        lived.tokens = lambda messages: sum(exact.count(message["content"]) for message in messages)
        for _ in range(turns):
            lived.say(say(14), draw.choice(("ana", "ben")), ROOM)
            clock.run(lived)
        session = lived.session
        proved = check.reach(session.store, View(session.state, tuple(session.entries)))
        head = exact.count("".join(part.text for part in _head(lived)))
        most = 1.5 * LIMIT + head
        swaps, floors = lives.count(lived, "SWAP"), lives.count(lived, "SWAP", "floor")
        life_size = (session.path / "LIFE.md").stat().st_size
    part = min(PART, turns // 3)
    first, last = clock.turns[:part], clock.turns[-part:]
    files, size = _disk(path)
    ratio = statistics.median(last) / statistics.median(first)
    rows = [
        ("turns; swaps; of them at the floor", f"{turns:,}; {swaps:,}; {floors:,}"),
        ("tokens of a prompt: median, most", f"{statistics.median(prompts):,.0f}, {max(prompts):,}"),
        ("1.5 x limit + head", f"{most:,.0f} ({'met' if max(prompts) <= most else 'NOT MET'})"),
        (f"ms a turn, median of the first {part:,}", f"{1000 * statistics.median(first):.2f}"),
        (f"ms a turn, median of the last {part:,}", f"{1000 * statistics.median(last):.2f} (x {ratio:.2f})"),
        ("mean of the first, of the last", f"{1000 * statistics.mean(first):.2f}, {1000 * statistics.mean(last):.2f}"),
        ("originals: visible, forgotten", f"{proved.visible:,}, {proved.forgotten:,}"),
        ("steps to an original, at most", f"{proved.steps} ({len(proved.problems)} problems)"),
        ("on disk: files, MB, kB a turn", f"{files:,}, {size / 1e6:.1f}, {size / turns / 1e3:.1f}"),
        ("LIFE.md, MB", f"{life_size / 1e6:.1f}"),
    ]
    markdown((f"a life of {turns:,} turns at {LIMIT:,} tokens", ""), rows)


def _head(lived: World) -> Sequence[requests.Part]:
    """The fixed part of the life's last request."""
    last = next(id for line in reversed(list(lives.lines(lived))) if line.event == "ASK" for id in [line.id])
    parts = request_rebuilding.Rebuilder(lived.where.store()).request(last).parts
    return [part for part in parts if part.role == "system"]


def _disk(path: Path) -> tuple[int, int]:
    """Files below a directory, and the bytes they take in blocks of the file system."""
    found = [one.stat() for one in path.rglob("*") if one.is_file()]
    return len(found), sum(one.st_blocks * 512 for one in found)


def careless(messages: list[ChatMessage], call: Call) -> str:
    """A model that sums up without care: it keeps nothing of what it was told to keep."""
    answer = compacted(messages)
    if answer is None:
        return "I see."
    return "relevance: 3\ngist: talk\n\nThey talked of this and that." if answer.startswith("relevance") else answer


def make_standing(path: Path) -> None:
    """Let a person say who they are and what must be so, then talk of other things until ten compactions are over."""
    rows = []
    path.mkdir()
    for name, model in (("extractive summaries", lives.answering("I see.")), ("a careless model", careless)):
        rows.append([name, *_stood(path / name.replace(" ", "-"), model)])
    heads = ("compactions", "turns", "instructions live, of 10", "first messages, RECALL rank 1, of 10", "rank 1 to 3")
    markdown(("what was said at the beginning", *heads), rows)


def _stood(path: Path, model: Model) -> list[str]:
    draw, clock = random.Random(11), Clock()
    first = [line.split(" | ") for line in FIRST.split("\n")]
    rules = RULES.split("\n")
    opening = [words for pair in zip((words for words, _ in first), rules, strict=True) for words in pair]
    turns = 0
    with lives.life(path, LIMIT, model, "private") as lived:
        for words in opening:
            lived.say(words, "ana", ROOM)
            clock.run(lived)
        while lives.count(lived, "SWAP", "limit") < COMPACTIONS:
            lived.say(prose(40, draw), "ana", ROOM)
            clock.run(lived)
            turns += 1
        session = lived.session
        live = b"".join(render(entry) for entry in session.entries).decode("utf-8", "replace")
        kept = sum(1 for rule in rules if rule in live)
        ranks = [_rank(lived, question, words) for words, question in first]
        done = lives.count(lived, "SWAP", "limit")
    return [
        str(done),
        str(turns + len(opening)),
        str(kept),
        str(ranks.count(1)),
        str(sum(0 < one < 4 for one in ranks)),
    ]


def _rank(lived: World, question: str, words: str) -> int:
    """At which place RECALL has the message; 0: not among the first ten."""
    found = [hit.turn.text.strip() for hit in feed_of(lived.session).search(question, 10)]
    return found.index(words) + 1 if words in found else 0
