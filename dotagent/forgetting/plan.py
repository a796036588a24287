"""What may fade, and in which chunks: pure decisions over a context's entries.

A model proposes chunks by entry numbers; whatever it proposes is repaired until it covers exactly what may fade, in
order, without overlaps or gaps, with borders where turns begin. So an answer is only ever a suggestion.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from dotagent.context import Entry
from dotagent.mind import size
from dotagent.text import escape, extract, said
from dotagent.text.extract import Unit

SHARE = 2 / 3  # of the context's tokens: the oldest that may fade; the newest third is never touched
LINE = re.compile(r"^\W*#?(\d+)(?:\s*(?:-|–|to)\s*#?(\d+))?\s*[:|,]?\s+(\d+)(?:\s*/\s*10)?\b[\s:|,.-]*(.*)$")
MEMBERS = 256  # entries that one chunk may have
SMALL = 160  # tokens: what is smaller is hardly longer than the reference and the summary that would replace it


class Unreadable(Exception):
    """A model's answer that says nothing that can be used."""


@dataclass(frozen=True)
class Chunk:
    """Entries that fade together: the numbers of the first and the last, 1 to 10, and what they are about."""

    first: int
    last: int
    relevance: int
    gist: str

    @property
    def span(self) -> str:
        """Its name: `12-40`."""
        return f"{self.first}-{self.last}"


def eligible(entries: Sequence[Entry], kept: Collection[int], share: float = SHARE) -> list[Entry]:
    """The oldest entries that may fade: `share` of the tokens, up to the start of a turn, without those kept."""
    left = share * sum(map(size, entries))
    found, stop = 0, 0
    for index, entry in enumerate(entries):
        left -= size(entry)
        if left < 0:
            break
        if begins(entries, index + 1):
            stop = index + 1
        found = index + 1
    # a single turn that is longer than all that may fade has no start to stop at: stop before one of its requests
    end = stop or next((at for at in range(found, 0, -1) if entries[at - 1].event != "REPLY"), 0)
    return [entry for entry in entries[:end] if entry.number not in kept]


def begins(entries: Sequence[Entry], index: int) -> bool:
    """Whether a turn begins at this index: with what is heard after something else."""
    if index >= len(entries):
        return False
    return entries[index].event in ("HEAR", "FADED") and (index == 0 or entries[index - 1].event != "HEAR")


def read(answer: str, entries: Sequence[Entry]) -> list[Chunk]:
    """The chunks that a model's answer names, repaired to cover exactly these entries. Raises Unreadable."""
    numbers = [entry.number for entry in entries]
    proposed = []
    for line in answer.rpartition("</reasoning>")[2].split("\n"):
        found = LINE.match(line.strip())
        if found:
            first, last = int(found[1]), int(found[2] or found[1])
            inside = first <= last and first <= numbers[-1] and last >= numbers[0]
            if inside:
                gist = escape.one_line(found[4], 100)
                proposed.append(Chunk(first, last, min(10, max(1, int(found[3]))), gist))
    covered = sum(1 for number in numbers if any(one.first <= number <= one.last for one in proposed))
    if not proposed or covered * 2 < len(numbers):
        raise Unreadable("the answer names no chunks, or less than half of the entries")
    return repair(proposed, entries)


def repair(proposed: Sequence[Chunk], entries: Sequence[Entry]) -> list[Chunk]:
    """The chunks in order, each entry in exactly one, borders at starts of turns, none with too many members."""
    starts: dict[int, Chunk] = {}
    for chunk in sorted(proposed, key=lambda one: (one.first, -one.last)):
        index = next((at for at, entry in enumerate(entries) if entry.number >= chunk.first), None)
        if index is not None:
            starts.setdefault(_border(entries, index), chunk)
    lead = starts.get(0) or Chunk(entries[0].number, entries[0].number, 3, "")
    borders = _worth(entries, sorted({0, *starts}))
    made = []
    for at, start in enumerate(borders):
        stop = borders[at + 1] if at + 1 < len(borders) else len(entries)
        base = starts.get(start, lead)
        made += [_chunk(base, entries[one:two]) for one, two in _pieces(entries, start, stop)]
    return made


def _worth(entries: Sequence[Entry], borders: list[int]) -> list[int]:
    """The borders without those of pieces too small to be worth a summary: these go with what follows, or precedes."""
    sizes = [0, *accumulate(map(size, entries))]
    left = [0]
    for border in borders[1:]:
        if sizes[border] - sizes[left[-1]] >= SMALL and sizes[-1] - sizes[border] >= SMALL:
            left.append(border)
    return left


def _border(entries: Sequence[Entry], index: int) -> int:
    """The nearest index at which a turn begins."""
    for away in range(len(entries)):
        for near in (index - away, index + away):
            if near == 0 or (0 < near < len(entries) and begins(entries, near)):
                return near
    return 0


def _pieces(entries: Sequence[Entry], start: int, stop: int) -> list[tuple[int, int]]:
    """The range in pieces of at most MEMBERS entries, cut where turns begin if they do."""
    cuts = [start]
    while stop - cuts[-1] > MEMBERS:
        near = range(cuts[-1] + MEMBERS, cuts[-1], -1)
        cuts.append(next((at for at in near if begins(entries, at)), cuts[-1] + MEMBERS))
    return list(zip(cuts, [*cuts[1:], stop], strict=True))


def _chunk(base: Chunk, members: Sequence[Entry]) -> Chunk:
    gist = base.gist or extract.gist("\n".join(unit.text for unit in units(members)))
    return replace(base, first=members[0].number, last=members[-1].number, gist=gist)


def propose(entries: Sequence[Entry]) -> list[Chunk]:
    """Chunks made without a model, by lexical cohesion (see text.extract)."""
    plain = units(entries)
    spans = extract.segment(plain)
    ranks = extract.relevance(plain, spans)
    chunks = [Chunk(entries[a].number, entries[b].number, rank, "") for (a, b), rank in zip(spans, ranks, strict=True)]
    return repair(chunks, entries)


def members(chunk: Chunk, entries: Sequence[Entry]) -> list[Entry]:
    """The chunk's entries."""
    return [entry for entry in entries if chunk.first <= entry.number <= chunk.last]


def needed(chunks: Sequence[Chunk], entries: Sequence[Entry], budget: float) -> list[Chunk]:
    """From the least to the most relevant (ties: the older first): those that must fade for the entries to halve.

    `budget` is the share of a chunk that its summary keeps.
    """
    total = sum(map(size, entries))
    freed, found = 0.0, []
    for chunk in sorted(chunks, key=lambda one: (one.relevance, one.first)):
        if freed >= total / 2:
            break
        freed += (1 - budget) * sum(map(size, members(chunk, entries)))
        found.append(chunk)
    return found


def units(entries: Sequence[Entry]) -> list[Unit]:
    """Each entry as one unit: who said it (the first who did) and the words, for methods without a model."""
    heard = [spoken(entry) for entry in entries]
    return [Unit(entry.number, pairs[0][0] if pairs else "", "\n".join(words for _, words in pairs))
            for entry, pairs in zip(entries, heard, strict=True)]  # fmt: skip


def spoken(entry: Entry) -> list[tuple[str, str]]:
    """Who said what in the entry."""
    return said.words(entry.event, entry.detail, (entry.content or b"").decode("utf-8", "replace"))
