"""What the index knows of a turn beside its words: what it tells and what it asks, its shape, its day. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from dotagent.text import lexicon
from dotagent.text.words import DAYS, MONTHS

PIECE = 480  # characters: a longer turn is filed as several pieces, ranked alone: a long answer drowns no short one
FULL = 240  # characters from which a paragraph or a list item no longer joins the piece before it
ASIDE = 120  # characters of a question from which its first clauses tell: “I did this and that, can you …?”
PIECES = 1000  # pieces of one turn that are filed, about half a million characters
FINAL, ASKS, TIMED, NAMES = 1, 2, 4, 8  # bits of a shape: ends in a question, holds one, tells a time, names something
WISHES, CHANGES = 16, 32  # and, of what a person said: what must always be so; a word that may say what has changed

_CLAUSES = re.compile(r"(.+[,;:，；：])(.+)", re.DOTALL)
_SENTENCE = re.compile(r"[^.?!\n]*[.?!\n]+|[^.?!\n]+")
_TIME = re.compile(
    r"\b(?:this (?:morning|weekend)|(?:19|20)\d\d|(?:may|march) \d+|\d+ (?:may|march)"
    rf"|{'|'.join(lexicon.TIMES.split())})\b",
    re.I,
)
_CUT = re.compile(
    rf".{{1,{PIECE}}}\Z|.{{{FULL},{PIECE - 1}}}[.!?。？！\n][ \n]|.{{1,{PIECE - 1}}}[ \n]|.{{1,{PIECE}}}", re.DOTALL
)
_BLOCK = re.compile(r"\n(?=\s*\n|\s*(?:[-*+•]|\d{1,3}[.)])\s|#)")  # where a paragraph, a list item or a heading begins
_HEADING = re.compile(r"(?:\A|\n)\s*(?:#[^\n]*|[^\n]*:)\s*\Z")  # a heading stays with what is below it
_NAME = re.compile(r"[a-z0-9,;:'’)] [A-Z][a-z]")  # a capitalised word that does not begin a sentence


@dataclass(frozen=True)
class Passage:
    """One thing heard, said or seen. `number` is its entry in the life and the only order there is: `at` may be any
    old date. `room` is empty for what was in none. A Turn that was found holds the piece of its text that matched,
    when the text is longer than PIECE characters."""

    number: int
    id: str
    room: str
    speaker: str
    at: str
    text: str


def split(text: str) -> tuple[str, str]:
    """The sentences of a text that tell, and those that ask; of a long question only the last clause asks."""
    text = text.replace("？", "?")
    if "?" not in text:
        return text, ""
    tells: list[str] = []
    asks: list[str] = []
    for sentence in _SENTENCE.findall(text):
        if not sentence.rstrip().endswith("?"):
            tells.append(sentence)
        elif len(sentence) > ASIDE and (clauses := _CLAUSES.fullmatch(sentence)):
            tells.append(clauses[1])
            asks.append(clauses[2])
        else:
            asks.append(sentence)
    return " ".join(tells), " ".join(asks)


def shape(text: str) -> int:
    """What kind of turn this is: the bits FINAL, ASKS, TIMED, NAMES."""
    bits = (FINAL if text.rstrip().endswith(("?", "？")) else 0) | (ASKS if "?" in text or "？" in text else 0)
    return bits | (TIMED if _TIME.search(text) else 0) | (NAMES if _NAME.search(text) else 0)


def day_of(at: str) -> int:
    """The day of an ISO time as a proleptic ordinal; 0 when it is none."""
    try:
        return date.fromisoformat(at[:10]).toordinal()
    except ValueError:
        return 0


def day_words(day: int) -> list[str]:
    """What a day is filed under: "@2023", "@may", "@7", "@sunday"."""
    if not day:
        return []
    when = date.fromordinal(day)
    return [f"@{when.year}", f"@{MONTHS[when.month - 1]}", f"@{when.day}", f"@{DAYS[when.weekday()]}"]


def pieces(text: str) -> list[str]:
    """A text in pieces of at most PIECE characters, which together are the text: its paragraphs and list items, short
    ones together, a long one cut behind a sentence or a space; at most PIECES of them."""
    if len(text) <= PIECE:
        return [text]
    found, held = list[str](), ""
    for block in _blocks(text[: PIECE * PIECES]):
        if held and (len(held) >= FULL or len(held) + len(block) > PIECE) and not _HEADING.search(held):
            found.append(held)
            held = ""
        held += block
        if len(held) > PIECE:
            *whole, held = _CUT.findall(held)
            found += whole
    return [*found, held][:PIECES]


def _blocks(text: str) -> Iterator[str]:
    start = 0
    for at in _BLOCK.finditer(text):
        yield text[start : at.start()]
        start = at.start()
    yield text[start:]
