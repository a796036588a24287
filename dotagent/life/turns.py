"""Turns that are like what was just said, shown right before it to a model that follows an example better than a rule.

A small model does what the nearest example does. So of the turns in TURNS.md those whose words are most like a person's
last message stand before it, until it is replied to: the next request goes on without them. None of it happened, as
their numbers say, which begin with 0. How many, says a provider's option `examples`. Pure, but for reading TURNS.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from string import Template

from dotagent import extensions
from dotagent.life import events, heads
from dotagent.life.context import Entry
from dotagent.life.events import Faded, Hear, Reply
from dotagent.store import disk
from dotagent.store.requests import Part
from dotagent.text import alike, tag

LIKE = 0.1  # of 1: how much alike the nearest must be
NEAREST = 25  # turns that say by which tool a message is answered, each by the square of how alike it is
SHARE = 0.15  # of what they say, that a tool must have
FIRST = 901  # the number of the first turn shown, behind a 0: above those of the example life

_CALL = re.compile(r"^([A-Z][A-Z_]{2,})(?: |$)", re.MULTILINE)


@dataclass(frozen=True)
class _Turn:
    said: str
    reply: Template

    @property
    def calls(self) -> list[str]:
        """The tools that the reply calls."""
        return _CALL.findall(self.reply.template)

    @property
    def tool(self) -> str:
        """The first of them; "" for an answer in words."""
        return next(iter(self.calls), "")


def wanted(kind: str, options: Mapping[str, object]) -> int:
    """How many turns a model of this kind of provider is shown: its option `examples`, else what the provider says."""
    given = options.get("examples", extensions.constants("providers", kind).get("EXAMPLES", 0) if kind else 0)
    return given if isinstance(given, int) else 0


def beside(entries: Sequence[Entry], start: int, most: int, usage: str) -> tuple[int, list[Part]]:
    """Behind how many entries the turns stand, and they: none but before a person's last message, which nobody replied
    to, among the entries from `start` on. `usage` tells of the tools that are there."""
    at = len(entries) - 1
    while at > start and entries[at].event not in (Hear.WORD, Reply.WORD):
        at -= 1
    event = events.parse(entries[at].line) if at >= start else None
    if not most or not isinstance(event, Hear) or event.who.startswith("AGENT:"):
        return len(entries), []
    if any(entry.number > entries[at].number for entry in entries[start:at]):
        return len(entries), []  # what a swap says again was moved before it: the next request begins with all of that
    said = tag.words((entries[at].content or b"").decode("utf-8", "replace"))
    who, made = heads.speaker(event.who), list[Part]()
    faded = next((entry.number for entry in reversed(entries) if entry.event == Faded.WORD), "01")
    for number, turn in enumerate(reversed(near(said, most, usage))):
        named = f"0{FIRST + 2 * number}"
        reply = turn.reply.substitute(who=who, number=named, faded=faded)
        made += [Part("user", f"#{named} {entries[at].detail} {who}: {turn.said}"), Part("assistant", reply)]
    return (at, made) if made else (len(entries), [])


def near(said: str, most: int, usage: str) -> list[_Turn]:
    """The turns whose like is most likely meant, the likeliest first: of each tool that those nearest to what is said
    speak for (k nearest neighbours, weighed by distance: Dudani, 1976) the nearest; of tools that `usage` tells of."""
    turns, known = _known()
    scores = alike.scores(known, said)
    like = ((turns[at], score * score) for at, score in scores if scores[0][1] >= LIKE)
    there = ((turn, vote) for turn, vote in like if all(f"    {name}" in usage for name in turn.calls))
    votes, first = dict[str, float](), dict[str, _Turn]()
    for turn, vote in islice(there, NEAREST):
        first.setdefault(turn.tool, turn)
        votes[turn.tool] = votes.get(turn.tool, 0.0) + vote
    chosen = sorted(votes, key=lambda tool: -votes[tool])[:most]
    return [first[tool] for tool in chosen if votes[tool] >= SHARE * sum(votes.values())]


@cache
def _known() -> tuple[list[_Turn], alike.Sayings]:
    text = disk.read(extensions.CODE / "life" / "TURNS.md").decode()
    turns = list[_Turn]()
    for said, *reply in (block.split("\n") for block in text.strip().split("\n\n")):
        turns.append(_Turn(said, Template("\n".join(line.removeprefix("> ") for line in reply))))
    return turns, alike.index([turn.said for turn in turns])
