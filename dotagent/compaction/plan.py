"""What may fade, and in which chunks: pure decisions over a context's entries.

A model proposes chunks by entry numbers; whatever it proposes is repaired until it covers exactly what may fade, in
order, without overlaps or gaps, with borders where turns begin. So an answer is only ever a suggestion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from dotagent import extensions
from dotagent.compaction.grounded import Source, grounded
from dotagent.compaction.tree import MEMBERS
from dotagent.life.context import Entry
from dotagent.life.events import Faded, Hear, Reply, Result
from dotagent.life.replay import size
from dotagent.text import escape, extract, reasoning, said, secrets
from dotagent.text.extract import Unit

SHARE = 2 / 3  # of the context's tokens: the oldest that may fade; the newest third is never touched
KEEPS = 0.15  # of a chunk's tokens: what its summary takes, as long as that is not known
AGAIN = 0.4  # of a summary's tokens: what stays when it fades again; it has been dense since the first time
PIECES = 3  # chunks at most, beside what is summed up already: each costs a request that holds the whole context
SMALL = 160  # tokens: what is smaller is hardly longer than the reference and the summary that would replace it
GIST = 200  # characters of a chunk's gist
LEFT = 0.2  # of the tokens of what may fade: deep, since a swap costs a request and a context that is read anew
OLD = 1 / 6  # of the tokens of what may fade: summaries that take more of them are summed up again
NEAR = 16  # entries by which a chunk's border moves at most, to where a turn begins, or else one of its steps
LINE = re.compile(  # `12-40 7 what`, however a model decorates it
    r"^(?:\d{1,3}[.)]\s+)?\W*(?:entries\W+|chunk\W+|part\W+)?(\d{1,9})(?:\s*(?:-|–|—|to|\.\.)\s*#?(\d{1,9}))?"
    r"\W{1,8}(?:(?:relevance|rating)\W{1,4})?(\d{1,3})\b(?:\s*/\s*10\b)?\W*(?:gist\W+)?(.*)$",
    re.IGNORECASE,
)
LAST = re.compile(  # `12-40: what (7)`
    r"^(?:\d{1,3}[.)]\s+)?\W*#?(\d{1,9})\s*(?:-|–|—|to|\.\.)\s*#?(\d{1,9})\W{1,4}(.*?)\W+(?:(?:relevance|rating)\W{1,4})?"
    r"(\d{1,2})(?:\s*/\s*10)?\W*$",
    re.IGNORECASE,
)
LABEL = re.compile(r"\W*(?:relevance|gist)\W*[:=]", re.IGNORECASE)  # of what stands in a part's own line
HEAD = re.compile(r"^\W*#\d{1,9}\s+(?:\d\d\d\d-\d\d|\d\d:\d\d)")  # of an entry, copied: it says nothing of a chunk

Border = Callable[[Sequence[Entry], int], bool]


class Unreadable(Exception):
    """A model's answer that says nothing that can be used."""


@dataclass(frozen=True)
class Chunk:
    """Entries that fade together: the numbers of the first and the last, 1 to 10, and what they are about."""

    first: int
    last: int
    relevance: int
    gist: str
    told: str = ""
    """The summary that came with it, as a model wrote it; empty where none did."""

    @property
    def span(self) -> str:
        """Its name: `12-40`."""
        return f"{self.first}-{self.last}"


def eligible(entries: Sequence[Entry], kept: Collection[int], borders: Sequence[Border] | None = None) -> list[Entry]:
    """The oldest entries that may fade, about SHARE of the tokens, without those kept.

    They end where a turn begins. Where the last turn is so long that this would leave more than half of them out, they
    end at one of its steps.
    """
    before = [0, *accumulate(map(size, entries))]
    most = sum(1 for tokens in before[1:] if tokens <= SHARE * before[-1])
    end = most
    for begin in (begins, steps) if borders is None else borders:
        found = next((at for at in range(most, 0, -1) if begin(entries, at)), 0)
        if before[found] * 2 >= before[most]:
            end = found
            break
    return [entry for entry in entries[:end] if entry.number not in kept]


def dense(entries: list[Entry]) -> list[Entry]:
    """The entries without the summaries at their beginning, where these are few enough to stay as they are."""
    first = next((at for at, entry in enumerate(entries) if entry.event != Faded.WORD), 0)
    few = sum(map(size, entries[:first])) <= OLD * sum(map(size, entries))
    return entries[first:] if few else entries


def begins(entries: Sequence[Entry], index: int) -> bool:
    """Whether a turn begins at this index: with what is heard after something else."""
    opens = index < len(entries) and entries[index].event in (Hear.WORD, Faded.WORD)
    return opens and (index == 0 or entries[index - 1].event != Hear.WORD)


def steps(entries: Sequence[Entry], index: int) -> bool:
    """Whether a step of a turn begins at this index: not between a reply and the results of its calls."""
    inside = 0 < index < len(entries)
    return index == 0 or (inside and entries[index].event != Result.WORD and entries[index - 1].event != Reply.WORD)


def read(answer: str, entries: Sequence[Entry], others: str = "") -> list[Chunk]:
    """The chunks that a model's answer names, repaired to cover exactly these entries. What one is about must stand in
    its entries, and not in `others`, what else the model was shown. Raises Unreadable."""
    numbers = [entry.number for entry in entries]
    proposed = list[Chunk]()
    for line in reasoning.strip(answer).split("\n"):
        one = _named(line[:1000].strip())
        if one and one.first <= one.last and one.first <= numbers[-1] and one.last >= numbers[0]:
            proposed.append(replace(one, gist=grounded(one.gist, source(members(one, entries), others))))
        elif proposed and not (one or LABEL.match(line)):
            proposed[-1] = replace(proposed[-1], told=f"{proposed[-1].told}\n{line}".lstrip("\n"))
    if not all(one.told.strip() for one in proposed[:-1]):
        proposed = [
            replace(one, told="") for one in proposed
        ]  # it names parts only; what stands below is something else
    covered = sum(1 for number in numbers if any(one.first <= number <= one.last for one in proposed))
    if not proposed or covered * 2 < len(numbers):
        raise Unreadable("the answer names no chunks, or less than half of the entries")
    return repair(proposed, entries)


def _named(line: str) -> Chunk | None:
    """The chunk that a line names."""
    if HEAD.match(line):
        return None
    if last := LAST.match(line):
        return Chunk(int(last[1]), int(last[2]), rank(last[4]), escape.one_line(last[3], 100))
    found = LINE.match(line)
    return found and Chunk(int(found[1]), int(found[2] or found[1]), rank(found[3]), escape.one_line(found[4], 100))


def rank(digits: str) -> int:
    """A relevance as a model wrote it, held between 1 and 10."""
    return min(10, max(1, int(digits)))


def repair(proposed: Sequence[Chunk], entries: Sequence[Entry]) -> list[Chunk]:
    """The chunks in order, each entry in exactly one, borders at starts of turns, none with too many members."""
    starts: dict[int, Chunk] = {}
    for chunk in sorted(proposed, key=lambda one: (one.first, -one.last)):
        index = next((at for at, entry in enumerate(entries) if entry.number >= chunk.first), None)
        if index is not None:
            starts.setdefault(_border(entries, index), chunk)
    lead = starts.get(0) or Chunk(entries[0].number, entries[0].number, 3, "")
    borders = _worth(entries, sorted({0, *starts}), _summed(entries))
    made = []
    for start, stop in pairwise([*borders, len(entries)]):
        inner = {index: chunk for index, chunk in starts.items() if start < index < stop}
        base = _merged({start: starts.get(start, lead), **inner}, entries, stop)
        pieces = _pieces(entries, start, stop)
        base = replace(base, told=base.told if len(pieces) == 1 else "")
        made += [_chunk(base, entries[one:two]) for one, two in pieces]
    return made


def _merged(parts: Mapping[int, Chunk], entries: Sequence[Entry], stop: int) -> Chunk:
    """What is said of chunks that became one: their gists in order, and their relevance by their size."""
    starts = sorted(parts)
    sizes = [sum(map(size, entries[start:end])) for start, end in pairwise([*starts, stop])]
    relevance = sum(parts[at].relevance * tokens for at, tokens in zip(starts, sizes, strict=True)) / sum(sizes)
    gists = dict.fromkeys(parts[at].gist for at in starts if parts[at].gist)
    told = [parts[at].told.strip() for at in starts]
    whole, gist = "\n".join(told) if all(told) else "", escape.one_line("; ".join(gists), GIST)
    return replace(parts[starts[0]], relevance=round(relevance), gist=gist, told=whole)


def _worth(entries: Sequence[Entry], borders: list[int], summed: int) -> list[int]:
    """The borders, but not those that would leave a piece too small to be worth a summary.

    The first `summed` entries are summaries already; they stay a piece of their own.
    """
    sizes = [0, *accumulate(map(size, entries))]
    left, least = [0, summed] if summed else [0], max(SMALL, (sizes[-1] - sizes[summed]) // PIECES)
    for border in borders[1:]:
        if border > summed and sizes[border] - sizes[left[-1]] >= least and sizes[-1] - sizes[border] >= least:
            left.append(border)
    return left


def _summed(entries: Sequence[Entry]) -> int:
    """How many of the first entries are summaries, when they are large enough for a chunk of their own; else 0.

    They fade last: a summary of summaries frees little, and what stays at the context's beginning stays cached.
    """
    found = next((at for at, entry in enumerate(entries) if entry.event != Faded.WORD), len(entries))
    return found if found < len(entries) and sum(map(size, entries[:found])) >= SMALL else 0


def _border(entries: Sequence[Entry], index: int) -> int:
    """The nearest index at which a turn begins, or in a turn that is long one of its steps."""
    for begin in (begins, steps):
        for away in range(NEAR + 1):
            for near in (index - away, index + away):
                if near == 0 or (0 < near < len(entries) and begin(entries, near)):
                    return near
    return index


def _pieces(entries: Sequence[Entry], start: int, stop: int) -> list[tuple[int, int]]:
    """The range in pieces of at most MEMBERS entries, cut where turns begin if they do."""
    cuts = [start]
    while stop - cuts[-1] > MEMBERS:
        near = range(cuts[-1] + MEMBERS, cuts[-1], -1)
        ways: tuple[Border, ...] = (begins, steps, lambda among, at: True)
        cuts.append(next(at for begin in ways for at in near if begin(entries, at)))
    return list(pairwise([*cuts, stop]))


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


def summed(chunk: Chunk, entries: Sequence[Entry]) -> bool:
    """Whether all of the chunk is summed up already."""
    return all(entry.event == Faded.WORD for entry in members(chunk, entries))


def order(chunk: Chunk, entries: Sequence[Entry], back: Collection[int] = ()) -> tuple[bool, bool, int, int]:
    """In which order chunks fade: the least relevant first, of equals the older; after these what a person took back,
    and last of all what is summed up already."""
    taken = sum(size(entry) if entry.number in back else -size(entry) for entry in members(chunk, entries)) > 0
    return summed(chunk, entries), taken, chunk.relevance, chunk.first


def needed(
    chunks: Sequence[Chunk], entries: Sequence[Entry], costs: Mapping[str, int], back: Collection[int] = ()
) -> list[Chunk]:
    """The chunks that must fade until only LEFT of the entries' tokens are left, in the order in which chunks fade, and
    the summaries where they are too many.

    `costs` tells by a chunk's span how many tokens its summary takes, where that is known. What would not get smaller
    is left out.
    """
    freed, found = 0.0, []
    for chunk in sorted(chunks, key=lambda one: order(one, entries, back)):
        if enough(chunk, entries, freed):
            continue
        tokens = sum(map(size, members(chunk, entries)))
        frees = tokens - costs.get(chunk.span, keeps(members(chunk, entries)) * tokens)
        if frees > 0:
            freed += frees
            found.append(chunk)
    return found


def enough(chunk: Chunk, entries: Sequence[Entry], freed: float) -> bool:
    """Whether this chunk stays where those before it in their order freed so many tokens: for what is summed up already
    that is no matter of these, but of its own size, since each time it says less."""
    if summed(chunk, entries):
        return sum(map(size, members(chunk, entries))) <= OLD * sum(map(size, entries))
    return freed >= (1 - LEFT) * sum(size(entry) for entry in entries if entry.event != Faded.WORD)


def keeps(entries: Sequence[Entry]) -> float:
    """The share of the entries' tokens that their summary may have: AGAIN of summaries, KEEPS of the rest."""
    total = sum(map(size, entries))
    dense = sum(size(entry) for entry in entries if entry.event == Faded.WORD)
    return KEEPS + (AGAIN - KEEPS) * dense / total if total else KEEPS


def units(entries: Sequence[Entry]) -> list[Unit]:
    """Each entry as one unit: who said it (the first who did) and the words, for methods without a model."""
    heard = [spoken(entry) for entry in entries]
    return [Unit(entry.number, pairs[0][0] if pairs else "", "\n".join(words for _, words in pairs))
            for entry, pairs in zip(entries, heard, strict=True)]  # fmt: skip


def source(entries: Sequence[Entry], others: str = "") -> Source:
    """What the entries say, for what is written of them; `others` is what else the writer was shown."""
    said = "\n".join(f"{who}: {words}" for entry in entries for who, words in spoken(entry))
    return Source(said, others, tuple({entry.line.at for entry in entries}))


def spoken(entry: Entry) -> list[tuple[str, str]]:
    """Who said what in the entry, without secrets."""
    text = secrets.masked((entry.content or b"").decode("utf-8", "replace"))
    return said.words(entry.event, entry.detail, text, extensions.tools())
