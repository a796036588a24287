"""Detect whether a statement corrects an earlier one, for the offline provider. Owns nothing on disk.

Two statements have the same topic if their informative words are equal, and they differ if their numbers, days, months
or names do.
"""

from __future__ import annotations

import re
from itertools import takewhile

from dotagent.text.words import DAYS, MONTHS, STOP, raw, stem

COUNTED = 3  # words after a number that may name the counted thing

_IT = r"(?:it|that|this|he|she|they)(?:['’](?:s|re)|\s+(?:is|was|are|were)(?:n['’]t)?)\b"
_BACK = re.compile(
    r"\s*(?:no|nope|actually|sorry|wait|oops|whoops|correction|i meant?|my mistake|scratch that"
    rf"|nein|doch|non|нет|不是|不|いいえ)\b(\s*[,.!:;，。！、–—-]|(?=\s+{_IT})|(?<=mean)(?=\s)|(?<=meant)(?=\s))?",
    re.IGNORECASE,
)
_RESTATES = re.compile(rf"[\s,.!:;–—-]*(?:{_IT}|(?:i meant?|make (?:it|that))\b)", re.IGNORECASE)
_NAME = re.compile(r"(?:(?<=[a-z0-9,;:'’)] )|(?<=\b[DMS][rst]\. )|(?<=\bProf\. )|(?<=\bMrs\. ))(?!I\b)[A-Z][\w-]+")
_COUNTED = frozenset("one two three four five six seven eight nine ten eleven twelve".split())
_DATED = frozenset((*DAYS, *(month for month in MONTHS if month not in ("may", "march"))))

Values = frozenset[tuple[str, str]]
"""The values in a statement, each with its kind."""


def corrects(text: str) -> bool:
    """Return True if a statement begins like a correction: “actually my seat is 15C”."""
    return bool(_BACK.match(text))


def takes_back(text: str) -> bool:
    """Return True if a statement begins by withdrawing the previous one: “no, it is Tuesday”."""
    return bool((found := _BACK.match(text)) and found[1] is not None)


def restates(text: str) -> bool:
    """Return True if a statement says the previous one again, with any values: “actually it's Dr. Braun”."""
    found = _BACK.match(text)
    return bool(found and (found[0].strip().lower().startswith("i mean") or _RESTATES.match(text, found.end())))


def matter(text: str) -> frozenset[str]:
    """Return the stems of the words that indicate a statement's topic, without its values."""
    words = raw(_BACK.sub("", text, count=1))
    return frozenset(stem(word) for word in words if word not in STOP and not _is_value(word))


def values(text: str) -> Values:
    """Return the days, months, names and numbers, each number with the thing that it counts or its month."""
    words = [word for word in raw(text) if word in MONTHS or word not in STOP]
    found = {("name", one.casefold()) for one in _NAME.findall(text) if one.casefold() not in _DATED}
    for at, word in enumerate(words):
        if word in _DATED:
            found.add(("day" if word in DAYS else "month", word))
        elif word not in MONTHS and _is_value(word):
            behind = takewhile(lambda one: not _is_value(one), words[at + 1 : at + 1 + COUNTED])
            month = [one for one in words[max(0, at - 1) : at] if one in MONTHS]
            found |= {("number", word), *((f"of {stem(one)}", word) for one in month or behind)}
    return frozenset(found)


def differ(mine: Values, theirs: Values) -> set[str]:
    """Return the kinds of values in which each of two statements has a value that the other lacks."""
    return {kind for kind, _ in mine - theirs} & {kind for kind, _ in theirs - mine}


def _is_value(word: str) -> bool:
    return word[0].isdigit() or word in _COUNTED or word in MONTHS or word in DAYS
