"""Summaries: what a model answered, read and held to its budget, or made without one; with people's standing
instructions in either, word for word, however often they fade.

A summary is text: references, tags and calls in it are inert, since it is only ever shown indented and escaped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dotagent.context import Entry
from dotagent.forgetting.plan import Unreadable, spoken
from dotagent.mind import size
from dotagent.text import escape, extract, tokens
from dotagent.text.extract import Unit
from dotagent.text.said import STANDING

BUDGET = 0.2  # of the chunk's tokens
LEAST, MOST = 40, 700  # tokens of a summary
STANDING_MOST = 0.12  # of the context's limit: beyond, the oldest instructions are only in the originals

_RELEVANCE = re.compile(r"^\W*relevance\W*(\d+)", re.IGNORECASE | re.MULTILINE)
_GIST = re.compile(r"^\W*gist\W*:\W*(.*)$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Summary:
    """What stays of a chunk: how relevant its words are (1 to 10), one line, and the text."""

    relevance: int
    gist: str
    text: str


def budget(entries: Sequence[Entry]) -> int:
    """How many tokens the summary of these entries may have."""
    return max(LEAST, min(MOST, int(BUDGET * sum(map(size, entries)))))


def read(answer: str, entries: Sequence[Entry], limit: int) -> Summary:
    """A model's summary of these entries. Raises Unreadable when it is not in the form, empty, or no shorter than half
    of what it sums up. `limit` is the context's, in tokens."""
    answer = answer.rpartition("</reasoning>")[2].strip()
    relevance, gist = _RELEVANCE.search(answer), _GIST.search(answer)
    if not relevance or not gist:
        raise Unreadable("the answer does not begin with `relevance: N` and `gist: …`")
    text = answer[max(relevance.end(), gist.end()) :].strip()
    if not text:
        raise Unreadable("the answer holds no summary")
    text = part(text)[0]
    if tokens.estimate(text) > max(2 * LEAST, sum(map(size, entries)) // 2):
        raise Unreadable("the summary is more than half as long as what it sums up")
    rank = min(10, max(1, int(relevance[1])))
    return Summary(rank, escape.one_line(gist[1], 100) or extract.gist(text), _with(text, entries, limit))


def extract_from(entries: Sequence[Entry], relevance: int, gist: str, limit: int) -> Summary:
    """A summary of these entries made without a model."""
    plain = [Unit(entry.number, who, words) for entry in entries for who, words in spoken(entry)]
    text = extract.summarise(plain, int(budget(entries) * tokens.BYTES_A_TOKEN))
    return Summary(relevance, gist or extract.gist(text), _with(text or gist, entries, limit))


def part(text: str) -> tuple[str, list[str]]:
    """A summary's own words, and its standing instructions."""
    words, _, rest = text.partition(STANDING)
    lines = [line.strip().removeprefix("- ") for line in rest.split("\n") if line.strip()]
    return words.strip(), lines


def standing(entries: Sequence[Entry]) -> list[str]:
    """The standing instructions in these entries, oldest first: what people said must, must never, always be so."""
    found: list[str] = []
    for entry in entries:
        if entry.event == "FADED":
            found += part((entry.content or b"").decode("utf-8", "replace"))[1]
        elif entry.event == "HEAR" and not (entry.content or b"").startswith(b"[AGENT:"):
            found += [f"{who}: {one}" for who, words in spoken(entry) for one in extract.standing(words)]
    return list(dict.fromkeys(found))


def _with(text: str, entries: Sequence[Entry], limit: int) -> str:
    """The text, and below it, word for word, the standing instructions; when there are too many, the newest."""
    lines = standing(entries)
    room = int(STANDING_MOST * limit * tokens.BYTES_A_TOKEN)
    while lines and sum(len(line.encode()) + 3 for line in lines) > room:
        lines.pop(0)
    return "\n".join([text, *([STANDING] if lines else []), *(f"- {line}" for line in lines)]).strip()
