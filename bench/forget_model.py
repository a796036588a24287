"""A model for the benches of forgetting, which answers a compaction's requests by extraction.

The offline provider is never asked for these (a life under it compacts without a model); a bench that looks at requests
needs a model that is as good as that and costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dotagent.providers.offline_rules.view import Entry, entries, find_statements
from dotagent.store.requests import ChatMessage
from dotagent.text import speakers
from dotagent.text.extract import Unit, gist, relevance, segment, summarise

SHOWN = re.compile(r"^ {4}(\d+)-(\d+) (\d+) (.*)$", re.MULTILINE)  # a part, in the form that a request shows
ASKED = re.compile(r"^(SEGMENT|SUMMARISE) the entries #(\d{1,18}) to #(\d{1,18})\b", re.MULTILINE)
CUT = re.compile(r"\n\[… the first and the last of [^\[\]]+\] ")  # within a long reply, where a prompt shows it
LEAST, MOST = 200, 2000  # characters of a summary, which is else a quarter of what it sums up


def compacted(messages: Sequence[ChatMessage]) -> str | None:
    """The answer to a compaction request; None when the prompt is none."""
    found = [*ASKED.finditer(messages[-1]["content"])][-1:]
    if not found:
        return None
    first, last = int(found[0][2]), int(found[0][3])
    units = _units(entries(messages))
    inside = [at for at, unit in enumerate(units) if first <= unit.number <= last]
    if found[0][1] == "SEGMENT":
        return _parts(messages[-1]["content"][found[0].start() :], [units[at] for at in inside], first, last)
    text = "\n".join(units[at].text for at in inside)
    summary = _summary([units[at] for at in inside])
    return f"relevance: {_rank(units, inside)}\ngist: {gist(text) or 'nothing said'}\n\n{summary}"


def whole(shown: str, said: Sequence[str]) -> str:
    """The whole of a reply that a prompt shows; of a long one it shows only the first and the last."""
    first, *last = CUT.split(shown, maxsplit=1)
    if not last:
        return shown
    return next((one for one in reversed(said) if one.startswith(first) and one.endswith(last[0])), shown)


def _summary(units: Sequence[Unit]) -> str:
    text = "\n".join(one.text for one in units)
    return summarise(units, max(LEAST, min(MOST, len(text) // 4))) or speakers.NOTHING


def _parts(asked: str, units: Sequence[Unit], first: int, last: int) -> str:
    """The parts that the request shows as a form, each with its summary below; where it shows none, parts alone."""
    shown = [(int(a), int(b), f"{a}-{b} {rank} {what}") for a, b, rank, what in SHOWN.findall(asked)]
    if not shown:
        return _segmented(units, first, last)
    return "\n\n".join(f"{line}\n{_summary([one for one in units if a <= one.number <= b])}" for a, b, line in shown)


def _units(view: Sequence[Entry]) -> list[Unit]:
    """Each numbered entry's words; a reply's number comes with the head that follows it."""
    found: list[Unit] = []
    mine = ""
    for number, event, body in view:
        if event == "ANSWER":
            mine = body
        elif number:
            said = list(find_statements([(number, event, body)]))
            words = mine if event == "REPLY" else "\n".join(one.text for one in said)
            found.append(Unit(int(number), said[0].who if said else "I", words))
            mine = ""
    return found


def _segmented(units: Sequence[Unit], first: int, last: int) -> str:
    """A line a chunk: `<first>-<last> <relevance> <gist>`; together they cover every number once."""
    if not units:
        return f"{first}-{last} 1 nothing that can be seen"
    chunks = segment(units)
    starts = [first, *(units[start].number for start, _ in chunks[1:])]
    ends = [*(start - 1 for start in starts[1:]), last]
    gists = [gist("\n".join(unit.text for unit in units[a : b + 1])) or "nothing said" for a, b in chunks]
    rows = zip(starts, ends, relevance(units, chunks), gists, strict=True)
    return "\n".join(f"{a}-{b} {rank} {what}" for a, b, rank, what in rows)


def _rank(units: Sequence[Unit], inside: Sequence[int]) -> int:
    """The chunk's relevance among all pieces of the context that are as long."""
    if not inside:
        return 1
    size = inside[-1] - inside[0] + 1
    starts = range(inside[0] % size, len(units), size)
    chunks = [(start, min(start + size, len(units)) - 1) for start in starts]
    return relevance(units, chunks)[chunks.index((inside[0], inside[-1]))]
