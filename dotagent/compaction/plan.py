"""Decide which entries may fade, and how they form chunks. Pure.

A model proposes chunks by entry numbers. Each proposal is repaired until it covers exactly the entries that may fade,
in order, without overlaps or gaps, with borders at the beginnings of turns. So an answer is only a suggestion. Owns
nothing on disk.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate, pairwise
from operator import attrgetter

from dotagent import extensions
from dotagent.compaction.faithfulness import Source, grounded
from dotagent.compaction.tree import MEMBERS
from dotagent.life import events, repeats
from dotagent.life.background_events import Ended, Returned
from dotagent.life.context import Entry, tokens_of
from dotagent.life.events import Faded, Hear, Join, Reply, Result
from dotagent.store.home import Settings
from dotagent.text import escape, extract, lazy, reasoning, secrets, speakers, times
from dotagent.text.extract import Unit
from dotagent.text.lazy import dataclass, replace

SHARE = 2 / 3  # share of the context's tokens, the oldest, that may fade; the newest third never does
KEEPS = 0.15  # the estimated share of a chunk's tokens that its summary needs
AGAIN = 0.4  # the share of a summary that remains when it fades again; it is dense already
PIECES = 3  # approximate summaries of one compaction; each may cost a request with the whole context
LARGEST = 2 / 3  # share of the fadeable tokens; a larger chunk is cut, so that a part can stay
RESTED = 1500  # tokens that a compaction at rest leaves word for word
SUMMED = 1000  # tokens of its new summaries together
ASKED = 0.25  # share of these that a model writes; sentences of the originals, which cost no answer, fill the rest
SMALL = 160  # tokens: a smaller chunk is hardly longer than its reference and summary
GIST = 200  # characters of a chunk's gist
LEFT = Settings.fade_to  # the approximate share of the fadeable tokens that is left
OLD = 1 / 6  # share of the fadeable tokens; if summaries have more, they are summarised again
NEAR = 16  # entries: how far a chunk's border may move, to the beginning of a turn or a step
QUOTED = frozenset(
    one.WORD for one in (Hear, Join, Reply, Result, Returned, Ended, Faded)
)  # their words, not dotagent's
REST = "rest"
"""Why a compaction began: the conversation rests, and the cache of the model's provider will soon drop the prompt."""
LINE = lazy.compile(  # `12-40 7 gist`, with any decoration
    r"^(?:\d{1,3}[.)]\s+)?\W*(?:entries\W+|chunk\W+|part\W+)?(\d{1,9})(?:\s*(?:-|–|—|to|\.\.)\s*#?(\d{1,9}))?"
    r"\W{1,8}(?:(?:relevance|rating)\W{1,4})?(\d{1,3})\b(?:\s*/\s*10\b)?\W*(?:gist\W+)?(.*)$",
    re.IGNORECASE,
)
LAST = lazy.compile(  # `12-40: gist (7)`
    r"^(?:\d{1,3}[.)]\s+)?\W*#?(\d{1,9})\s*(?:-|–|—|to|\.\.)\s*#?(\d{1,9})\W{1,4}(.*?)\W+(?:(?:relevance|rating)\W{1,4})?"
    r"(\d{1,2})(?:\s*/\s*10)?\W*$",
    re.IGNORECASE,
)
LABEL = lazy.compile(r"\W*(?:relevance|gist)\W*[:=]", re.IGNORECASE)  # a label inside a part's own line
HEAD = lazy.compile(r"^\W*#\d{1,9}\s+(?:\d\d\d\d-\d\d|\d\d:\d\d)")  # the copied head of an entry

Border = Callable[[Sequence[Entry], int], bool]


class Unreadable(Exception):
    """A model's answer without usable content."""


@dataclass(frozen=True)
class Chunk:
    """Entries that fade together: the first and last number, the relevance from 1 to 10, and a gist."""

    first: int
    last: int
    relevance: int
    gist: str
    told: str = ""
    """The summary that a model sent with it, or ""."""

    @property
    def span(self) -> str:
        """Return its name: `12-40`."""
        return f"{self.first}-{self.last}"


def eligible(
    entries: Sequence[Entry], kept: Collection[int], borders: Sequence[Border] | None = None, why: str = ""
) -> list[Entry]:
    """Return the oldest entries that may fade, about SHARE of the tokens, without kept ones. At rest (`why`), all but
    about RESTED tokens may, and at least half of these stay.

    They end where a turn begins. If the last turn is so long that this would exclude more than half of them, or leave
    RESTED tokens too many, they end at one of its steps.
    """
    before = [0, *accumulate(entry.tokens for entry in entries)]
    room = before[-1] - RESTED if why == REST else SHARE * before[-1]
    most = sum(1 for tokens in before[1:] if tokens <= room)
    end = most
    for begin in (is_turn_start, steps) if borders is None else borders:
        if why == REST:
            ends = (at for at in range(1, len(entries)) if begin(entries, at))
            found = min((0, *ends), key=lambda at: abs(before[at] - room))
            fits = -RESTED / 2 <= room - before[found] <= RESTED
        else:
            found = next((at for at in range(most, 0, -1) if begin(entries, at)), 0)
            fits = before[found] * 2 >= before[most]
        if fits:
            end = found
            break
    return [entry for entry in entries[:end] if entry.number not in kept]


def dense(entries: list[Entry], why: str = "") -> list[Entry]:
    """Return the entries without the summaries at their beginning, if these are few enough to stay. At rest (`why`), as
    many stay as a rest makes, so that short rests do not summarise the same summaries each time."""
    first = next((at for at, entry in enumerate(entries) if entry.event != Faded.WORD), 0)
    few = tokens_of(entries[:first]) <= max(OLD * tokens_of(entries), SUMMED if why == REST else 0)
    return entries[first:] if few else entries


def is_turn_start(entries: Sequence[Entry], index: int) -> bool:
    """Return True if a turn begins at this index: with a message after something else."""
    opens = index < len(entries) and entries[index].event in (Hear.WORD, Faded.WORD)
    return opens and (index == 0 or entries[index - 1].event != Hear.WORD)


def steps(entries: Sequence[Entry], index: int) -> bool:
    """Return True if a step of a turn begins at this index: not between a reply and its results."""
    inside = 0 < index < len(entries)
    return index == 0 or (inside and entries[index].event != Result.WORD and entries[index - 1].event != Reply.WORD)


def read(answer: str, entries: Sequence[Entry], others: str = "", left: float = LEFT) -> list[Chunk]:
    """Return the chunks in a model's answer, repaired to cover exactly these entries.

    Each name in a gist must be in the chunk's entries. `others` is the rest of the model's prompt, and `left` the share
    of the entries that will remain. Raises Unreadable.
    """
    numbers = [entry.number for entry in entries]
    proposed = list[Chunk]()
    for line in reasoning.strip(answer).split("\n"):
        one = _parse_line(line[:1000].strip())
        if one and one.first <= one.last and one.first <= numbers[-1] and one.last >= numbers[0]:
            proposed.append(replace(one, gist=grounded(one.gist, source(members(one, entries), others))))
        elif proposed and not (one or LABEL.match(line)):
            proposed[-1] = replace(proposed[-1], told=f"{proposed[-1].told}\n{line}".lstrip("\n"))
    if not all(one.told.strip() for one in proposed[:-1]):
        proposed = [
            replace(one, told="") for one in proposed
        ]  # it names parts only; the text below them is something else
    covered = sum(1 for number in numbers if any(one.first <= number <= one.last for one in proposed))
    if not proposed or covered * 2 < len(numbers):
        raise Unreadable("the model's answer leaves out more than half of the messages")
    return _suited(repair(proposed, entries), entries, left)


def _parse_line(line: str) -> Chunk | None:
    """Return the chunk in a line. The rating is before the gist, or after it if no number comes before."""
    if HEAD.match(line):
        return None
    found, last = LINE.match(line), LAST.match(line)
    if last and not (found and found[2] and 1 <= int(found[3]) <= 10):
        return Chunk(int(last[1]), int(last[2]), rank(last[4]), escape.one_line(last[3], 100))
    return found and Chunk(int(found[1]), int(found[2] or found[1]), rank(found[3]), escape.one_line(found[4], 100))


def rank(digits: str) -> int:
    """Return a model's relevance, limited to 1 to 10."""
    return min(10, max(1, int(digits)))


def repair(proposed: Sequence[Chunk], entries: Sequence[Entry], least: float = SMALL) -> list[Chunk]:
    """Return the chunks in order, with each entry in exactly one of them.

    Chunks begin where turns begin. None has too many members, and one of fewer than `least` tokens joins its neighbour.
    """
    starts: dict[int, Chunk] = {}
    for chunk in sorted(proposed, key=lambda one: (one.first, -one.last)):
        index = next((at for at, entry in enumerate(entries) if entry.number >= chunk.first), None)
        if index is not None:
            starts.setdefault(_border(entries, index), chunk)
    lead = starts.get(0) or Chunk(entries[0].number, entries[0].number, 3, "")
    borders = _worth(entries, sorted({0, *starts}), least)
    made = []
    for start, stop in pairwise([*borders, len(entries)]):
        inner = {index: chunk for index, chunk in starts.items() if start < index < stop}
        base = _merged({start: starts.get(start, lead), **inner}, entries, stop)
        made += _cut(base, entries, _pieces(entries, start, stop))
    return made


def _cut(base: Chunk, entries: Sequence[Entry], pieces: Sequence[tuple[int, int]]) -> list[Chunk]:
    """Return a chunk for each piece. A summary of the whole does not apply to a piece, and the gist of the whole only
    if the piece says the same."""
    if len(pieces) == 1:
        return [_chunk(base, entries[start:stop]) for start, stop in pieces]
    sources = [source(entries[start:stop]) for start, stop in pieces]
    gists = [grounded(base.gist, one) if one.words.strip() else "" for one in sources]
    return [
        _chunk(replace(base, told="", gist=gist), entries[start:stop])
        for gist, (start, stop) in zip(gists, pieces, strict=True)
    ]


def parted(chunks: Sequence[Chunk], entries: Sequence[Entry], frame: Collection[int]) -> list[Chunk]:
    """Return the chunks, cut where an entry of the turn's frame stays, so that each summary is on the right side of
    it."""
    made = list[Chunk]()
    for one in chunks:
        own = members(one, entries)
        cuts = [at for at in range(1, len(own)) if any(own[at - 1].number < n < own[at].number for n in frame)]
        made += _cut(one, own, list(pairwise([0, *cuts, len(own)]))) if cuts else [one]
    return made


def _suited(chunks: Sequence[Chunk], entries: Sequence[Entry], left: float) -> list[Chunk]:
    """Return the chunks that will fade, cut if they are too large and joined if they are small neighbours, and the
    others.

    A chunk that stays is unchanged, because it costs no request, and if none stays, no large one is cut.
    """

    def tokens(group: Sequence[Chunk]) -> int:
        return sum(entry.tokens for one in group for entry in members(one, entries))

    total = tokens_of(entries)
    going = {one.span for one in needed(chunks, entries, {}, left=left) if not summed(one, entries)}
    most = {one.span: LARGEST * total if left and one.span in going else math.inf for one in chunks}
    parts = [part for one in chunks for part in _parts(one, entries, most[one.span])]
    going = {one.span for one in needed(parts, entries, {}, left=left) if not summed(one, entries)}
    groups = [parts[:1]]
    for before, one in pairwise(parts):
        sizes = tokens(groups[-1]), tokens([one])
        many = sum(len(members(chunk, entries)) for chunk in (*groups[-1], one))
        small = sizes[0] < total / PIECES and min(sizes) < total / PIECES / 2 and many <= MEMBERS
        if small and {before.span, one.span} <= going:
            groups[-1].append(one)
        else:
            groups.append([one])
    return [_as_one(group, entries) for group in groups]


def _as_one(chunks: Sequence[Chunk], entries: Sequence[Entry]) -> Chunk:
    """Return neighbours as one chunk, as relevant as the most relevant of them, so that it never fades before
    others."""
    own = [entry for one in chunks for entry in members(one, entries)]
    starts = [0, *accumulate(len(members(one, entries)) for one in chunks)]
    joined = _merged(dict(zip(starts, chunks, strict=False)), own, len(own))
    return replace(joined, last=own[-1].number, relevance=max(one.relevance for one in chunks))


def _parts(chunk: Chunk, entries: Sequence[Entry], most: float) -> list[Chunk]:
    """Return the chunk in parts of about equal size, beginning where turns begin, with at most about `most` tokens
    each."""
    own = members(chunk, entries)
    sizes = [0, *accumulate(entry.tokens for entry in own)]
    many, cuts = math.ceil(sizes[-1] / most), [0]
    for number in range(1, many):
        ways = [at for at in range(cuts[-1] + 1, len(own)) if is_turn_start(own, at) or steps(own, at)]
        near = min(ways, key=lambda at: abs(sizes[at] - sizes[-1] * number / many), default=len(own))
        if min(sizes[near] - sizes[cuts[-1]], sizes[-1] - sizes[near]) >= SMALL:
            cuts.append(near)
    return _cut(chunk, own, list(pairwise([*cuts, len(own)])))


def _merged(parts: Mapping[int, Chunk], entries: Sequence[Entry], stop: int) -> Chunk:
    """Join chunks: their gists in order, and their relevance weighted by size."""
    starts = sorted(parts)
    sizes = [tokens_of(entries[start:end]) for start, end in pairwise([*starts, stop])]
    relevance = sum(parts[at].relevance * tokens for at, tokens in zip(starts, sizes, strict=True)) / sum(sizes)
    gists = dict.fromkeys(parts[at].gist for at in starts if parts[at].gist)
    told = [parts[at].told.strip() for at in starts]
    whole, gist = "\n".join(told) if all(told) else "", escape.one_line("; ".join(gists), GIST)
    return replace(parts[starts[0]], relevance=round(relevance), gist=gist, told=whole)


def _worth(entries: Sequence[Entry], borders: list[int], least: float) -> list[int]:
    """Return the borders, without any that would create a piece of fewer than `least` tokens.

    Summaries at the beginning stay a separate piece.
    """
    sizes, summed = [0, *accumulate(entry.tokens for entry in entries)], _summed(entries)
    left = [0, summed] if summed else [0]
    for border in borders[1:]:
        if border > summed and sizes[border] - sizes[left[-1]] >= least and sizes[-1] - sizes[border] >= least:
            left.append(border)
    return left


def _summed(entries: Sequence[Entry]) -> int:
    """Return how many of the first entries are summaries, if they are large enough for a separate chunk, otherwise 0.

    They fade last: a summary of summaries frees little, and an unchanged beginning of the context stays cached.
    """
    found = next((at for at, entry in enumerate(entries) if entry.event != Faded.WORD), len(entries))
    return found if found < len(entries) and tokens_of(entries[:found]) >= SMALL else 0


def _border(entries: Sequence[Entry], index: int) -> int:
    """Return the nearest index where a turn begins, or, inside a long turn, a step."""
    for begin in (is_turn_start, steps):
        for away in range(NEAR + 1):
            for near in (index - away, index + away):
                if near == 0 or (0 < near < len(entries) and begin(entries, near)):
                    return near
    return index


def _pieces(entries: Sequence[Entry], start: int, stop: int) -> list[tuple[int, int]]:
    """Divide the range into pieces of at most MEMBERS entries, cut where turns begin if possible."""
    cuts = [start]
    while stop - cuts[-1] > MEMBERS:
        near = range(cuts[-1] + MEMBERS, cuts[-1], -1)
        ways: tuple[Border, ...] = (is_turn_start, steps, lambda among, at: True)
        cuts.append(next(at for begin in ways for at in near if begin(entries, at)))
    return list(pairwise([*cuts, stop]))


def _chunk(base: Chunk, members: Sequence[Entry]) -> Chunk:
    said = "\n\n".join(unit.text for unit in units(members))  # so that no sentence is of two speakers
    gist = base.gist or extract.gist(said) or speakers.NOTHING
    return replace(base, first=members[0].number, last=members[-1].number, gist=gist)


def propose(entries: Sequence[Entry]) -> list[Chunk]:
    """Return chunks made without a model, at most two times PIECES, by lexical cohesion (see text.extract)."""
    plain = units(entries)
    spans = extract.segment(plain)
    ranks = extract.relevance(plain, spans)
    chunks = [Chunk(entries[a].number, entries[b].number, rank, "") for (a, b), rank in zip(spans, ranks, strict=True)]
    own = tokens_of(entries[_summed(entries) :])
    made = repair(chunks, entries, max(SMALL, own // (2 * PIECES)))
    return [part for one in made for part in _parts(one, entries, LARGEST * own)]


def members(chunk: Chunk, entries: Sequence[Entry]) -> list[Entry]:
    """Return the chunk's entries. Entries are in the order of their numbers."""
    start = bisect_left(entries, chunk.first, key=_number)
    return list(entries[start : bisect_right(entries, chunk.last, start, key=_number)])


_number = attrgetter("number")


def summed(chunk: Chunk, entries: Sequence[Entry]) -> bool:
    """Return True if the chunk consists of summaries only."""
    return all(entry.event == Faded.WORD for entry in members(chunk, entries))


def order(chunk: Chunk, entries: Sequence[Entry], back: Collection[int] = ()) -> tuple[bool, bool, int, int]:
    """Return the sort key for fading: least relevant first, then oldest. Chunks that a person restored come after the
    others, and existing summaries last."""
    taken = sum(entry.tokens if entry.number in back else -entry.tokens for entry in members(chunk, entries)) > 0
    return summed(chunk, entries), taken, chunk.relevance, chunk.first


def needed(
    chunks: Sequence[Chunk],
    entries: Sequence[Entry],
    costs: Mapping[str, int],
    back: Collection[int] = (),
    left: float = LEFT,
    over: float = 0,
) -> list[Chunk]:
    """Return the chunks that must fade, in the order of fading (see `enough`).

    `costs` has the tokens of known summaries by a chunk's span. A chunk that would not shrink is left out.
    """
    pairs = list[tuple[Chunk, float]]()
    for chunk in sorted(chunks, key=lambda one: order(one, entries, back)):
        tokens = tokens_of(members(chunk, entries))
        pairs.append((chunk, tokens - costs.get(chunk.span, summary_share(members(chunk, entries)) * tokens)))
    return enough([(chunk, frees) for chunk, frees in pairs if frees > 0], entries, left, over)


def enough(
    pairs: Sequence[tuple[Chunk, float]], entries: Sequence[Entry], left: float = LEFT, over: float = 0
) -> list[Chunk]:
    """Return the chunks that must fade, in their order. A pair says how many tokens a chunk frees.

    Old summaries fade if they are too many, because they lose detail each time. Then the others fade in order until the
    rest is as close to `left`, a share of the entries, as whole chunks allow. So more relevant chunks stay word for
    word, unless `over` tokens cannot be freed without them, because the context would exceed its limit.
    """
    total = tokens_of(entries)
    old = {one.span: tokens_of(members(one, entries)) for one, _ in pairs if summed(one, entries)}
    gone = {one.span: frees for one, frees in pairs if old.get(one.span, 0) > OLD * total}
    stays = False
    for chunk, frees in pairs:
        freed = sum(gone.values())
        if chunk.span not in old:
            stays = stays or (len(gone) > 0 and freed + frees / 2 >= (1 - left) * total)
        if chunk.span not in gone and (freed < over or not (stays or chunk.span in old)):
            gone[chunk.span] = frees
    return [chunk for chunk, _ in pairs if chunk.span in gone]


def summary_share(entries: Sequence[Entry]) -> float:
    """Return the share of the entries' tokens that their summary may have: AGAIN for summaries, KEEPS for the rest."""
    total = tokens_of(entries)
    dense = sum(entry.tokens for entry in entries if entry.event == Faded.WORD)
    return KEEPS + (AGAIN - KEEPS) * dense / total if total else KEEPS


def kept_share(members: Sequence[Entry], entries: Sequence[Entry], why: str) -> float:
    """Return the share of its tokens that the summary of a chunk of these entries may have in a compaction."""
    share, total = summary_share(members), tokens_of(entries)
    return min(share, SUMMED / total) if why == REST and total else share


def units(entries: Sequence[Entry]) -> list[Unit]:
    """Return each entry as one unit, with its first speaker and its text, for methods without a model."""
    heard = [spoken(entry) for entry in entries]
    return [Unit(entry.number, pairs[0][0] if pairs else "", "\n\n".join(words for _, words in pairs))
            for entry, pairs in zip(entries, heard, strict=True)]  # fmt: skip


def source(entries: Sequence[Entry], others: str = "", listed: Sequence[str] = ()) -> Source:
    """Return the entries' text as the source of a summary. `others` is the rest of the writer's prompt, `listed` its
    standing instructions (`who: words`)."""
    said = tuple(pair for entry in entries for pair in _words(entry))
    people = frozenset(name for entry in entries for name in persons(entry))
    days = tuple({times.format_stamp(entry.line.at, 10) for entry in entries})
    text = "\n".join(f"{who}: {words}" if who else words for who, words in said)
    return Source(text, others, days, said, people, tuple(listed))


def spoken(entry: Entry) -> list[tuple[str, str]]:
    """Return the (speaker, text) pairs in the entry that a summary may quote, without secrets.

    Dotagent's own lines have none: what a tool says itself that it did, or why it did not, and the entry that began a
    turn.
    """
    event = events.parse(entry.line)
    receipt = isinstance(event, Result) and repeats.is_receipt(event)
    return _words(entry) if entry.event in QUOTED and not receipt else []


def persons(entry: Entry) -> set[str]:
    """Return the names of the people whose words are in the entry."""
    if entry.event == Faded.WORD:
        return {who for who, _ in _words(entry) if who not in ("", speakers.ME) and " " not in who}
    text = (entry.content or b"").decode("utf-8", "replace")
    return {one.name for one in speakers.messages(entry.event, text) if one.person}


def _words(entry: Entry) -> list[tuple[str, str]]:
    text = secrets.masked((entry.content or b"").decode("utf-8", "replace"))
    return speakers.words(entry.event, entry.detail, text, extensions.tools())
