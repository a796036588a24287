"""Normalise words for comparison: folded, without endings, and without stop words.

The search, extraction and the offline provider share it, so that "booked" and "booking" are the same word everywhere.
English has rules (lexicon.py); words of other languages are compared as spelled. Owns nothing on disk.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

from dotagent.text import lazy, lexicon

STOP = frozenset(lexicon.STOP.split())
KIND = frozenset(lexicon.KIND.split())
MONTHS, DAYS = tuple(lexicon.MONTHS.split()), tuple(lexicon.DAYS.split())

_OWNED = lazy.compile(r"['’`]s?$")
_APART = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in "'`")}
_MARKS = lazy.compile(r"['’`]")
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Characters of scripts without spaces between words (Thai, Lao, Burmese, Khmer, Japanese, Chinese), for a pattern
set."""
MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711-\u07f3\u07fd\u0816-\u082d\u0859-\u085b\u0898-\u08e1\u08e3-\u0963"
    "\u0981-\u09e3\u09fe-\u0a75\u0a81-\u0ae3\u0afa-\u0b63\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83\u0cbc-\u0d4d"
    "\u0d57-\u0d63\u0d81-\u0df3\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f84\u0f86-\u0fbc\u0fc6\u135d-\u135f"
    "\u1712-\u1734\u1752-\u1773\u180b-\u180d\u180f-\u193b\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1b44\u1b6b-\u1b73"
    "\u1b80-\u1bf3\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1dff\u2cef-\u2cf1\u2d7f-\u2dff\u302a-\u302f\u3099\u309a"
    "\ua66f-\ua672\ua674-\ua67d\ua69e-\ua6f1\ua802-\ua827\ua82c\ua880-\ua8c5\ua8e0-\ua8f1\ua8ff-\ua92d\ua947-\ua953"
    "\ua980-\ua9c0\ua9e5-\uaa4d\uaa7b-\uaac1\uaaeb-\uaaef\uaaf5\uaaf6\uabe3-\uabea\uabec\uabed\ufb1e\ufe20-\ufe2f"
)
"""Unicode's combining marks outside these scripts, such as accents and the vowel signs of Hindi, for a pattern set."""
_WORD = lazy.compile(rf"(?:[^\W_]|[{UNSPACED}{MARKS}])+(?:['’`](?:[^\W_]|[{UNSPACED}{MARKS}])+)*")
_RUN = lazy.compile(f"([{UNSPACED}\uac00-\ud7a3]+)")  # the search indexes runs of these as overlapping pairs
_UNSPACED_STOPS = lazy.compile("[\u0e5a\u0e5b\u104a\u104b\u17d4-\u17d6\u17d8-\u17da]+")  # among these characters
_SIGN = lazy.compile(  # a character with its marks
    ".[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u105e-\u1060"
    "\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u17b4-\u17d3\u17dd]*"
)
_LONGEST = 40  # significant characters of a word
_SUFFIXES = ("ation", "ment", "ness", "ing", "ful", "ist", "ion", "er", "or", "li")


def fold(text: str, *, marks: bool = False) -> str:
    """Return the text in lower case, without compatibility forms and, unless `marks`, without accents.

    By Unicode's combining classes: accents above and below letters, and the points of Arabic and Hebrew, are left out.
    The vowel signs of other scripts belong to the word.
    """
    if text.isascii():
        return text.lower()
    flat = unicodedata.normalize("NFKD", text.casefold()).casefold()
    return unicodedata.normalize(
        "NFC", flat if marks else "".join(c for c in flat if c < "\u0300" or not _is_accent(c))
    )


def _is_accent(sign: str) -> bool:
    place = unicodedata.combining(sign)
    return place >= 200 or 10 <= place <= 36


def spelled(text: str) -> list[str]:
    """Return the words as written. In a script without spaces, a run of characters is one word."""
    return [word for run in _WORD.findall(text) for word in _UNSPACED_STOPS.split(run) if word]


def raw(text: str, *, filed: bool = False, marks: bool = False) -> list[str]:
    """Return the folded words of a text in order, including stop words; "Ana's" is "ana", "don't" is "dont". A word
    that would be a stop word without its accents keeps them. In scripts without spaces, return each pair of characters
    instead and, if `filed`, also each single character."""
    flat = fold(text, marks=True)
    if not flat.isascii():
        words = map(_bare_word, spelled(flat))
        bare = filter(None, words if marks else map(_without_accents, words))  # a lone accent is not a word
        return [one for word in bare for one in _unspaced(word, filed)]
    parts = flat.translate(_APART).split()  # ten times as fast as the pattern, which only apostrophes need
    if "'" in flat or "`" in flat:
        parts = [_bare_word(word) for part in parts for word in ((part,) if part.isalnum() else _WORD.findall(part))]
    return [word[:_LONGEST] for word in parts]


def unspaced(text: str) -> list[str]:
    """Return the folded runs of a text in scripts without spaces, each of two or more characters with their marks."""
    runs = (run for word in spelled(fold(text, marks=True)) for run in _RUN.findall(word))
    return [run for run in runs if len(_SIGN.findall(run)) > 1]


def count(words: Iterable[str]) -> float:
    """Return the number of words given as by `raw`. In scripts without spaces, two pairs of characters are one word."""
    return sum(0.5 if _RUN.match(word) else 1 for word in words)


@lru_cache(maxsize=65536)
def _without_accents(word: str) -> str:
    bare = fold(word)
    return word if bare in STOP else bare  # for ASCII, both are the same


def _bare_word(word: str) -> str:
    """Return the word without a possessive ending and without apostrophes."""
    return word if word.isalnum() else _MARKS.sub("", _OWNED.sub("", word))


def _unspaced(word: str, filed: bool) -> Iterator[str]:
    if word.isascii():
        yield word[:_LONGEST]
        return
    for part in filter(None, _RUN.split(word)):
        signs = _SIGN.findall(part) if _RUN.match(part) else ()
        if len(signs) < 2:
            yield part[:_LONGEST]
            continue
        yield from map("".join, pairwise(signs))
        if filed:
            yield from signs


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a word: resolve an irregular form, then strip plural, -ed and -ing, then one more suffix. This
    light stripper for English may return something that is not a word."""
    bare = _strip_suffixes(IRREGULAR.get(word, word))
    return _SAME.get(bare, bare)


def _strip_suffixes(word: str) -> str:
    if len(word) < 4 or not word.isalpha() or not word.isascii():
        return word
    word = _strip_ending(_singular(word))
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


def _strip_ending(word: str) -> str:
    for suffix in ("ing", "ed"):
        root = word.removesuffix(suffix)
        if root != word and len(root) >= 3 and re.search("[aeiouy]", root):
            word = root[:-1] if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz" else root
            break
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


def stems(text: str) -> list[str]:
    """Return the stems of a text's words without stop words, in order, with repetitions."""
    return distinctive_stems(raw(text))


def distinctive_stems(words: Iterable[str]) -> list[str]:
    """Return the stems of these words, given as by `raw`."""
    return list(filter(None, map(_stem_or_stop, words)))


@lru_cache(maxsize=8192)
def _stem_or_stop(word: str) -> str:
    """Return the stem of a word, or "" for a stop word."""
    return "" if word in STOP else stem(word)


def _table(text: str) -> dict[str, str]:
    rows = (line.split() for line in text.split(";"))
    return {form: first for first, *forms in rows for form in forms}


IRREGULAR = _table(lexicon.IRREGULAR)
"""The indexed word for each irregular form that no suffix rule reduces to it."""
_SAME = {_strip_suffixes(form): _strip_suffixes(first) for form, first in _table(lexicon.SAME).items()}
