"""Compaction requests answered without a model, by the extractive methods of text.extract.

A request is the live prompt and, behind its last entry at column 0, one instruction, which nothing that was said can
forge: `SEGMENT the entries #a to #b` or `SUMMARISE the entries #a to #b`. It owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dotagent.providers import Message
from dotagent.providers.offline_wits.prompt import ANSWER, Entry, after_entries, entries, heard, owner
from dotagent.text.extract import Unit, gist, relevance, segment, summarise

_ASKED = re.compile(r"^(SEGMENT|SUMMARISE) the entries #(\d{1,18}) to #(\d{1,18})\b", re.MULTILINE)
_REASONING = re.compile(r"<(think|reasoning)>.*?(?:</\1>|\Z)\s*", re.DOTALL)
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
    units = [_unit(entry, owner(view)) for entry in view if entry.number]
    inside = [at for at, unit in enumerate(units) if first <= unit.number <= last]
    if found[1] == "SEGMENT":
        return _segmented([units[at] for at in inside], first, last)
    return _summarised(units, inside)


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


def _summarised(units: Sequence[Unit], inside: Sequence[int]) -> str:
    """`relevance: N`, `gist: …`, an empty line, and the summary."""
    chunk = [units[at] for at in inside]
    text = _text(chunk)
    summary = summarise(chunk, max(LEAST, min(MOST, len(text) // 4))) or "Nothing was said."
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
    said = heard(entry, person)
    if len(said) == 1:
        return Unit(entry.number, said[0].who, said[0].text)
    if entry.event == ANSWER:
        return Unit(entry.number, "I", _REASONING.sub("", entry.body))
    return Unit(entry.number, f"{entry.event} {entry.detail}".strip(), entry.body)


def _text(units: Sequence[Unit]) -> str:
    return "\n".join(unit.text for unit in units)
