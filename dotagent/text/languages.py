"""Times in other languages, translated word by word into the words of the grammar in `phrases.py`. Pure.

A language is a list of its words; a phrase with one word that is not in the list is not a time of that language. The
list also has words that no time can contain (`?`), like “before”: next to a time they make it unclear. If two languages
read a phrase differently, the phrase is unclear, too.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from functools import cache, lru_cache

from dotagent.text import lazy
from dotagent.text.vocabularies import UNREAD_DAYS, VOCABULARIES
from dotagent.text.words import DAYS

CALENDAR = "every|day|week|month|year|morning|afternoon|evening|night|noon|(?:uary|ch|ril|june|july|gust|ber)$"
_APOSTROPHE = lazy.compile("[’‘ʼʹ´`＇]")
_TOKEN = lazy.compile(r"\d+(?:[.:]\d+)*|[぀-ヿ㐀-鿿]|[^\W\d_]+(?:['’-][^\W\d_]+)*|\S")
_UNSPACED = lazy.compile(r".{0,9}?[぀-ヿ㐀-鿿]")
LONGEST = 24  # characters of a time without spaces
_SLASHED = lazy.compile(r"(?<!/ )\b(\d\d?) ?/ ?(\d\d?)(?: ?/ ?(\d{4}))?\b(?! ?/)")
_MONTH_FIRST = ("zh", "ja", "ko")
_HAN = {one: at for at, one in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_HAN_NUMBER = lazy.compile(f"[{''.join(_HAN)}十]+")
_ANY = frozenset((",", "/", "am", "pm"))  # in every language
_CLOCK = r"\d+(?:[:.]\d\d)?(?: o'clock)?"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_ORDINALS = ("last", "first", "second", "third", "fourth")
_PART = r"(?:morning|afternoon|evening|night)"
_SETTLE = tuple(  # in this order: the forms of other languages, and those of the grammar
    (re.compile(form), to)
    for form, to in (
        (r"\bT(\d)0(?: and| plus)? ([1-9])\b(?!:)", r"\g<1>\2"),
        (r"\bT(\d\d)\b", r"\1"),
        (r"\b(\d+) (DAY|YEAR) FROMNOW\b", lambda one: f"{one[1]} {one[2].lower()}s FROMNOW"),
        (r"\b((?:in|every|and) \d+) DAYPM\b", r"\1 days"),
        (r"\bDAYPM\b", "pm"),
        (rf"({_DAY}s?) (?:plus|,) (?={_DAY})", r"\1 and "),
        (r"\bevery .*", lambda one: re.sub(rf"({_DAY})s\b", r"\1", one[0])),
        (
            r"\b(?:EVERYMONTH|EVERYDAY) (?:on )?(\d+)(?: DAY| days)?\b(?! o'clock|[:.]\d| ?HOUR)",
            r"every month on the \1.",
        ),
        (r"\bEVERYMONTH\b", "every month"),
        (r"\bEVERYGAP (?=\d+ (?:HOUR|minutes))", "every "),  # with days, it can mean one more
        (r"\bEACHGAP (?=\d+ (?:HOUR|minutes|days|weeks|months)|HOUR)", "every "),
        (r"\bhalb (\d+) am\b", r"halb \1 in the morning"),
        (r"\bhalb (\d+) pm\b", r"halb \1 in the afternoon"),
        (r"\bevery month (?:LE|ART|on|days) (\d+) (?=at\b)", r"every month on the \1. "),
        (r"^(?:LE |ART |on |days )?(\d+)\.? of every month\b", r"on the \1. of every month"),
        (r"\b(\d{4}) / (\d\d?) / (\d\d?)\b", r"\1/\2/\3"),
        (r"\bEVERYDAY\b", "every day"),
        (rf"^(\d+\.\d+\.(?:\d{{4}})?|\d+ MONTH \d+ DAY|\d+ {_MONTH}) ({_DAY})\b", r"\2 \1"),
        (r"^(?:LE|ART|on|days) (\d+) (?=at\b)", r"on the \1. "),
        (rf"^([1-4]) ({_DAY}) (of|in) (?={_MONTH})", lambda one: f"{_ORDINALS[int(one[1])]} {one[2]} {one[3]} "),
        (rf"({_DAY}) next\b(?! week)", r"next \1"),
        (r"\bplus (?=at\b)", "and "),
        (r"^(\d+|a) (.*?) FROMNOW\b", r"in \1 \2"),
        (r"^(\d+) (HOUR|minutes|days|weeks) EACH\b", r"every \1 \2"),
        (r"\bin (?=\d+ of )", "on "),
        (r"^OVER\b", "in"),
        (r"\bOVER\b", "past"),
        (r"(\bin |\bevery |\band |, )(\d+|a)? ?HOUR (?:plus )?half\b", r"\1\2 and a half hours"),
        (r"(\bin |\bevery |\band |, )(\d+|a)? ?HOUR (?:plus )?(?:a )?quarter\b", r"\1\2 hour and a quarter"),
        (r"(\bin |\bevery |\band |, )(\d+|a)? ?HOUR (?:and |plus )?(\d+)(?: minutes)?\b", r"\1\2 hours and \3 minutes"),
        (r"(\bin |\bevery |\band |, )(\d+ |a )?HOUR\b", r"\1\2hours"),
        (r"\bplus (\d+) minutes\b", r"and \1 minutes"),
        (r"\b(in|every) a and a half", r"\1 1 and a half"),
        (r"\bin (?=(?:hour|day|week|month|year)s\b)", "in a "),
        (r"(?<!\d )\bHOUR (?=\d)", "at "),
        (r"\b(\d+)[:.](\d\d) HOUR\b", r"\1:\2"),
        (r"\bHOUR\b", "o'clock"),
        (r"\bnoon (?:plus )?half\b", "12:30"),
        (r"\bNOON (?:at )?12(?::00)?(?: o'clock)?(?! ?\d)", "noon"),
        (r"\bNOON 1(:\d\d)?(?: o'clock)?(?! ?\d)", r"13\1 o'clock"),
        (r"\bNOON\b", "noon"),
        (r"\b(\d+)(?: o'clock)? (?:plus )?half\b(?! \d)", r"\1:30"),
        (r"\b(\d+)(?: o'clock)? (?:plus )?(?:a )?quarter\b(?! (?:to|past))", r"\1:15"),
        (r"\b(\d+)(?: o'clock)? 3quarter\b", r"\1:45"),
        (r"\b(\d+)(?: o'clock)? plus (\d+)\b", r"\2 past \1"),
        (r"\b(\d+)(?: o'clock)? minus (?:a )?(quarter|\d+)\b", r"\2 to \1"),
        (r"\b(\d+) o'clock (\d\d)\b(?! minutes)", r"\1:\2"),
        (r"\b(\d+) o'clock (\d\d?) minutes\b", lambda one: f"{one[1]}:{int(one[2]):02}"),
        (r"\b(\d+:\d\d) o'clock\b", r"\1"),
        (r"\bPM (1[3-9]|2\d)\b(?: o'clock)?", r"\1"),
        (r"\b([AP])M (\d+(?::\d\d)?)(?: o'clock)?", lambda one: f"{one[2]} {one[1].lower()}m"),
        (r"\b([1-5](?::\d\d)?)(?: o'clock)? SMALL\b", r"\1 am"),
        (r"\bSMALL\b", "at night"),
        (r"\b12((?::\d\d)?) am\b", r"12\1 in the morning"),  # in some languages noon, in others midnight
        (rf"^(?:at )?({_PART}) (?:at )?({_CLOCK})$", r"at \2 in the \1"),
        (rf"\b({_PART}) (?:of|at) (tomorrow|today)\b", r"\2 \1"),
        (r"\b(\d+) o'clock ([ap]m)\b", r"\1 \2"),
        (rf"\b(?:ART|LE) (?=\d|{_DAY} \d)", ""),
        (rf"\bat (?={_DAY})", "on "),
        (r"\bof (\d{4})\b", r"\1"),
        (
            r"\b(\d{4}) YEAR (\d+) MONTH (\d+) DAY\b",
            lambda one: f"{one[1]}-{int(one[2]):02}-{int(one[3]):02}",
        ),
        (r"\b(\d+) MONTH (\d+) DAY\b", lambda one: f"{one[2]}.{one[1]}."),
        (r"\bNEXTMONTH (?:on )?(\d+) DAY\b", r"on the \1. of next month"),
        (r"^(?:on )?(\d+) DAY\b", r"on the \1."),
        (r"\bevery (?:day )?(morning|afternoon|evening|night)\b", r"every \1"),
        (r"\b(?:on|at) (on|at)\b", r"\1"),
        (r" ,", ","),
    )
)  # fmt: skip


def translate(phrase: str, own: Container[str]) -> Iterator[tuple[str, str]]:
    """Yield the languages that have all words of the phrase, and what it is in the words of the grammar. One of its
    words must be longer than “a” or “om” and no word of the grammar's `own` languages."""
    tokens = _tokens(phrase)
    if all(one in own or one[0].isdigit() or (one.isascii() and len(one) < 3) for one in tokens):
        return
    for language, (known, longest) in _lexicons().items():
        if (found := _words(tokens, known, longest)) is not None:
            day = r"\2.\1." if language in _MONTH_FIRST else r"\1.\2."
            yield language, _settle(_SLASHED.sub(day + r"\3", found))


def weekday(language: str, day: int) -> str:
    """Return the name of a day of the week, from 0 for Monday, or "" where the language is not one of these."""
    found = re.search(rf"(?m)^{DAYS[day]}: ([^/\n]+)", VOCABULARIES.get(language, ""))
    return found[1] if found else ""


def names_calendar(words: list[str], language: str, calendar: str) -> bool:
    """Return whether one of the words in this language means one of these of the grammar, like “every” or “week”."""
    known, longest = _lexicons().get(language, ({}, 0))
    tokens = _tokens(" ".join(words))
    found = (known.get(tokens[at : at + length], "") for at in range(len(tokens)) for length in range(1, longest + 1))
    return any(re.search(calendar, word) for word in found)


def is_word(word: str) -> bool:
    """Return whether this word can belong to a time in one of these languages, or change a time next to it."""
    tokens = _tokens(word.strip(",;.!?()“”\"'"))
    return any(bool(tokens) and _words(tokens, *known) is not None for known in _lexicons().values())


def changes(words: list[str]) -> bool:
    """Return whether one of the words changes a time, like “before”."""
    return not _limits().isdisjoint(words)


@cache
def _limits() -> frozenset[str]:
    return frozenset(
        form[0] for known, _ in _lexicons().values() for form, word in known.items() if word == "?" and len(form) == 1
    )


def begins(text: str) -> bool:
    """Return whether the text begins with a word that can belong to a time, or change a time next to it."""
    tokens = _tokens(text[:LONGEST])
    return any(
        tokens[:length] in known for known, longest in _lexicons().values() for length in range(1, longest + 1)
    )  # fmt: skip


def names_day(text: str) -> bool:
    """Return whether the text, written without spaces between its words, names a day or an hour."""
    return _unspaced_day().search(text) is not None


@cache
def _unspaced_day() -> re.Pattern[str]:
    forms = sorted(one for one in days() if _UNSPACED.match(one))
    together = {"".join(form) for known, _ in _lexicons().values() for form, word in known.items()
                if len(form) > 1 and _UNSPACED.match(form[0]) and (re.search(_DAY, word) or "today" in word
                                                                   or "tomorrow" in word)}  # fmt: skip
    return re.compile(f"[\\d{''.join(_HAN)}十]+ ?[点點時时시]|{'|'.join(map(re.escape, sorted({*forms, *together})))}")


def unspaced(text: str) -> list[str]:
    """Return the beginnings of a text that is written without spaces between its words, the longest first."""
    return [text[:end] for end in range(min(len(text) - 1, LONGEST), 1, -1)] if _UNSPACED.match(text[:LONGEST]) else []


@cache
def days() -> frozenset[str]:
    """Return the words for a day, like “lundi” and “завтра”, also in languages that are not read."""
    named = {"today", "tomorrow", "day after tomorrow", "tonight", "this evening"}
    known = {form[0]: word for known, _ in _lexicons().values() for form, word in known.items() if len(form) == 1}
    return frozenset(one for one, word in known.items() if word in named or re.fullmatch(f"{_DAY}s?", word)).union(
        UNREAD_DAYS.split()
    )


def _words(tokens: tuple[str, ...], known: dict[tuple[str, ...], str], longest: int) -> str | None:
    """Return the translation of the tokens, the longest forms first, or None if one is unknown."""
    told, at = list[str](), 0
    while at < len(tokens):
        for length in range(min(longest, len(tokens) - at), 0, -1):
            if (word := known.get(tokens[at : at + length])) is not None:
                told.append(word)
                at += length
                break
        else:
            if not tokens[at][0].isdigit() and tokens[at] not in _ANY:
                return None
            told.append(tokens[at])
            at += 1
    return " ".join(filter(None, told))


@lru_cache(maxsize=256)
def _settle(text: str) -> str:
    for form, to in _SETTLE:
        text = form.sub(to, text)
    return " ".join(text.split())


@lru_cache(maxsize=256)
def _tokens(text: str) -> tuple[str, ...]:
    plain = _HAN_NUMBER.sub(lambda one: f" {_han(one[0])} ", _APOSTROPHE.sub("'", text.lower()).replace("：", ":"))
    return tuple(one[0] for one in _TOKEN.finditer(plain))


def _han(digits: str) -> str:
    """Return a Chinese number in digits: 十五, 二十, 八."""
    if "十" not in digits:
        return "".join(str(_HAN[one]) for one in digits)
    tens, _, ones = digits.partition("十")
    known = all(one in _HAN for one in tens + ones) and len(tens) < 2 and len(ones) < 2
    return str((_HAN[tens] if tens else 1) * 10 + (_HAN[ones] if ones else 0)) if known else digits


@cache
def _lexicons() -> dict[str, tuple[dict[tuple[str, ...], str], int]]:
    """Return the forms of each language, and the most tokens of one. This waits for the first use."""
    found = {}
    for language, text in VOCABULARIES.items():
        known = dict[tuple[str, ...], str]()
        for line in filter(None, map(str.strip, text.split("\n"))):
            word, _, forms = line.partition(":")
            known |= {_tokens(form): word.strip().replace("-", "") for form in forms.strip().split("/") if form}
        found[language] = (known, max(map(len, known)))
    return found
