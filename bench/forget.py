"""Does it forget gracefully? `python bench/forget.py [FOLDER] [--reach] [--cost]`; without an option, both tables.

--reach: conversations that a life listened to and mostly forgot: is every word still there? FOLDER holds locomo5.json;
without one the bench's own small conversations, bench/data/talk.json, are used.

--cost: a chat of 300 turns is lived at a limit of 32,000 tokens; every request is kept as it was sent, compaction's
too. A token costs 1, read from a cache 0.1, written 4. What can be read from a cache is what the prompt shares, from
its beginning, with one of the 50 before it. The other ways to stay within a window are made up of the same messages,
under the same head, by counting.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import common
import forget_lives as lives
import shown  # type: ignore[import-not-found]
from common import markdown
from forget_lives import ROOM, Clock, prose
from forget_model import compacted
from recall_sets import Talk, load
from world import World  # type: ignore[import-not-found]

from dotagent.compaction import check, tree
from dotagent.life.replay import View
from dotagent.store import blob_search, rooms
from dotagent.store.blobs import Blobs
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage
from dotagent.text import exact

CONTEXT, SMALL = 4000, 1000  # tokens of context; of the bench's own conversations, which are short
TURNS, HEARD, SAID, LIMIT = 300, 200, 190, 32_000  # messages; tokens of one, of its answer, of the context
BEFORE = 50  # requests that a cache still knows
FRESH, CACHED, WRITTEN = 1.0, 0.1, 4.0  # prices of a token
SHARE = 0.2  # of what it sums up: the size of a summary, ours and the others'


def reached(lived: World, talk: Talk) -> list[object]:
    """A row for a life at rest that heard the conversation: whether each turn's bytes, as the room has them, are found
    by following references from context.md."""
    session = lived.session
    steps: dict[int, tuple[int, bytes]] = {}
    for entry in shown.parse(session.file.read_bytes()):
        if entry.event == "HEAR":
            steps[entry.number] = (1, session.store.get(blob_search.find(session.store, entry.id)).body)
        elif entry.event == "FADED":
            steps.update(_below(session.store, blob_search.find(session.store, entry.id), 1))
    found = rooms.read(session.home.room(ROOM), rooms.Position())
    assert found
    there = [message.raw for message in found[0] if message.raw.startswith(b"[USER:")]  # the agent's are no HEAR
    originals = [body for _, (_, body) in sorted(steps.items())]
    same = sum(1 for raw, body in zip(there, originals, strict=False) if raw == body)
    proved = check.reach(session.store, View(session.state, tuple(session.entries)))
    swaps, floors = lives.count(lived, "SWAP"), lives.count(lived, "SWAP", "floor")
    share = 100 * same / max(len(there), len(originals))
    longest = max(step for step, _ in steps.values())
    faded = sum(1 for entry in session.entries if entry.event == "FADED")
    live = sum(1 for entry in session.entries if entry.event == "HEAR")
    return [talk.name, len(there), swaps, floors, session.tokens, faded, live, f"{share:.2f}", longest,
            len(proved.problems)]  # fmt: skip


def _below(store: Blobs, id: str, steps: int) -> dict[int, tuple[int, bytes]]:
    """The messages below a tree: number -> steps from the context, and bytes."""
    found: dict[int, tuple[int, bytes]] = {}
    for member in tree.decode(store.get(id).body):
        if member.line.event == "FADED":
            found.update(_below(store, member.line.id, steps + 1))
        elif member.line.event == "HEAR":
            found[member.number] = (steps + 1, store.get(member.line.id).body)
    return found


def print_reached(rows: Sequence[Sequence[object]]) -> None:
    """The table of --reach."""
    heads = ("turns", "swaps", "of them at the floor", "tokens of context", "summaries", "turns live",
             "reached, %", "steps at most", "problems")  # fmt: skip
    markdown(("nothing is lost", *heads), [[str(cell) for cell in row] for row in rows])


# --- the cost


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


def lived_through(path: Path, limit: int = LIMIT, turns: int = TURNS) -> tuple[list[Asked], str]:
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


def cost(path: Path) -> None:
    """Live the chat, count the other ways, print."""
    trace, told = lived_through(path)
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


def main() -> None:
    """Make the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="holds locomo5.json")
    parser.add_argument("--reach", action="store_true", help="nothing is lost: every original is a few references away")
    parser.add_argument("--cost", action="store_true", help="300 turns at 32,000 tokens beside other ways")
    asked = parser.parse_args()
    path = asked.folder / "locomo5.json" if asked.folder else lives.ROOT / "bench/data/talk.json"
    if not path.exists():
        parser.error(f"{path} is not there; leave the folder out to run on the bench's own conversations")
    with common.scratch(lives.MEMORY if lives.MEMORY.is_dir() else None) as scratch:
        if asked.reach or not asked.cost:
            rows = list[list[object]]()
            for one in load(path):
                with lives.life(scratch / one.name, CONTEXT if asked.folder else SMALL, lives.quiet) as lived:
                    lives.feed(lived, one, Clock())
                    rows.append(reached(lived, one))
            print_reached(rows)
        if asked.cost or not asked.reach:
            cost(scratch / "cost")


if __name__ == "__main__":
    main()
