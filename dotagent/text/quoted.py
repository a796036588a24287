"""What of an argument stands in somebody's words: the same words in the same order, whatever the case and hyphens.

A value of numbers alone (a date and a time, say) may be put together of several that stand there, and a day may be
named otherwise (`2025-01-11` is January 11th, where the year stands there too). Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

_WORD = re.compile(r"[\w@+:/.#~-]*[\w/~]")
_JOINED = re.compile(r"(?<=\w)[-_](?=\w)")  # `grocery-list` is a grocery list
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_ADDRESS = re.compile(r"[\w.+-]+@[\w.-]+\.\w+|(?:\w+://|\bwww\.)[^\s<>\"')]*[\w/]")
MONTHS = ("january february march april may june july august september october november december").split()


@lru_cache(maxsize=4096)  # a message of the context is looked at before every effect
def plain(text: str) -> str:
    """The words of a text, a blank between each two and around them."""
    return f" {' '.join(_WORD.findall(_JOINED.sub(' ', text.casefold())))} "


def stands(value: str, texts: Iterable[str]) -> bool:
    """Whether the value stands in one of these plain texts; one without a word stands everywhere."""
    sought, there = plain(value), list(texts)
    if not sought.strip() or any(sought in text for text in there):
        return not value.strip() or bool(sought.strip())
    pieces = value.split()
    numbers = all(any(letter.isdigit() for letter in piece) for piece in pieces)
    return numbers and all(any(_one(piece, text) for text in there) for piece in pieces)


def _one(piece: str, text: str) -> bool:
    """Whether a single word stands in the text, a day also in words."""
    if plain(piece) in text:
        return True
    day = _DAY.fullmatch(piece)
    if not day or not 1 <= int(day[2]) <= 12 or f" {day[1]} " not in text:
        return False
    month, number = MONTHS[int(day[2]) - 1], int(day[3])
    ways = (rf"{month} {number}(?:st|nd|rd|th)?", rf"{number}(?:st|nd|rd|th)?(?: of)? {month}")
    return any(re.search(f" {way} ", text) for way in ways)


def addresses(text: str) -> Iterator[str]:
    """What in a text leads elsewhere: addresses of mail and of the web."""
    return (found[0] for found in _ADDRESS.finditer(text))
