"""What forgetting costs beside other ways to stay within a window: the table --cost of bench/forget.py.

A chat of 300 turns is lived at a limit of 32,000 tokens; every request is kept as it was sent, compaction's too. A token
costs 1, read from a cache 0.1, written 4. What can be read from a cache is what the prompt shares, from its beginning,
with one of the 50 before it. The other ways are made up of the same messages, under the same head, by counting.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import forget_lives as lives
from forget_lives import ROOM, Clock

from dotagent.calls import Call
from dotagent.prompt import Message
from dotagent.providers.offline_wits import compaction
from dotagent.text import tokens

TURNS, HEARD, SAID, LIMIT = 300, 200, 190, 32_000  # messages; tokens of one, of its answer, of the context
BEFORE = 50  # requests that a cache still knows
FRESH, CACHED, WRITTEN = 1.0, 0.1, 4.0  # prices of a token
SHARE = 0.2  # of what it sums up: the size of a summary, ours and the others'

WHO = "the gardener|my sister|our neighbour|the carpenter|a friend from work|the doctor|the teacher|her brother".split("|")
DID = "repaired|painted|sold|measured|ordered|found|moved|cleaned|promised|forgot|described|borrowed".split("|")
WHAT = """the fence|a blue boat|the tax papers|the kitchen window|an old violin|the train tickets|a recipe for plum cake
the garden shed|two bicycles|the invitation list|a leaking pipe|the ski boots|a map of the valley|the piano lesson""".split("\n")
WHEN = "on Monday|last week|before the holidays|at noon|in the rain|after dinner|in April|without telling anyone".split("|")


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
    topics = [part for line in WHAT for part in line.split("|")]
    while tokens.count(text) < size:
        text += f" {draw.choice(WHO)} {draw.choice(DID)} {draw.choice(topics)} {draw.choice(WHEN)}.".capitalize()
    return text.strip()


def lived(path: Path) -> tuple[list[Asked], str]:
    """The chat, lived: its requests in the order of their answers, and a line on what happened."""
    draw = random.Random(7)
    trace: list[Asked] = []

    def model(messages: list[Message], call: Call) -> str:
        words = prose(SAID, draw) if call.kind == "live" else compaction.answer(messages) or ""
        text = "".join(f"<|{message['role']}|>\n{message['content']}" for message in messages)
        trace.append(Asked(call.kind, text.encode(), tokens.count(text), tokens.count(words)))
        return words

    with lives.life(path, LIMIT, model) as one:
        one.tokens = lambda messages: sum(tokens.count(message["content"]) for message in messages)
        for _ in range(TURNS):
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
        cached += tokens.count(asked.text[:most].decode("utf-8", "ignore")) if most else 0
        whole += units
        written += asked.written
    return Bill(requests, prompts, cached, whole, written)
