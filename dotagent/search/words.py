"""From text to what the search files it under: folded, stemmed words without the too common ones. Index and query go
through the same few functions, so no tokenizer of SQLite's has to agree with Python's. Owns nothing on disk."""

import re
import unicodedata
from datetime import date
from functools import lru_cache

from dotagent.search import lexicon

STOP = frozenset(lexicon.STOP.split())
MONTHS, DAYS = tuple(lexicon.MONTHS.split()), tuple(lexicon.DAYS.split())

WORD = re.compile(r"[^\W_]+(?:['’`][^\W_]+)*")
OWNED = re.compile(r"['’`]s?$")
MARKS = re.compile(r"['’`]")
# Scripts that put no space between words: their runs are filed as overlapping pairs of characters.
UNSPACED = re.compile(r"([\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+)")
SENTENCE = re.compile(r"[^.?!\n]*[.?!\n]+|[^.?!\n]+")
TIME = re.compile(rf"\b(?:{'|'.join(lexicon.TIMES.split())}|this (?:morning|weekend)|(?:19|20)\d\d)\b", re.I)
# A capitalised word that does not begin a sentence.
NAME = re.compile(r"[a-z0-9,;:'’)] [A-Z][a-z]")
LONGEST = 40  # characters of a word that count
SUFFIXES = ("ation", "ment", "ness", "ing", "ful", "ist", "ion", "er", "or", "li")

FINAL, ASKS, TIMED, NAMES = 1, 2, 4, 8  # bits of a shape: ends in a question, holds one, tells a time, names something


def clean(text: str) -> str:
    """`text` without lone surrogates, which SQLite cannot hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def fold(text: str) -> str:
    """Lower case, compatibility forms and accents removed."""
    if text.isascii():
        return text.lower()
    flat = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(c for c in flat if unicodedata.category(c)[0] != "M"))


def raw(text: str) -> list[str]:
    """The words of a text in order, folded, the too common ones included; "Ana's" is "ana", "don't" is "dont"."""
    words: list[str] = []
    for found in WORD.findall(fold(text)):
        word = MARKS.sub("", OWNED.sub("", found))[:LONGEST]
        if word.isascii():
            words.append(word)
        else:
            words.extend(_unspaced(word))
    return words


def _unspaced(word: str) -> list[str]:
    parts: list[str] = []
    for part in UNSPACED.split(word):
        if part and UNSPACED.match(part):
            parts.extend(part[i : i + 2] for i in range(max(1, len(part) - 1)))
        elif part:
            parts.append(part)
    return parts


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The form a word is filed under. A light suffix stripper of our own, for English: an irregular form is led back,
    plural, -ed and -ing go, then one more suffix; what it leaves need not be a word."""
    bare = _bare(_IRREGULAR.get(word, word))
    return _SAME.get(bare, bare)


def _bare(word: str) -> str:
    if len(word) < 4 or not word.isalpha() or not word.isascii():
        return word
    word = _ended(_singular(word))
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            word = word[: -len(suffix)]
            break
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
    """What a text is filed under, in order, repeats kept."""
    return [stem(word) for word in raw(text) if word not in STOP]


def split(text: str) -> tuple[str, str]:
    """The sentences of a text that tell, and those that ask."""
    text = text.replace("？", "?")
    if "?" not in text:
        return text, ""
    tells: list[str] = []
    asks: list[str] = []
    for sentence in SENTENCE.findall(text):
        (asks if sentence.rstrip().endswith("?") else tells).append(sentence)
    return " ".join(tells), " ".join(asks)


def shape(text: str) -> int:
    """What kind of turn this is: the bits FINAL, ASKS, TIMED, NAMES."""
    bits = (FINAL if text.rstrip().endswith(("?", "？")) else 0) | (ASKS if "?" in text or "？" in text else 0)
    return bits | (TIMED if TIME.search(text) else 0) | (NAMES if NAME.search(text) else 0)


def day_of(at: str) -> int:
    """The day of an ISO time as a proleptic ordinal; 0 when it is none."""
    try:
        return date.fromisoformat(at[:10]).toordinal()
    except ValueError:
        return 0


def day_words(day: int) -> list[str]:
    """What a day is filed under: "@2023", "@may", "@7", "@sunday"."""
    if not day:
        return []
    when = date.fromordinal(day)
    return [f"@{when.year}", f"@{MONTHS[when.month - 1]}", f"@{when.day}", f"@{DAYS[when.weekday()]}"]


def _table(text: str) -> dict[str, str]:
    rows = (line.split() for line in text.split(";"))
    return {form: first for first, *forms in rows for form in forms}


_IRREGULAR = _table(lexicon.IRREGULAR)
_SAME = {_bare(form): _bare(first) for form, first in _table(lexicon.SAME).items()}


DAY_WORDS = frozenset(MONTHS) | frozenset(DAYS)
