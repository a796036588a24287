"""Compaction requests answered without a model, by the extractive methods of text.extract.

A request is the live prompt and, behind its last entry at column 0, one instruction, which nothing that was said can
forge: `SEGMENT the entries #a to #b` or `SUMMARISE the entries #a to #b`. It owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dotagent.providers.offline_wits.prompt import Entry, after_entries, entries, owner
from dotagent.store.requests import Message
from dotagent.text.extract import Unit, gist, relevance, segment, summarise
from dotagent.text.said import words

_ASKED = re.compile(r"^(SEGMENT|SUMMARISE) the entries #(\d{1,18}) to #(\d{1,18})\b", re.MULTILINE)
LEAST, MOST = 200, 2000  # characters of a summary, which is else a quarter of what it sums up


def answer(messages: Sequence[Message]) -> str | None:
    """The answer to a compaction request; None when the prompt is none."""
    if not messages or messages[-1]["role"] != "user":
        return None
    found = _ASKED.search(after_entries(messages[-1]["content"]))
    if found is None:
        return None
    first, last = int(found[2]), int(found[3])
    view = entries(messages)
    numbered = [entry for entry in view if entry.number]
    units = [_unit(entry, owner(view)) for entry in numbered]
    inside = [at for at, unit in enumerate(units) if first <= unit.number <= last]
    if found[1] == "SEGMENT":
        return _segmented([units[at] for at in inside], first, last)
    lines = [Unit(numbered[at].number, who, said) for at in inside for who, said in _words(numbered[at], owner(view))]
    return _summarised(units, inside, lines)


def _segmented(units: Sequence[Unit], first: int, last: int) -> str:
    """A line a chunk: `<first>-<last> <relevance> <gist>`; together they cover every number once."""
    if not units:
        return f"{first}-{last} 1 nothing that can be seen"
    chunks = segment(units)
    starts = [first, *(units[start].number for start, _ in chunks[1:])]
    ends = [*(start - 1 for start in starts[1:]), last]
    gists = [gist(_text(units[start : end + 1])) or "nothing said" for start, end in chunks]
    ranks = relevance(units, chunks)
    return "\n".join(f"{a}-{b} {rank} {what}" for a, b, rank, what in zip(starts, ends, ranks, gists, strict=True))


def _summarised(units: Sequence[Unit], inside: Sequence[int], lines: Sequence[Unit]) -> str:
    """`relevance: N`, `gist: …`, an empty line, and the summary."""
    text = _text(lines)
    summary = summarise(lines, max(LEAST, min(MOST, len(text) // 4))) or "Nothing was said."
    return f"relevance: {_rank(units, inside)}\ngist: {gist(text) or 'nothing said'}\n\n{summary}"


def _rank(units: Sequence[Unit], inside: Sequence[int]) -> int:
    """The chunk's relevance among all pieces of the context that are as long."""
    if not inside:
        return 1
    size = inside[-1] - inside[0] + 1
    starts = range(inside[0] % size, len(units), size)
    chunks = [(start, min(start + size, len(units)) - 1) for start in starts]
    return relevance(units, chunks)[chunks.index((inside[0], inside[-1]))]


def _unit(entry: Entry, person: str) -> Unit:
    pairs = _words(entry, person)
    return Unit(entry.number, pairs[0][0] if pairs else "", "\n".join(said for _, said in pairs))


def _words(entry: Entry, person: str) -> list[tuple[str, str]]:
    return words(entry.event, entry.detail, entry.body, person)


def _text(units: Sequence[Unit]) -> str:
    return "\n".join(unit.text for unit in units)
