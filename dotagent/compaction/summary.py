"""Summaries: what a model answered, read and held to its budget, or made without one; with people's standing
instructions in either, word for word, however often they fade.

A summary is text: references, tags and calls in it are inert, since it is only ever shown indented and escaped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dotagent.compaction.plan import KEEPS, Unreadable, rank, spoken
from dotagent.life.context import Entry
from dotagent.life.events import Faded
from dotagent.life.replay import size
from dotagent.text import escape, extract, reasoning, said, standing, tokens
from dotagent.text.extract import Unit

LEAST, MOST = 40, 700  # tokens of a summary
OVER = 3  # times its budget: a summary that is longer is none
TELLING = 8  # words that a text must have for its words to tell whether it is about something
GROUNDED = 0.12  # of a summary's words: what must stand in what it sums up
STANDING_MOST = 0.12  # of the context's limit: beyond, the oldest instructions are only in the originals

_RELEVANCE = re.compile(r"^\W*relevance\W*(\d{1,3})\b", re.IGNORECASE | re.MULTILINE)
_GIST = re.compile(r"^\W*gist\W*:\W*(.*)$", re.IGNORECASE | re.MULTILINE)
_ECHO = re.compile(r"^\W*(?:relevance\W*\d|(?:SUMMARISE|SEGMENT) the entries\b)", re.IGNORECASE | re.MULTILINE)
_LISTED = re.compile(rf"^[^\w\n]*{said.STANDING}[^\w\n]*$\n?(?:[ \t]*[-*•].*$\n?)*", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Summary:
    """What stays of a chunk: how relevant its words are (1 to 10), one line, and the text."""

    relevance: int
    gist: str
    text: str


def budget(whole: int, keeps: float = KEEPS) -> int:
    """How many tokens the summary of so many may have, a share `keeps` of them."""
    return max(LEAST, min(MOST, int(keeps * whole)))


def read(answer: str, whole: int, lines: Sequence[str], source: str = "", keeps: float = KEEPS) -> Summary:
    """The summary in a model's answer, with the standing `lines` below it.

    It sums up the words of `source`, `whole` tokens, and was asked for a share `keeps` of them. Raises Unreadable when
    it is not in the form, is empty, tells of something else, is far beyond its budget, or is more than half as long as
    what it sums up.
    """
    answer = reasoning.strip(answer).strip()
    relevance, gist = _RELEVANCE.search(answer), _GIST.search(answer)
    if not relevance or not gist:
        raise Unreadable("the answer does not begin with `relevance: N` and `gist: …`")
    told = _ECHO.split(answer[max(relevance.end(), gist.end()) :])[0].strip()
    if not told:
        raise Unreadable("the answer holds no summary")
    text = _LISTED.sub("", told).strip() or escape.one_line(gist[1], 100)
    if tokens.estimate(text) > max(2 * LEAST, min(OVER * budget(whole, keeps), whole // 2)):
        raise Unreadable("the summary is more than half as long as what it sums up, or far longer than it may be")
    if source and not _grounded(f"{gist[1]}\n{text}", source):
        raise Unreadable("the summary has nothing of what it sums up")
    return Summary(rank(relevance[1]), escape.one_line(gist[1], 100) or extract.gist(text), _with(text, lines))


def _grounded(text: str, source: str) -> bool:
    """Whether a text can be about the source: some of its telling words stand there too.

    Names and numbers do even in another language. Too short a text, or one in other letters, may be about anything.
    """
    told = set(extract.terms(text))
    if len(told) < TELLING or _plain(text) != _plain(source):
        return True
    return len(told & set(extract.terms(source))) >= GROUNDED * len(told)


def _plain(text: str) -> bool:
    """Whether most of the text's letters are ASCII."""
    letters = [letter.isascii() for letter in text[:4000] if letter.isalpha()]
    return sum(letters) * 2 >= len(letters)


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
    """The text, and below it, word for word, the standing instructions."""
    listed = [said.STANDING, *(f"- {line}" for line in lines)] if lines else []
    return "\n".join([text, *listed]).strip()


def _without(words: str, known: Collection[str]) -> str:
    return "\n".join(one for one in standing.sentences(words) if one not in known) if known else words
