"""The cost of each block of an agent's context since it entered: its part of each prompt that held it.

For each answer in LIFE, the provider's counts give the cost of a token of its prompt, and the part of the prompt that
came from the cache. A block takes part in each answer since it came, or since the swap that made it. Owns nothing on
disk. The sums stay in memory, so that only new answers are read again.
"""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

from dotagent.capabilities.view.frames import Scenes, block
from dotagent.capabilities.view.memory import agent, scenes
from dotagent.capabilities.view.picture import MEANINGS
from dotagent.capabilities.view.route import PageRequest
from dotagent.life import events
from dotagent.life.compaction_events import Fade
from dotagent.life.context import Entry
from dotagent.life.events import Ask, Faded, Reply
from dotagent.providers.server import cost
from dotagent.providers.server.cost import Prices
from dotagent.store import home, log, log_search
from dotagent.text import times

MOST = 200  # blocks that are listed
FIELDS = ("number", "last", "kind", "who", "words", "since", "tokens", "prompts", "cached", "cost")


def _zero() -> array[float]:
    return array("d", [0.0])


@dataclass
class AnswerSums:
    """The answers of an agent up to a byte offset of its LIFE: the time of each request, and for a token of its prompt
    the sums of cached tokens, of the cost in millionths of a US dollar, and of answers without a known cost."""

    node: int
    end: int = 0
    at: array[float] = field(default_factory=lambda: array("d"))
    cached: array[float] = field(default_factory=_zero)
    cost: array[float] = field(default_factory=_zero)
    unknown: array[float] = field(default_factory=_zero)
    asked: str = ""
    """The time of the last request."""
    made: dict[str, str] = field(default_factory=dict)
    """The time of each summary, by the id of its tree."""

    def add(self, line: log.Line, prices: Prices) -> None:
        """Add a request, an answer, or a summary."""
        if line.event == Ask.WORD:
            self.asked = line.at
            return
        event = events.parse(line)
        if isinstance(event, Fade):
            self.made[line.id] = line.at
        if not isinstance(event, Reply):
            return
        used = {name: int(event.told[name]) for name in ("input", "cached") if event.told.get(name, "").isdecimal()}
        size = used.get("input", 0)
        price = cost.cost(prices, event.told.get("model", "-"), used, event.told.get("provider", "")) if size else None
        self.at.append(times.parse(self.asked or line.at).timestamp())
        self.cached.append(self.cached[-1] + (min(1.0, used.get("cached", 0) / size) if size else 0.0))
        self.cost.append(self.cost[-1] + (price or 0) / (size or 1))
        self.unknown.append(self.unknown[-1] + (price is None))

    def since(self, at: str) -> tuple[int, float, float | None]:
        """Return for a token that came at this time: how many prompts held it, how often it was cached, and its cost;
        None if no answer has a known cost."""
        first = bisect_right(self.at, times.parse(at).timestamp()) if times.is_stamp(at) else 0
        many = len(self.at) - first
        told = [sums[-1] - sums[first] for sums in (self.cached, self.cost, self.unknown)]
        return many, told[0], None if told[2] == many else told[1]


_known = dict[str, AnswerSums]()


def answers(where: Scenes, self_id: str, prices: Prices) -> AnswerSums:
    """Return the answers of an agent. Only new ones are read."""
    path = where.where.agent(self_id) / "LIFE.md"
    key, node, end = f"{path} {prices}", os.stat(path).st_ino, log_search.end(path)
    found = _known.get(key)
    if found is None or found.node != node or found.end > end:
        found = AnswerSums(node)
    for line in log_search.picked(path, (Ask.WORD, Reply.WORD, Fade.WORD), found.end, end):
        found.add(line, prices)
    found.end = end
    _known[key] = found
    return found


def blocks(asked: PageRequest) -> dict[str, Any]:
    """Return the blocks of an agent's present context with what each has cost, the dearest first, and the sums."""
    self_id, where = agent(asked), scenes(asked.where)
    told = answers(where, self_id, home.settings(asked.where).prices)
    end = where.swaps(self_id)[2]
    frame = where.at(self_id, end).frame(end) if end else None
    rows = [_row(told, entry, frame.tokens(entry)) for entry in frame.entries] if frame else []
    rows.sort(key=lambda row: (-(row[-1] or 0), -row[-2], -row[6] * row[7]))
    return {"fields": FIELDS, "rows": rows[:MOST], "kinds": _kinds(rows), "more": max(0, len(rows) - MOST), "end": end}


def _row(told: AnswerSums, entry: Entry, size: int) -> list[Any]:
    made = block(entry)
    since = told.made.get(entry.line.id, entry.line.at) if entry.event == Faded.WORD else entry.line.at
    prompts, cached, price = told.since(since)
    paid = None if price is None else size * price
    kind = MEANINGS[made.kind]
    return [made.number, made.last, kind, made.who, made.words, since, size, prompts, round(size * cached), paid]


def _kinds(rows: list[list[Any]]) -> list[dict[str, Any]]:
    """Return the sums of each kind of block."""
    found = dict[str, dict[str, Any]]()
    for _, _, kind, _, _, _, size, prompts, cached, price in rows:
        sums = found.setdefault(kind, {"kind": kind, "blocks": 0, "tokens": 0, "sent": 0, "cached": 0, "cost": None})
        for name, more in (("blocks", 1), ("tokens", size), ("sent", size * prompts), ("cached", cached)):
            sums[name] += more
        sums["cost"] = sums["cost"] if price is None else (sums["cost"] or 0) + price
    return sorted(found.values(), key=lambda one: (-(one["cost"] or 0), -one["sent"]))
