"""What forgetting costs beside other ways to stay within a window: the table --cost of bench/forget.py.

A chat of 300 turns is lived at a limit of 32,000 tokens; every request is kept as it was sent, compaction's too. A
token costs 1, read from a cache 0.1, written 4. What can be read from a cache is what the prompt shares, from its
beginning, with one of the 50 before it. The other ways are made up of the same messages, under the same head, by
counting.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import forget_lives as lives
from forget_lives import ROOM, Clock
from forget_model import compacted
from tables import markdown

from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import exact

TURNS, HEARD, SAID, LIMIT = 300, 200, 190, 32_000  # messages; tokens of one, of its answer, of the context
BEFORE = 50  # requests that a cache still knows
FRESH, CACHED, WRITTEN = 1.0, 0.1, 4.0  # prices of a token
SHARE = 0.2  # of what it sums up: the size of a summary, ours and the others'

WORDS = """the gardener, my sister, our neighbour, the carpenter, a friend from Lyon, the baker, his brother
repaired, polished, sold, measured, ordered, found, carried, cleaned, promised, forgot, described, borrowed, hid, lent
the fence, a red kite, the tax papers, the kitchen window, an old violin, the train tickets, a cake, two bicycles
on Monday, last week, before the holidays, at noon, in the rain, after dinner, in April, without telling anyone"""
PARTS = [line.split(", ") for line in WORDS.split("\n")]  # of a sentence


@dataclass(frozen=True)
class Asked:
    """A request as it was sent, and its answer's tokens."""

    kind: str
    text: bytes
    size: int
    written: int


@dataclass(frozen=True)
class Bill:
    """Tokens of some requests: of their prompts, read from a cache, by one that holds whole requests only, written."""

    requests: int
    prompts: int
    cached: int
    whole: int
    written: int

    def cost(self, cached: int) -> float:
        """What they cost when so many tokens were read from a cache."""
        return FRESH * (self.prompts - cached) + CACHED * cached + WRITTEN * self.written


def prose(size: int, draw: random.Random) -> str:
    """Sentences of about so many tokens."""
    text = ""
    while exact.count(text) < size:
        text += f" {' '.join(map(draw.choice, PARTS))}.".capitalize()
    return text.strip()


def lived(path: Path, limit: int = LIMIT, turns: int = TURNS) -> tuple[list[Asked], str]:
    """The chat, lived: its requests in the order of their answers, and a line on what happened."""
    draw = random.Random(7)
    trace: list[Asked] = []

    def model(messages: list[ChatMessage], call: Call) -> str:
        words = prose(SAID, draw) if call.kind == "live" else compacted(messages) or ""
        text = "".join(f"<|{message['role']}|>\n{message['content']}" for message in messages)
        trace.append(Asked(call.kind, text.encode(), exact.count(text), exact.count(words)))
        return words

    with lives.life(path, limit, model) as one:
        one.tokens = lambda messages: sum(exact.count(message["content"]) for message in messages)
        for _ in range(turns):
            one.say(prose(HEARD, draw), "ana", ROOM)
            Clock().run(one)
        swaps = lives.count(one, "SWAP")
        told = f"{swaps} swaps, {lives.count(one, 'SWAP', 'floor')} of them at the floor"
    return trace, told


def shared(one: bytes, other: bytes) -> int:
    """Bytes of the longest beginning that both have."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def billed(trace: Sequence[Asked], kinds: Sequence[str]) -> Bill:
    """The bill of the requests of these kinds, with all of them in the cache."""
    prompts = cached = whole = written = requests = 0
    for at, asked in enumerate(trace):
        if asked.kind not in kinds:
            continue
        before = trace[max(0, at - BEFORE) : at]
        most = max((shared(asked.text, one.text) for one in before), default=0)
        units = max((one.size for one in before if asked.text.startswith(one.text)), default=0)
        requests += 1
        prompts += asked.size
        cached += exact.count(asked.text[:most].decode("utf-8", "ignore")) if most else 0
        whole += units
        written += asked.written
    return Bill(requests, prompts, cached, whole, written)


@dataclass(frozen=True)
class Way:
    """Another way to stay within the limit: how much of the context it keeps as it is when that is passed, how large
    its one summary of the rest is (a share of it; 0: none), and whether the summary's request is the live prompt with
    an instruction or a prompt of its own."""

    name: str
    keeps: float
    summary: float
    forked: bool = True
    limit: int = LIMIT


WAYS = (
    Way("full history, no limit", 1.0, 0.0, limit=10**9),
    Way("sliding window", 1.0, 0.0),
    Way("one summary of everything", 0.0, SHARE),
    Way("the same, by a prompt of its own", 0.0, SHARE, forked=False),
    Way("one summary of the older two thirds", 1 / 3, SHARE),
    Way("the same, by a prompt of its own", 1 / 3, SHARE, forked=False),
)
INSTRUCTION = 300  # tokens


def counted(way: Way, head: int, turn: int) -> tuple[Bill, Bill]:
    """The bills of the same chat under another way: of its live requests, and of its summaries' requests. `head` is
    the tokens before the first message, `turn` those of a message with its answer."""
    live, calls = list[tuple[int, int, int, int]](), list[tuple[int, int, int, int]]()
    body = before = 0  # tokens of the context, and of the prompt before this one
    for _ in range(TURNS):
        body += turn - SAID
        shares, whole = before, before
        if body > way.limit:
            old = body - int(body * way.keeps)
            if way.summary:
                made = int(way.summary * old)
                known = before if way.forked else 0
                calls.append((head + body + INSTRUCTION, known, known, made))
                body -= old - made
            else:
                body -= turn * -(-(body - way.limit) // turn)
            shares, whole = head, 0
        before = head + body
        live.append((before, shares, whole, SAID))
        body += SAID
    return _sum(live), _sum(calls)


def _sum(rows: Sequence[tuple[int, int, int, int]]) -> Bill:
    return Bill(len(rows), *(sum(row[at] for row in rows) for at in range(4)))


def row(name: str, live: Bill, calls: Bill, base: float) -> list[str]:
    """A line of the table; `base` is our own cost."""
    prompts, cached, whole = (getattr(live, what) + getattr(calls, what) for what in ("prompts", "cached", "whole"))
    cost = live.cost(live.cached) + calls.cost(calls.cached)
    figures = [f"{cost:,.0f}", f"{cost / base:.2f}", f"{calls.cost(calls.cached):,.0f}", f"{calls.requests}",
               f"{live.prompts / live.requests:,.0f}", f"{cached / prompts:.4f}", f"{live.cached / live.prompts:.4f}",
               f"{whole / prompts:.4f}", f"{live.cost(live.whole) + calls.cost(calls.whole):,.0f}"]  # fmt: skip
    return [name, *figures]


def make(path: Path) -> None:
    """Live the chat, count the other ways, print."""
    trace, told = lived(path)
    live, calls = billed(trace, ["live"]), billed(trace, ["background"])
    sizes = [asked.size for asked in trace if asked.kind == "live"]
    turn = sizes[2] - sizes[1]
    head = sizes[0] - (turn - SAID)
    ours = live.cost(live.cached) + calls.cost(calls.cached)
    rows = [row(f"ours: {told}", live, calls, ours)]
    rows += [row(way.name, *counted(way, head, turn), ours) for way in WAYS]
    heads = ("cost", "beside ours", "of it compaction", "its calls", "mean prompt", "cached", "of live ones",
             "whole requests only", "cost then")  # fmt: skip
    markdown((f"{TURNS} turns, {turn} tokens each, limit {LIMIT:,}", *heads), rows)
