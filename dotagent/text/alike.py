"""Which of some known sayings a text is most like: the cosine of their words, pairs of words and groups of letters.

Each counts by its inverse document frequency (Salton and Buckley, 1988); four letters find a word in another form,
misspelt, or in a compound. Addresses, files, numbers and a name that is called count as their kind, the first word
once more, and whether a file is named at all. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log, sqrt

MOST = 1_000  # characters of a text that are looked at
LETTERS = 4
NAMED = 60  # how often whether a file or an address is named counts: no other part says more of what is wanted

_URL, _FILE = re.compile(r"\b\w+://\S+"), re.compile(r"[\w/-]+\.\w{1,4}\b")
_CALLED = re.compile(r"^@?\w+(?=[,:] )")
_WORD = re.compile(r"\w+|\?$")
_OTHER = re.compile(r"\W+")
_ENDING = re.compile(r"(?:ing|ed|es|s|e)$")
_KINDS = ("FILE", "URL", "NAME")
_OPENING = frozenset("and also good hello hey hi no note ok okay please remember so tell thanks well yes".split())


@dataclass(frozen=True)
class Sayings:
    """What each part of a saying weighs, one that none has (`strange`), and which have it, with its share of each."""

    weights: dict[str, float]
    strange: float
    holders: dict[str, list[tuple[int, float]]]


def index(sayings: Sequence[str]) -> Sayings:
    """The sayings, ready to be compared with."""
    parts = [_parts(one) for one in sayings]
    often = Counter(part for one in parts for part in one)
    made = Sayings({part: log(1 + len(parts) / number) for part, number in often.items()}, log(1 + len(parts)), {})
    for at, one in enumerate(parts):
        for part, share in _shares(one, made).items():
            made.holders.setdefault(part, []).append((at, share))
    return made


def scores(known: Sayings, text: str) -> list[tuple[int, float]]:
    """The sayings that have anything in common with the text, by their places, the most alike first; 1 is the same."""
    found = dict[int, float]()
    for part, share in _shares(_parts(text), known).items():
        for at, other in known.holders[part]:
            found[at] = found.get(at, 0.0) + share * other
    return sorted(found.items(), key=lambda one: (-one[1], one[0]))


def _shares(parts: Counter[str], known: Sayings) -> dict[str, float]:
    """The parts that are known, weighed; the length of all together, strange ones too, is 1."""
    weight = {part: (1 + log(number)) * known.weights.get(part, known.strange) for part, number in parts.items()}
    size = sqrt(sum(one * one for one in weight.values())) or 1.0
    return {part: one / size for part, one in weight.items() if part in known.weights}


def _parts(text: str) -> Counter[str]:
    text = text[:MOST]
    told = _CALLED.sub(
        lambda name: name[0] if name[0].lower() in _OPENING else "NAME",
        _FILE.sub(" FILE ", _URL.sub(" URL ", text)),
    )
    words = [word if word in _KINDS else _kind(word.lower()) for word in _WORD.findall(told)]
    letters = f" {_OTHER.sub(' ', text.lower()).strip()} "
    groups = (f"~{letters[at : at + LETTERS]}" for at in range(len(letters) - LETTERS + 1))
    if not words:
        return Counter()
    found = Counter([*words, *(f"{one} {two}" for one, two in pairwise(words)), *groups, *[f"^{words[0]}"] * 2])
    found["of a file" if "FILE" in words or "URL" in words else "of none"] = NAMED
    return found


def _kind(word: str) -> str:
    return "NUMBER" if word.isdigit() else _ENDING.sub("", word) if len(word) > 4 else word
