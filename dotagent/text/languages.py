"""The words of times in each language, as labels: a letter for what a word means, and its value. Pure.

A language is a list of words (`time_words.toml`). English words have labels, and words of other languages name English
words. `label` finds the labels of a text; `phrases.py` puts them together. A word without a label has `x`, so no time
of that language can contain it. `?` and `!` are for words that no time can contain, but that change a time beside them.
`x` with the value 1 is for words of habits, such as “always”, which mostly belong to the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from dotagent.text import lazy
from dotagent.text.lazy import dataclass
from dotagent.text.words import DAYS

Value = int | float | str | tuple[int, ...]
Label = tuple[str, Value]
Forms = dict[tuple[str, ...], list[Label]]

_MONTH_FIRST = ("zh", "ja", "ko")
_HAN = {one: at for at, one in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_WIDE = {ord("’"): "'", ord("‘"): "'", ord("ʼ"): "'", ord("`"): "'", ord("＇"): "'", ord("´"): "'"} | {
    code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if code != 0xFF07
}
_ACCENTS = str.maketrans(
    "əàáâãäåăąçćčďèéêëěęğìíîïıłľńňñòóôõöøőřśšşșťțùúûüůűýźżžё", "eaaaaaaaacccdeeeeeegiiiiillnnnooooooorssssttuuuuuuyzzzе"
)
_TWO_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "æ": "ae", "ø": "oe", "ß": "ss"})
UNSPACED = "[぀-ヿ㐀-鿿]"
_TOKEN = lazy.compile(
    rf"""(?x)
    (?P<iso>\d{{4}}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:\s?(?:z|utc|[+-]\d\d(?::?\d\d)?))?(?!\w|:\d))
    |(?P<X>\d{{4}}[-/]\d\d?[-/]\d\d?(?!\d)|\d{{4}}\s/\s\d\d?\s/\s\d\d?|(?<!\d)\d\d?\.\d\d?\.(?:\d{{4}}\b)?)
    |(?P<slash>\d\d?\s?/\s?\d\d?(?:\s?/\s?\d{{4}})?(?!\d))
    |(?P<O>\d\d?(?:st|nd|rd|th|ten|te|ste|er|e|º|ª|:a|:e|-го|-ого|-е|-ое|-му)(?!\w))
    |(?P<C>\d\d?[:.]\d\d(?!\d|\.\d)|0\d(?![\d:.]))
    |(?P<decimal>(?<!\d)\d{{1,6}}[.,]\d\d?(?!\d))
    |(?P<N>(?<!\d)\d{{1,9}}(?!\d)|[{"".join(_HAN)}十]+)
    |(?P<B>(?<=\d)[ap]m\b|(?<=\d)\s?[ap]\.m\b\.?)
    |(?P<u>(?<=\d)[smdw](?![^\W\d_]))
    |(?P<times>(?<=\d)[x×](?!\w))
    |(?P<Z>[a-z]+/[a-z_]+(?:/[a-z_-]+)?)
    |{UNSPACED}|[^\W\d_]+(?:['-][^\W\d_]+)*|\S"""
)
_SECONDS = {"s": 1, "m": 60, "d": 86_400, "w": 604_800}
_BETWEEN = lazy.compile("(.+?)(?:und|en|ën|og)(.+)")
_ANY: dict[str, Label] = {
    "h": ("h", "full"), "am": ("B", "am"), "pm": ("B", "pm"), ",": (",", 0), "/": ("/", 0), ".": (".", 0),
    "-": ("-", 0), "–": ("-", 0), "—": ("-", 0), "@": ("A", 0), "½": ("f", 0),
    "&": ("&", 0), "+": ("&", 0), "→": ("-", 0),
}  # fmt: skip


@dataclass(frozen=True)
class Labels:
    """The letters and values of a text's words in a language, and where each begins and ends."""

    language: str
    letters: str
    values: list[Value]
    spans: list[tuple[int, int]]

    def part(self, begin: int, end: int) -> Labels:
        """Return the labels from one to another."""
        return Labels(self.language, self.letters[begin:end], self.values[begin:end], self.spans[begin:end])


@cache
def _data() -> Mapping[str, Any]:
    """Return the words of all languages, as their file lists them."""
    import tomllib  # loaded only by a process that reads times in words

    return tomllib.loads(Path(__file__).with_name("time_words.toml").read_text("utf-8"))


def vocabularies() -> Mapping[str, str]:
    """Return the list of words of each language, English first."""
    found: Mapping[str, str] = _data()["vocabularies"]
    return found


def answers(language: str) -> Sequence[str]:
    """Return the messages about reminders in this language, or in English if the language is not known."""
    known: Mapping[str, Sequence[str]] = _data()["answers"]
    return known.get(language, known["en"])


def plain(text: str) -> str:
    """Return the text in lower case, with the same number of characters, and without wide signs and apostrophes."""
    low = text.lower()
    if len(low) != len(text):
        low = "".join(one.lower() if len(one.lower()) == 1 else one for one in text)
    return low.translate(_WIDE)


def _without_accents(words: str) -> set[str]:
    """Return how words are typed on a keyboard without their accents: “manana”, “ubermorgen” and “uebermorgen”."""
    if words.isascii():
        return set()
    long, short = words.translate(_TWO_LETTERS), words.translate(_ACCENTS).translate(_TWO_LETTERS)
    return {long.replace("å", "aa").translate(_ACCENTS), long.translate(_ACCENTS), short}


@lru_cache(maxsize=64)
def tokens(text: str) -> list[tuple[str, str, int, int]]:
    """Return the tokens of a text: their kind, themselves, and where they begin and end."""
    return [(one.lastgroup or "", one[0], one.start(), one.end()) for one in _TOKEN.finditer(plain(text))]


@lru_cache(maxsize=256)
def label(text: str, language: str) -> Labels:
    """Return the labels of a text in a language, the longest forms first."""
    told = tokens(text)
    forms, longest = _lexicon(language)
    letters, values, spans, at = "", list[Value](), list[tuple[int, int]](), 0
    words = [_word(kind, word) for kind, word, _, _ in told]
    while at < len(told):
        most = min(longest.get(words[at], 0), len(told) - at) if told[at][0] in ("", "N") else 0
        for length in range(most, 0, -1):
            if (found := forms.get(tuple(words[at : at + length]))) is not None:
                break
        else:
            own = _universal(*told[at][:2], language)
            length, found = 1, [own] if own else _apart(words[at], language)
        if words[at] == "." and letters[-1:] in {*"bMu"} and told[at][2] == told[at - 1][3] < told[-1][2]:
            found = []  # the point of “Mon. at 9”, “3 Dec. at 14:00” and “1 Std. 30 Min.”
        span = told[at][2], told[at + length - 1][3]
        for letter, value in found:
            letters, values, spans = letters + letter, [*values, value], [*spans, span]
        if not found:  # a word without a meaning by itself
            letters, values, spans = letters + "_", [*values, 0], [*spans, span]
        at += length
    return Labels(language, letters, values, spans)


def candidates(text: str) -> list[str]:
    """Return the languages of which the text has words, English first."""
    found = {language for _, word, _, _ in tokens(text) for language in _of_word().get(word, ()) or _of_parts(word)}
    return ["en", *(language for language in vocabularies() if language in found)]


def _of_parts(word: str) -> set[str]:
    """Return the languages of which a long word consists of two: “Freitagabend”."""
    both = ((_of_word().get(word[:at], ()), _of_word().get(word[at:], ())) for at in range(5, len(word) - 4))
    return {language for one, other in both for language in one if language in other}


def _word(kind: str, word: str) -> str:
    return str(_number(word)) if kind == "N" else word


def _number(digits: str) -> int | str:
    """Return a number in digits or in Chinese: 15, 十五, 二十."""
    if digits[0].isdecimal():
        return int(digits)
    if "十" not in digits:
        return int("".join(str(_HAN[one]) for one in digits))
    tens, _, ones = digits.partition("十")
    known = all(one in _HAN for one in tens + ones) and len(tens) < 2 and len(ones) < 2
    return (_HAN[tens] if tens else 1) * 10 + (_HAN[ones] if ones else 0) if known else digits


def _universal(kind: str, word: str, language: str) -> Label | None:
    """Return the label of a token that is the same in every language, or None."""
    if not kind:
        return None
    numbers = [int(one) for one in re.findall(r"\d+", word)]
    year = next((one for one in numbers if one > 99), 0)
    if kind in ("X", "slash"):  # for a date
        if kind == "slash" and language == "en":
            return "?", word
        parts = [one for one in numbers if one < 100]
        month_first = language in _MONTH_FIRST if kind == "slash" else word[:4].isdecimal()
        return "X", (year, *(parts if month_first else parts[::-1]))
    if kind == "C" and (numbers[1:] or [0])[0] < 60:
        return "C", (numbers[0], (numbers[1:] or [0])[0], int(word[0] == "0"))
    if kind in ("C", "decimal"):
        return "%", float(re.sub("[,:]", ".", word))
    if kind == "N" and isinstance(value := _number(word), int):
        return "N", value
    if kind == "u":
        return "e" if word in "dw" else "u", _SECONDS[word]
    if kind == "Z":
        return "Z", "/".join(one.title() for one in word.split("/"))
    if kind == "O":
        return "O", numbers[0]
    if kind == "times":  # “3x daily”
        return "x", 1
    if kind == "B":
        return "B", f"{word.strip()[0]}m"
    return ("0", word) if kind == "iso" else None


@lru_cache(maxsize=1024)
def _apart(word: str, language: str) -> list[Label]:
    """Return the labels of a word that consists of others, like “Samstagabend”, “fünfundzwanzig” or “vingt-deux”."""
    forms = _lexicon(language)[0]
    if "-" in word:
        parts = [forms.get((one,)) or [("x", one)] for one in re.split("(-)", word)]
        if all(one[0][0] != "x" for one in parts):
            return [each for one in parts for each in one]
        if any(one[0][0] in "?E" or one[0] == ("x", 1) for one in parts):  # “mid-term”, “bi-monthly”
            return [("x", 1)]
    if found := _BETWEEN.fullmatch(word):
        one, ten = forms.get((found[1],), []), forms.get((found[2],), [])
        if one and ten and one[0][0] in "Na" and ten[0][0] == "T":
            return [("N", int(one[0][1]) + int(ten[0][1]))]  # type: ignore[arg-type]
    for at in range(2, len(word) - 2):
        first, second = forms.get((word[:at],)), forms.get((word[at:],))
        if first and second and first[0][0] + second[0][0] in ("WP", "Wg", "Wn", "DP", "gP", "Nf", "TN"):
            each = first[0][0] == "W" and word[at:].endswith("s")
            return [("V", first[0][1]), *second] if each else first + second  # “freitagabends”
    for end in ("sten", "ten", "ste", "te"):
        number = forms.get((word.removesuffix(end),)) if word.endswith(end) else None
        if number and number[0][0] in "NT":
            return [("O", number[0][1])]
    if "가" <= word[0] <= "힣":  # particles are written together with a word: “내일부터”, from tomorrow
        known = (forms.get((word[:end],)) for end in range(2, len(word)))
        if any(labels and labels[0][0] in "DWEN" for labels in known):
            return [("?", word)]
    return [("x", word)]


@cache
def _lexicon(language: str) -> tuple[Forms, dict[str, int]]:
    """Return the labels of each form of a language, and by first word the tokens of the longest. Computed once."""
    forms: Forms = {(word,): [label] for word, label in _ANY.items()}
    english = {} if language == "en" else _lexicon("en")[0]
    if language == "de":
        forms |= english
    for line in filter(None, map(str.strip, vocabularies()[language].split("\n"))):
        words, _, told = line.partition(": ")
        labels = _of_english(words) if english else _codes(words)
        forms |= {tuple(_word(*one[:2]) for one in tokens(form)): labels for form in told.split("/") if form}
    for form, labels in [*forms.items()]:
        for typed in _without_accents(" ".join(form)):
            forms.setdefault(tuple(typed.split()), labels)
    longest = dict[str, int]()
    for form in forms:
        longest[form[0]] = max(len(form), longest.get(form[0], 0))
    return forms, longest


def _codes(words: str) -> list[Label]:
    """Return the labels of a line of English: “D0 P3”, “Z UTC”, “E every”."""
    found = list[Label]()
    for word in words.split():
        if len(word) > 1 and word[1:].isdecimal():
            found.append((word[0], int(word[1:])))
        elif len(word) == 1:
            found.append((word, 0))
        elif word in ("Bam", "Bpm"):
            found.append(("B", word[1:]))
        else:
            found[-1] = (found[-1][0], word)
    return found


@cache
def _english() -> dict[str, list[Label]]:
    """Return the labels of the English words, and of `special`, by which other languages define their words."""
    special = (line.partition(": ") for line in _data()["special"].strip().split("\n"))
    return {" ".join(form): labels for form, labels in _lexicon("en")[0].items()} | {
        word: _codes(codes) for codes, _, word in special
    }


@cache
def _of_english(words: str) -> list[Label]:
    """Return the labels of English words, or of codes."""
    if words in ("-", "?", "??"):
        return [] if words == "-" else [("!" if words == "??" else "?", words)]
    told, found, at = words.split(), list[Label](), 0
    while at < len(told):
        for length in range(min(4, len(told) - at), 0, -1):
            if labels := _english().get(" ".join(told[at : at + length])):
                break
        else:
            length, labels = 1, [("N", int(told[at]))] if told[at].isdecimal() else _codes(told[at])
        found, at = found + labels, at + length
    return found


@cache
def _of_word() -> dict[str, list[str]]:
    """Return the languages that have each word; short ones that are also English words belong to none."""
    english, found = _lexicon("en")[0], dict[str, list[str]]()
    for language in vocabularies():
        for form in _lexicon(language)[0] if language != "en" else ():
            for word in form:
                if (word,) not in english and (len(word) > 1 or not word.isascii()) and not word.isdecimal():
                    found.setdefault(word, [])
                    if language not in found[word]:
                        found[word].append(language)
    return found


@cache
def days() -> frozenset[str]:
    """Return the words for a day, like “lundi” and “завтра”, also of languages in which no times are read."""
    single = (form[0] for language in vocabularies() for form, labels in _lexicon(language)[0].items()
              if len(form) == 1 and labels and labels[0][0] in "DWVg" and len(form[0]) > 2)  # fmt: skip
    unread = _data()["unread_days"].split()
    typed = (word for day in unread for word in _without_accents(day) if len(word) > 4)  # “more” is a word of English
    return frozenset((*single, *unread, *typed))


@cache
def forms(letters: str, languages: tuple[str, ...] = ("en", "de")) -> dict[str, int]:
    """Return the words of these letters with their values: of `M` the months."""
    return {
        form[0]: int(labels[0][1])  # type: ignore[arg-type]
        for language in languages
        for form, labels in _lexicon(language)[0].items()
        if len(form) == len(labels) == 1 and labels[0][0] in letters
    }


def number(word: str) -> int | None:
    """Return the number that a word is in English or German, or None: “twelve”, “fünfundzwanzig”."""
    found = forms("NT").get(word)
    if found is None and _BETWEEN.fullmatch(word) and [one[0] for one in _apart(word, "de")] == ["N"]:
        found = int(_apart(word, "de")[0][1])  # type: ignore[arg-type]
    return found


def weekday(language: str, day: int) -> str:
    """Return the name of a day of the week, from 0 for Monday, or "" for a language that is not one of these."""
    found = re.search(rf"(?m)^{DAYS[day]}: ([^/\n]+)", vocabularies().get(language, ""))
    return found[1] if found else ""


@cache
def calendar() -> Mapping[str, list[str]]:
    """Return the longer words for days and months of all languages, by each of their first two letters."""
    found = dict[str, list[str]]()
    for word in forms("DWMV", tuple(vocabularies())):
        for letter in {*word[:2]} if len(word) > 5 else ():
            found.setdefault(letter, []).append(word)
    return found
