"""What of an argument stands in somebody's words: the same words in the same order, whatever the case and hyphens.

A value of numbers alone (a date and a time, say) may be put together of several that stand there, and a day may be
named otherwise (`2025-01-11` is January 11th, where the year stands there too). What somebody quotes with a gap,
`"Dinner at {restaurant}"`, is a form that may be filled in by a few plain words; so is what they say that `starts with
Draft`. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from dotagent.text.words import MONTHS

_WORD, _ENDING = re.compile(r"[\w@+:/.#~-]+"), "@+:.#-"  # the last is no part of a word where it ends one
_JOINED = re.compile(r"(?<=\w)[-_](?=\w)")  # `grocery-list` is a grocery list
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_MAIL = r"[\w.+-]++@[\w.-]+\.\w+"
_ADDRESS = re.compile(rf"(?<![\w.+-]){_MAIL}|(?:(?<!\w)\w++://|\bwww\.)[^\s<>\"')]*[\w/]")  # linear: no run twice
_NEXT = re.compile(_MAIL)  # right behind another

FIRST = 200  # characters of a long value that are looked at before all of it is
_QUOTES = (("'", "'"), ('"', '"'), ("`", "`"), ("‘", "’"), ("“", "”"), ("«", "»"), ("„", "“"))
_GAP = r"\{[^{}\n]{1,40}\}"
_FORMS = re.compile("|".join(
    rf"(?<!\w){opens}([^{closes}\n]{{0,200}}?{_GAP}[^{closes}\n]{{0,200}}){closes}(?!\w)" for opens, closes in _QUOTES
))  # fmt: skip
_STARTS = re.compile(
    r"\b(?:start|begin|beginn|anf[aä]ng)(?:s|ing|ning|t|en)?\s+(?:with|mit)\s+['\"`‘“„]?(\w[\w-]{2,40})(?![\w.@/])",
    re.IGNORECASE,
)
_FILLING = r"([\w][\w .,'’&-]{0,79}?)"
_LINKED = re.compile(r"\w\.[^\W\d]")  # what may be taken for an address, by people's programs too
MOST = 8  # words that fill a gap


@dataclass
class Texts:
    """Texts by whether a value stands in one of them, which is told without looking at those that lack its words."""

    texts: list[str] = field(default_factory=list)
    _by: dict[str, list[int]] = field(default_factory=dict)

    def add(self, text: str) -> None:
        """One more, as `plain` has it."""
        for word in set(text.split()):
            self._by.setdefault(word, []).append(len(self.texts))
        self.texts.append(text)

    def hold(self, value: str) -> bool:
        """Whether the value stands in one of them, as `stands`."""
        if len(value) > FIRST:  # a file, say: that most stand nowhere is told by how they begin
            first = plain(value[:FIRST]).split()[:-1]
            if not stands(" ".join(first), self._with):
                return False
        return stands(value, self._with)

    def has(self, word: str) -> bool:
        """Whether this word stands there."""
        return word in self._by

    def _with(self, words: list[str]) -> Iterable[str]:
        """The texts that have all of these words."""
        rarest = min((self._by.get(word, []) for word in words), key=len, default=[])
        return (self.texts[at] for at in rarest)


@lru_cache(maxsize=4096)  # a message of the context is looked at before every effect
def plain(text: str) -> str:
    """The words of a text, a blank between each two and around them."""
    words = (word.rstrip(_ENDING) for word in _WORD.findall(_JOINED.sub(" ", text.casefold())))
    return f" {' '.join(filter(None, words))} "


def stands(value: str, texts: Iterable[str] | Callable[[list[str]], Iterable[str]]) -> bool:
    """Whether the value stands in one of these plain texts (or of those which are told of its words); one without a
    word stands everywhere."""
    sought = plain(value)
    known = () if callable(texts) else tuple(texts)
    there = texts if callable(texts) else lambda _: known
    if not sought.strip() or any(sought in text for text in there(sought.split())):
        return not value.strip() or bool(sought.strip())
    pieces = value.split()
    return all(any(letter.isdigit() for letter in piece) for piece in pieces) and all(
        _one(piece, there) for piece in pieces
    )


def _one(piece: str, there: Callable[[list[str]], Iterable[str]]) -> bool:
    """Whether a single word stands in one of the texts, a day also in words."""
    sought = plain(piece)
    if any(sought in text for text in there(sought.split())):
        return True
    day = _DAY.fullmatch(piece)
    if not day or not 1 <= int(day[2]) <= 12:
        return False
    month, number = MONTHS[int(day[2]) - 1], int(day[3])
    numbers = [f"{number}{end}" for end in ("", "st", "nd", "rd", "th")]
    ways = [way for one in numbers for way in (f" {month} {one} ", f" {one} {month} ", f" {one} of {month} ")]
    return any(f" {day[1]} " in text and any(way in text for way in ways) for text in there([day[1]]))


@dataclass(frozen=True)
class Gapped:
    """What somebody left to be filled in; one that only says how it starts is a name that must be there."""

    pattern: re.Pattern[str]
    start: bool = False

    def filled(self, value: str) -> tuple[str, ...]:
        """What must stand somewhere for the value to be this form: what its gaps are filled with, each a few plain
        words and none that lead elsewhere; or the name. Nothing where it is not."""
        found = self.pattern.fullmatch(value.strip()) if len(value) < 2000 else None
        if not found or any(len(one.split()) > MOST or _LINKED.search(one) for one in found.groups()):
            return ()
        return (value.strip(),) if self.start else found.groups()


def forms(text: str) -> Iterator[Gapped]:
    """The forms with gaps that a text quotes, and what it says that something starts with; one that is nothing but gaps
    is none."""
    for found in _STARTS.finditer(text):
        yield Gapped(re.compile(re.escape(found[1]) + r"([\w-]{1,40})", re.IGNORECASE), start=True)
    for found in _FORMS.finditer(text) if "{" in text else ():
        form = next(filter(None, found.groups()))
        if any(len(word) > 2 for word in re.findall(r"[^\W\d_]+", re.sub(_GAP, " ", form))):
            yield Gapped(re.compile(_FILLING.join(map(re.escape, re.split(_GAP, form))), re.IGNORECASE))


def addresses(text: str) -> Iterator[str]:
    """What in a text leads elsewhere: addresses of mail and of the web."""
    at = 0
    while found := _NEXT.match(text, at) or _ADDRESS.search(text, at):
        yield found[0]
        at = found.end()
