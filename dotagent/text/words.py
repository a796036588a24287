"""Words that can be compared: folded, without endings, and without those that every text has. The search, extraction
and the offline provider all take them from here, so "booked" and "booking" are one word to each of them. English is
known (lexicon.py), other languages are taken as they are spelled. Owns nothing on disk."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

from dotagent.text import lexicon

STOP = frozenset(lexicon.STOP.split())
KIND = frozenset(lexicon.KIND.split())
MONTHS, DAYS = tuple(lexicon.MONTHS.split()), tuple(lexicon.DAYS.split())

_WORD = re.compile(r"[^\W_]+(?:['’`][^\W_]+)*")
_OWNED = re.compile(r"['’`]s?$")
_MARKS = re.compile(r"['’`]")
# Scripts that put no space between words: their runs are taken as overlapping pairs of characters.
_UNSPACED = re.compile(r"([\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+)")
_LONGEST = 40  # characters of a word that count
_SUFFIXES = ("ation", "ment", "ness", "ing", "ful", "ist", "ion", "er", "or", "li")


def fold(text: str) -> str:
    """Lower case, compatibility forms and accents removed."""
    if text.isascii():
        return text.lower()
    flat = unicodedata.normalize("NFKD", text.casefold()).casefold()
    return unicodedata.normalize("NFC", "".join(c for c in flat if unicodedata.category(c)[0] != "M"))


def raw(text: str) -> list[str]:
    """The words of a text in order, folded, the too common ones included; "Ana's" is "ana", "don't" is "dont"."""
    words: list[str] = []
    for found in _WORD.findall(fold(text)):
        word = _MARKS.sub("", _OWNED.sub("", found))[:_LONGEST]
        words += [word] if word.isascii() else _unspaced(word)
    return words


def _unspaced(word: str) -> Iterator[str]:
    for part in filter(None, _UNSPACED.split(word)):
        pairs = _UNSPACED.match(part) and len(part) > 1
        yield from map("".join, pairwise(part)) if pairs else (part,)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The form in which a word is compared. A light suffix stripper of our own, for English: an irregular form is led
    back, plural, -ed and -ing go, then one more suffix; what it leaves need not be a word."""
    bare = _bare(_IRREGULAR.get(word, word))
    return _SAME.get(bare, bare)


def _bare(word: str) -> str:
    if len(word) < 4 or not word.isalpha() or not word.isascii():
        return word
    word = _ended(_singular(word))
    suffix = next((one for one in _SUFFIXES if word.endswith(one) and len(word) - len(one) >= 4), "")
    word = word.removesuffix(suffix)
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word[:-2] if word.endswith("at") and len(word) > 5 else word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _ended(word: str) -> str:
    for suffix in ("ing", "ed"):
        root = word.removesuffix(suffix)
        if root != word and len(root) >= 3 and re.search("[aeiouy]", root):
            word = root[:-1] if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz" else root
            break
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


def stems(text: str) -> list[str]:
    """The words of a text that tell something, each as it is compared, in order, repeats kept."""
    return telling(raw(text))


def telling(words: Iterable[str]) -> list[str]:
    """The same of its words, as `raw` gives them."""
    return [stem(word) for word in words if word not in STOP]


def _table(text: str) -> dict[str, str]:
    rows = (line.split() for line in text.split(";"))
    return {form: first for first, *forms in rows for form in forms}


_IRREGULAR = _table(lexicon.IRREGULAR)
_SAME = {_bare(form): _bare(first) for form, first in _table(lexicon.SAME).items()}
