"""Which of some known sayings a text is most like: the cosine of their words, pairs of words and groups of letters.

Each counts by its inverse document frequency (Salton and Buckley, 1988); four letters find a word in another form,
misspelt, or in a compound. Addresses, files, numbers and a name that is called count as their kind, the first word
once more, and whether a file is named at all. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log, sqrt

MOST = 1_000  # characters of a text that are looked at
LETTERS = 4
FIRST = 1.7  # how often the first word counts
NAMED = 5.0  # how often whether a file or an address is named counts: no other part says more of what is wanted

_URL, _FILE = re.compile(r"\b\w+://\S+"), re.compile(r"[\w/-]+\.\w{1,4}\b")
_CALLED = re.compile(r"^@?\w+(?=[,:] )")
_WORD = re.compile(r"\w+|\?$")
_OTHER = re.compile(r"\W+")
_ENDING = re.compile(r"(?:ing|ed|es|s|e)$")
_FILES = ("of a file", "of none")
_KINDS = ("FILE", "URL", "NAME")
_OPENING = frozenset("and also good hello hey hi no note ok okay please remember so tell thanks well yes".split())


@dataclass(frozen=True)
class Sayings:
    """What each part of a saying weighs, one that none has (`strange`), the sayings that have it, by their places, and
    how long each is, all that it has together."""

    weights: dict[str, float]
    strange: float
    holders: dict[str, list[int]]
    sizes: list[float]


def index(sayings: Sequence[str]) -> Sayings:
    """The sayings, ready to be compared with."""
    parts = [_parts(one) for one in sayings]
    often = Counter(part for one in parts for part in one)
    weights = {part: _times(part) * log(1 + len(parts) / number) for part, number in often.items()}
    made = Sayings(
        weights,
        log(1 + len(parts)),
        {part: [] for part in often},
        [_size(map(weights.__getitem__, one)) for one in parts],
    )
    for at, one in enumerate(parts):
        for part in one:
            made.holders[part].append(at)
    return made


def scores(known: Sayings, text: str) -> list[tuple[int, float]]:
    """The sayings that have anything in common with the text, by their places, the most alike first; 1 is the same."""
    weights = {part: known.weights.get(part, known.strange * _times(part)) for part in _parts(text)}
    size, found = _size(weights.values()), dict[int, float]()
    for part, weight in weights.items():
        for at in known.holders.get(part, ()):
            found[at] = found.get(at, 0.0) + weight * weight
    alike = ((at, shared / (size * known.sizes[at])) for at, shared in found.items())
    return sorted(alike, key=lambda one: (-one[1], one[0]))


def _size(weights: Iterable[float]) -> float:
    return sqrt(sum(one * one for one in weights)) or 1.0


def _times(part: str) -> float:
    """How often a part counts."""
    return NAMED if part in _FILES else FIRST if part[0] == "^" else 1.0


def _parts(text: str) -> list[str]:
    """What it is made of, each once, in an order that is the same each time."""
    text = text[:MOST]
    told = _CALLED.sub(
        lambda name: name[0] if name[0].lower() in _OPENING else "NAME",
        _FILE.sub(" FILE ", _URL.sub(" URL ", text)),
    )
    words = [word if word in _KINDS else _kind(word.lower()) for word in _WORD.findall(told)]
    letters = f" {_OTHER.sub(' ', text.lower()).strip()} "
    groups = (f"~{letters[at : at + LETTERS]}" for at in range(len(letters) - LETTERS + 1))
    if not words:
        return []
    file = _FILES["FILE" not in words and "URL" not in words]
    found = [*words, *(f"{one} {two}" for one, two in pairwise(words)), *groups, f"^{words[0]}", file]
    return list(dict.fromkeys(found))


def _kind(word: str) -> str:
    return "NUMBER" if word.isdigit() else _ENDING.sub("", word) if len(word) > 4 else word
