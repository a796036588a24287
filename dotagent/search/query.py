"""What a query asks for: its words, the speakers and the days it names, and whether it wants a time or a name. Any text
is a query: nothing in it is syntax. Owns nothing on disk."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from dotagent.text.words import DAYS, MONTHS, STOP, fold, stem

WHEN = re.compile(
    r"\b(when|how long|since when|(what|which) (dates?|days?|months?|years?|times?|deadlines?)"
    r"|how many (days|weeks|months|years))\b"
)
NAMED = re.compile(r"\b(who|whom|where|names?|(what|which) (city|country|state|place))\b")
PART = re.compile(r"[a-z]+|\d+")
VERBS = ("may", "march")  # months only beside a number or one of
MONTHLY = frozenset("in of on during since until till by last this next early late mid".split())
TALK = frozenset(
    """summary summarize overview conversation conversations session sessions chat chats discuss discussed mention
mentioned order throughout""".split()
)  # words of a question about the talk itself, and others in which it is put
ABOUT = TALK | frozenset(
    """comprehensive list walk brought bring aspect aspects item items across time previously earlier ever overall
different various""".split()
)
AFTER_DAYS = 8  # people tell of a day up to about a week after it


Term = tuple[str, ...]
"""One word asked for, as the forms that answer it: itself, and for "may" and "2023" the day a turn is of."""


@dataclass(frozen=True)
class Day:
    """A day, or a month when `day` is 0; of any year when `year` is 0."""

    year: int
    month: int
    day: int


@dataclass(frozen=True)
class Query:
    """What a query asks for: words, who is named in it, and the days it speaks of."""

    terms: tuple[Term, ...]
    pairs: tuple[tuple[str, str], ...]  # words that are asked for side by side, as they are compared
    speakers: tuple[frozenset[int], ...]  # those that each name may mean, in the order they are named
    days: tuple[Day, ...]
    when: bool
    named: bool
    about_talk: bool  # whether it asks about the talk itself


def parse(text: str, words: list[str], called: dict[str, frozenset[int]]) -> Query:
    """The query of a text and its words (words.raw). `called` leads from a word to the speakers called so: their
    names say whom to look for and are not looked for themselves, unless nothing else is asked."""
    low = fold(text)
    named = days(low)
    asked = [word for word in words if word not in STOP or (word in MONTHS and named)]
    told = [word for word in asked if word not in called and word not in ABOUT]
    terms = {stem(word): term(word) for word in told or asked}
    return Query(
        tuple(terms.values()),
        tuple(dict.fromkeys(pairwise(stem(word) for word in told or asked))),
        tuple(people([called[word] for word in words if word in called])),
        tuple(named),
        bool(WHEN.search(low)),
        bool(NAMED.search(low)),
        not TALK.isdisjoint(asked),
    )


def people(names: list[frozenset[int]]) -> list[frozenset[int]]:
    """One set a person: words that may name the same one, a first name and a surname, narrow each other."""
    found: list[frozenset[int]] = []
    for name in names:
        for i, other in enumerate(found):
            if name & other:
                found[i] = name & other
                break
        else:
            found.append(name)
    return found


def term(word: str) -> Term:
    """The word with all the forms under which it is filed."""
    dated = word in MONTHS or word in DAYS or (word.isdigit() and len(word) in (1, 2, 4))
    return (stem(word), "@" + word.lstrip("0")) if dated else (stem(word),)


def days(low: str) -> list[Day]:
    """The days and months that a folded text names: "7 may 2023", "may 7th", "in may", "2023-05-07"."""
    parts = PART.findall(low)
    numbers = [int(part) if part.isdigit() and len(part) <= 4 else 0 for part in parts]
    years = [number for number in numbers if 1900 <= number < 2100]
    year = years[0] if years else 0
    found: list[Day] = []
    for i, part in enumerate(parts):
        if part in MONTHS:
            near = numbers[i + 1 : i + 2] + numbers[max(0, i - 2) : i][::-1]
            day = next((number for number in near if 0 < number <= 31), 0)
            if day or year or part not in VERBS or (i and parts[i - 1] in MONTHLY):
                found.append(Day(year, MONTHS.index(part) + 1, day))
        elif 1900 <= numbers[i] < 2100 and i + 2 < len(parts) and 0 < numbers[i + 1] <= 12 and 0 < numbers[i + 2] <= 31:
            found.append(Day(numbers[i], numbers[i + 1], numbers[i + 2]))
    return found


def on(day: Day, ordinal: int) -> bool:
    """Is the day `ordinal` one on which people would tell of `day`?"""
    if not ordinal:
        return False
    told = date.fromordinal(ordinal)
    if not day.day:
        return told.month == day.month and day.year in (0, told.year)
    try:
        then = date(day.year or told.year, day.month, day.day)
    except ValueError:
        return False
    return timedelta(days=-1) <= told - then <= timedelta(days=AFTER_DAYS)
