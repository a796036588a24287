"""Where a text says that something is otherwise than was said before: its clauses with a sign of change, what they are
about, and which values they have. Lists of words in several languages (lexicon.py), without a model. Owns nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from itertools import takewhile
from typing import NamedTuple

from dotagent.text import lexicon
from dotagent.text.words import DAYS, MONTHS, STOP, raw, stem, stems

COUNTED = 3  # words behind a number that may be what it counts
REVOKES, DENIES, NEWS = 3, 2, 1  # how much a sign says: that something holds no more, never was, is new

_CUT = re.compile(r"[,;:()\n–—]+(?=\s|\Z)|[.!?]+(?=\s|\Z)|[。！？，；：]|\s-\s")
_NAME = re.compile(r"(?<=[a-z0-9,;:'’)] )(?!I\b)[A-Z][\w-]+")
_COUNTED = frozenset("one two three four five six seven eight nine ten eleven twelve".split())
_DATED = frozenset((*DAYS, *(month for month in MONTHS if month not in ("may", "march"))))
_REPLIES, _ADDS = frozenset(lexicon.REPLIES.split()), frozenset(lexicon.ADDS.split())


class Clause(NamedTuple):
    """A clause, what it is about, without values and signs, and its sign of change: 0 for none."""

    text: str
    about: frozenset[str]
    sign: int


@cache
def _signs() -> dict[str, list[tuple[tuple[str, ...], int]]]:
    """By its first word: the words of each sign, and how much it says."""
    found: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for told, much in ((lexicon.REVOKES, REVOKES), (lexicon.DENIES, DENIES), (lexicon.NEWS, NEWS)):
        for sign in re.split(r"[;\n]", told.strip()):
            first, *rest = sign.split()
            found.setdefault(first, []).append((tuple(rest), much))
    return found


def sign(words: list[str]) -> int:
    """How much a clause's words say that something is otherwise now; 0 when they do not, or only add to it."""
    known, most = _signs(), 0
    for at, word in enumerate(words):
        for rest, much in (*known.get(word, ()), *(() if at else known.get(f"^{word}", ()))):
            left = iter(words[at + 1 :])
            if much > most and all(one in left for one in rest):
                most = much
    return 0 if most and not _ADDS.isdisjoint(words) else most


def may_change(words: Collection[str]) -> bool:
    """Whether a text of these words may have a sign of change, or be a reply that takes something back."""
    return not _telling().isdisjoint(words)


@cache
def _telling() -> frozenset[str]:
    """Of each sign the longest word."""
    signs = ((first.removeprefix("^"), *rest) for first, some in _signs().items() for rest, _ in some)
    return frozenset(max(sign, key=len) for sign in signs) | _REPLIES


def replies(text: str) -> bool:
    """Whether a text begins by taking back what was just said."""
    first = raw(_CUT.split(text.lstrip(), maxsplit=1)[0])
    return len(first) == 1 and first[0] in _REPLIES


def clauses(text: str) -> list[Clause]:
    """The clauses of a text."""
    found = list[Clause]()
    for part in _CUT.split(text):
        if words := raw(part):
            about = {stem(word) for word in words if word not in STOP and not _is_value(word)}
            found.append(Clause(part.strip(), frozenset(about - _told()), sign(words)))
    return found


@cache
def _told() -> frozenset[str]:
    """The words of signs, as they are compared: they say nothing of what a clause is about."""
    return frozenset(stems(" ".join((lexicon.REVOKES, lexicon.DENIES, lexicon.NEWS, lexicon.REPLIES))))


def _is_value(word: str) -> bool:
    return word[0].isdigit() or word in _COUNTED or word in MONTHS or word in DAYS


def values(text: str) -> Iterator[tuple[str, str]]:
    """The values in a text, each with its kind: days, months, names, numbers, and each number of the thing that is
    counted, also a day of its month."""
    words = [word for word in raw(text) if word in MONTHS or word not in STOP]
    for at, word in enumerate(words):
        if word in _DATED:
            yield "day" if word in DAYS else "month", word
        elif word not in MONTHS and _is_value(word):
            yield "number", word
            behind = takewhile(lambda one: not _is_value(one), words[at + 1 : at + 1 + COUNTED])
            month = [one for one in words[max(0, at - 1) : at] if one in MONTHS]
            yield from ((f"of {stem(one)}", word) for one in month or behind)
    yield from (("name", one.casefold()) for one in _NAME.findall(text) if one.casefold() not in _DATED)


def differ(text: str, other: str) -> set[str]:
    """The kinds of values of which each of two texts has one that the other has not."""
    mine, theirs = set(values(text)), set(values(other))
    return {kind for kind, _ in mine - theirs} & {kind for kind, _ in theirs - mine}
