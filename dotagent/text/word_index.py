"""An index of the telling words of texts: those that are not common.

A search in the index reads only texts that contain one of its words, so it takes hardly longer among many texts. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from functools import lru_cache
from itertools import chain

from dotagent.text import lazy, lexicon, words

_SENTENCE = lazy.compile(r"(?<=[.!?。！？])\s*|\n")
_COMMON = frozenset(map(words.stem, lexicon.OTHERS.split()))


class WordIndex:
    """For each telling word, the places of the texts that contain it: texts are counted from 0."""

    def __init__(self) -> None:
        self._having, self._next = dict[str, list[int]](), 0

    def index(self, text: str) -> None:
        """Add a text, after the others."""
        for key in keys(text):
            self._having.setdefault(key, []).append(self._next)
        self._next += 1

    def shares(self, telling: Collection[str]) -> dict[int, float]:
        """Return the share of the telling words in each text that contains one, by its place."""
        found = Counter(chain.from_iterable(self._having.get(_key(one), ()) for one in telling))
        return {at: count / len(telling) for at, count in sorted(found.items())}

    def covered(self, telling: Collection[str], places: Collection[int]) -> float:
        """Return the share of the telling words that the texts at these places have together."""
        having = (self._having.get(_key(one), ()) for one in telling)
        return sum(any(at in places for at in one) for one in having) / max(1, len(telling))


def telling(text: str) -> frozenset[str]:
    """Return the stems of the telling words of a text."""
    return frozenset(words.stems(text)) - _COMMON


def _key(word: str) -> str:
    """Return what two forms of the same word have in common: their first letters, if they are long."""
    root = 5 if len(word) > 6 and word.isalpha() else 4 if len(word) > 4 and word.isalpha() else 0
    return f"{word[:root]}*" if root else word


def keys(text: str) -> frozenset[str]:
    """Return the keys by which the telling words of a text are found. A short word is also found by a longer one."""
    found = frozenset(map(_key, telling(text)))
    return found | {f"{one}*" for one in found}


def share(telling: Collection[str], keys: Collection[str]) -> float:
    """Return the share of the telling words that have one of the keys."""
    return sum(_key(one) in keys for one in telling) / max(1, len(telling))


@lru_cache(256)
def passages(text: str) -> list[frozenset[str]]:
    """Return the keys of each two sentences that follow each other."""
    rows = [keys(one) for one in _SENTENCE.split(text) if one.strip()]
    return [one | two for one, two in zip(rows, [*rows[1:], frozenset[str]()], strict=True)]
