"""The telling words of a text: those that are not common. Pure."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from dotagent.text import lazy, lexicon, words

_SENTENCE = lazy.compile(r"(?<=[.!?。！？])\s*|\n")
_COMMON = frozenset(map(words.stem, lexicon.OTHERS.split()))


def telling(text: str) -> frozenset[str]:
    """Return the stems of the telling words of a text."""
    return frozenset(words.stems(text)) - _COMMON


def key(word: str) -> str:
    """Return what two forms of the same word have in common: their first letters, if they are long."""
    root = 5 if len(word) > 6 and word.isalpha() else 4 if len(word) > 4 and word.isalpha() else 0
    return f"{word[:root]}*" if root else word


def keys(text: str) -> frozenset[str]:
    """Return the keys by which the telling words of a text are found. A short word is also found by a longer one."""
    found = frozenset(map(key, telling(text)))
    return found | {f"{one}*" for one in found}


def share(telling: Collection[str], keys: Collection[str]) -> float:
    """Return the share of the telling words that have one of the keys."""
    return sum(key(one) in keys for one in telling) / max(1, len(telling))


@lru_cache(256)
def passages(text: str) -> list[frozenset[str]]:
    """Return the keys of each two sentences that follow each other."""
    rows = [keys(one) for one in _SENTENCE.split(text) if one.strip()]
    return [one | two for one, two in zip(rows, [*rows[1:], frozenset[str]()], strict=True)]
