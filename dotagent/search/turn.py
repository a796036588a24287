"""The properties of a turn in the index besides its words: pieces, number, day. Pure; owns nothing on disk."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from dotagent.store.log import Line
from dotagent.text import lazy, times
from dotagent.text.lazy import dataclass
from dotagent.text.words import DAYS, MONTHS

PIECE = 480  # characters; a longer turn is filed in several pieces
PIECES = 1000  # pieces of a turn that are filed, about half a million characters

_CUT = lazy.compile(
    rf".{{1,{PIECE}}}\Z|.{{{PIECE // 2},{PIECE - 1}}}(?:\n|[.!?] |[。？！])|.{{1,{PIECE - 1}}}[ \n]|.{{1,{PIECE}}}",
    re.DOTALL,
)


@dataclass(frozen=True)
class Passage:
    """A turn in the index, or a piece of it. `number` is its event's number and the only order, because `at` may be any
    date. `room` is "" for a turn outside rooms. If the text is longer than PIECE characters, a search result has only
    the matching piece."""

    number: int
    id: str
    room: str
    speaker: str
    at: str
    text: str


def day_of(at: str) -> int:
    """Return the day of an ISO time as a proleptic ordinal, or 0 for another text."""
    try:
        return date.fromisoformat(at[:10]).toordinal()
    except ValueError:
        return 0


def number(line: Line) -> int:
    """Return a turn's number: the microseconds of its event, which strictly increase."""
    return int(times.parse(line.at).timestamp() * 1_000_000)


@lru_cache(maxsize=16)
def day_words(day: int) -> list[str]:
    """Return the index words of a day: "@2023", "@may", "@7", "@sunday"."""
    if not day:
        return []
    when = date.fromordinal(day)
    return [f"@{when.year}", f"@{MONTHS[when.month - 1]}", f"@{when.day}", f"@{DAYS[when.weekday()]}"]


def pieces(text: str) -> list[str]:
    """Divide a text into at most PIECES pieces of at most PIECE characters, after a line, a sentence or a space."""
    return [text] if len(text) <= PIECE else _CUT.findall(text[: PIECE * PIECES])[:PIECES]
