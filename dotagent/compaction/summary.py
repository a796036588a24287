"""Summaries: what a model answered, read and held to its budget, or made without one; with people's standing
instructions in either, word for word, however often they fade.

A summary is text: references, tags and calls in it are inert, since it is only ever shown indented and escaped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dotagent.compaction import grounded, wishes
from dotagent.compaction.grounded import Source
from dotagent.compaction.plan import KEEPS, Unreadable, rank, spoken
from dotagent.life.context import Entry
from dotagent.life.events import Faded
from dotagent.life.replay import size
from dotagent.text import escape, extract, reasoning, said, secrets, standing, tokens
from dotagent.text.extract import Unit

LEAST, MOST = 40, 700  # tokens of a summary
OVER = 3  # times its budget: a summary that is longer is none
SAME = 0.7  # of a sentence's words: it says what an instruction says that has so many of them
TELLING = 4  # words that tell something: what stands on the gist's line is a summary itself if it has so many
NOTHING = Source()
STANDING_MOST = 0.12  # of the context's limit: beyond, the oldest instructions are only in the originals

_ITEM = r"^[^\w\n]*(?:\d{1,9}(?:-#?\d{1,9})?[.)]?[^\w\n]+)?"  # how a model may begin a line: marks, a number, a span
_RELEVANCE = re.compile(_ITEM + r"relevance\W*(\d{1,3})\b", re.IGNORECASE | re.MULTILINE)
_GIST = re.compile(rf"(?:{_ITEM}|(?<=\d)[^\w\n]+)gist\W*?[:=][^\w\n]*(.*)$", re.IGNORECASE | re.MULTILINE)
_ECHO = re.compile(r"^[^\w\n]*(?:relevance\W*\d|(?:SUMMARISE|SEGMENT) the entries\b)", re.IGNORECASE | re.MULTILINE)
_LISTED = re.compile(rf"^[^\w\n]*{said.STANDING}[^\w\n]*$\n?(?:[ \t]*[-*•].*$\n?)*", re.IGNORECASE | re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,}).*$\n?", re.MULTILINE)
_LABEL = re.compile(
    r"\A\W*(?:the\s+)?summary\W*[:=]\s*|^[^\w\n]*(?:the\s+)?summary[^\w\n]*$\n?", re.IGNORECASE | re.MULTILINE
)
_NUMBER = r"^[^\w\n#]*#\d{1,9}(?:-#?\d{1,9})?"
_TIME = r"[ \t]+(?:\d{4}-\d\d-\d\d[T ]?)?(?:\d\d:\d\d(?::[\d.]+)?Z?)?"
_HEAD = re.compile(  # of an entry, copied: by itself on a line, or before who says what
    rf"{_NUMBER}(?:{_TIME})?(?:[ \t]+[A-Z]{{3,}}\b(?:[ \t]+[^\s:]{{1,64}}){{0,5}})?[ \t]*$\n?"
    rf"|{_NUMBER}(?:{_TIME})?(?:[ \t]+[^\s:]{{1,64}})?(?=[ \t]+[^\s:]{{1,64}}:)|{_NUMBER}(?:{_TIME})?:?(?=[ \t]|$)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Summary:
    """What stays of a chunk: how relevant its words are (1 to 10), one line, and the text."""

    relevance: int
    gist: str
    text: str


def budget(whole: int, keeps: float = KEEPS) -> int:
    """How many tokens the summary of so many may have, a share `keeps` of them."""
    return max(LEAST, min(MOST, int(keeps * whole)))


def read(
    answer: str,
    whole: int,
    made: Summary,
    source: Source = NOTHING,
    keeps: float = KEEPS,
    messages: Sequence[tuple[str, str]] = (),
) -> Summary:
    """The summary in a model's answer.

    It sums up the words of `source`, `whole` tokens, and was asked for a share `keeps` of them. `made` is one that was
    made of them without a model: its names, numbers and dates stand in this one too, as far as the budget allows; where
    the answer tells no relevance or no gist, its own holds. What stands once for all is what the answer lists, as it
    stands in people's `messages`, (who, text); where it lists nothing, what `made` has. Raises Unreadable when the
    answer is not in the form, is empty, or says little that its source says and names nothing that stands. One far
    beyond its budget, or more than half as long as what it sums up, is cut to its budget; where no source is known it
    is none.
    """
    answer, named = wishes.listed(_FENCE.sub("", reasoning.strip(answer)).strip(), messages)
    relevance, line, told = _parts(answer)
    own, lines = said.part(made.text)
    lines = lines if named is None else named
    text = _once(_clean(told), lines)
    if not told or (not text and not line):
        raise Unreadable("the answer holds no summary")
    long = tokens.estimate(text) > max(2 * LEAST, min(OVER * budget(whole, keeps), whole // 2))
    if long and source is NOTHING:
        raise Unreadable("the summary is more than half as long as what it sums up, or far longer than it may be")
    text = grounded.grounded(text or escape.one_line(line, 100), source) or (own if named else "")
    if not text:  # and it did not name what stands there word for word either: who did has read it
        raise Unreadable("the summary says what is not in the entries that it sums up")
    if source is not NOTHING:
        most = budget(whole, keeps)
        text = grounded.completed(text, own, most if long else max(most, tokens.estimate(text)), source)
    about = escape.one_line(grounded.grounded(_clean(line), source), 100) if extract.terms(line) else ""
    about = about or made.gist or extract.gist(text)
    return Summary(rank(relevance) if relevance else made.relevance, about, _with(text, lines))


def _parts(answer: str) -> tuple[str, str, str]:
    """The relevance's digits and the gist that an answer tells, "" where it tells none, and the summary. Raises
    Unreadable."""
    relevance, gist = _RELEVANCE.search(answer), _GIST.search(answer)
    if not relevance and not gist:
        raise Unreadable("the answer does not begin with `relevance: N` and `gist: …`")
    line = gist[1].strip() if gist else ""
    told = _ECHO.split(answer[max(found.end() for found in (relevance, gist) if found) :])[0].strip()
    if not told and len(set(extract.terms(line))) >= TELLING:  # a summary on the gist's line, or a gist for each thing
        told = "\n".join(dict.fromkeys(_GIST.findall(answer)))
    return relevance[1] if relevance else "", line, told


def _once(text: str, lines: Sequence[str]) -> str:
    """The text with each sentence once, however often a model said it, and without those that only say what stands word
    for word below it."""
    below, seen, kept = [set(extract.terms(line.partition(": ")[2])) for line in lines], set[str](), list[str]()
    for row in text.split("\n"):
        held = list[str]()
        for one in standing.sentences(row):
            told = set(extract.terms(one.partition(": ")[2] or one))
            if one in seen or (len(told) > 1 and any(len(told & rule) >= SAME * len(told) for rule in below)):
                continue
            seen.add(one)
            held.append(one)
        kept += [" ".join(held)] if held else []
    return "\n".join(kept)


def _clean(text: str) -> str:
    """A summary without what a model puts around it: heads of entries that it copied, a list of standing instructions
    of its own, a label, numbers before its lines."""
    text = _HEAD.sub("", _LABEL.sub("", _LISTED.sub("", text)))
    return re.sub(r"^[ \t]*(?:\d{1,3}[.)][ \t]+)?", "", text, flags=re.MULTILINE).strip()


def extract_from(
    entries: Sequence[Entry], chosen: tuple[int, str], lines: Sequence[str], keeps: float = KEEPS
) -> Summary:
    """A summary made without a model: a share `keeps` of the entries' tokens, with the standing `lines` below. `chosen`
    is the entries' relevance and gist."""
    known = {line.partition(": ")[2] for line in lines}
    plain = [Unit(entry.number, who, _without(words, known)) for entry in entries for who, words in spoken(entry)]
    text = extract.summarise(plain, int(budget(sum(map(size, entries)), keeps) * tokens.BYTES_A_TOKEN))
    relevance, gist = chosen
    return Summary(relevance, gist or extract.gist(text), _with(text or gist or "Nothing was said.", lines))


def instructions(entries: Sequence[Entry], limit: int) -> list[str]:
    """The standing instructions in these entries, oldest first, as `who: words`.

    They are what people said must, must never or must always be so. All together they take STANDING_MOST of a context
    of `limit` tokens at most: of too many the newest stay.
    """
    found: list[str] = []
    for entry in entries:
        text = (entry.content or b"").decode("utf-8", "replace")
        if entry.event == Faded.WORD:
            found += said.part(text)[1]
        for one in said.messages(entry.event, text):
            found += [f"{one.name}: {words}" for words in standing.standing(one.text) if one.person]
    room, fitting = int(STANDING_MOST * limit * tokens.BYTES_A_TOKEN), list[str]()
    for line in dict.fromkeys(reversed(found)):  # what was said again counts as new
        takes = len(line.encode("utf-8", "replace")) + 3
        if takes <= room:
            room -= takes
            fitting.append(line)
    return fitting[::-1]


def _with(text: str, lines: Sequence[str]) -> str:
    """The text, and below it, word for word, the standing instructions; without secrets."""
    listed = [said.STANDING, *(f"- {line}" for line in lines)] if lines else []
    return secrets.masked("\n".join([text, *listed]).strip())


def _without(words: str, known: Collection[str]) -> str:
    return "\n".join(one for one in standing.sentences(words) if one not in known) if known else words
