"""The grammar of times: what the labels of a phrase mean together. Pure.

Rules put neighbouring labels together, first to numbers, then to lengths, dates, times of day and lists of days. What
is left must be parts of one time, each at most once, in any order; otherwise the phrase is not a time. The rules are
the same in every language. `reminder_times.py` finds the phrase in a longer text, and `moments.py` dates it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from dotagent.text.languages import Labels

# The letters of labels. Words have these:
#   numbers   N number, O ordinal (0 is “last”), T tens, % decimal, a article, f half, q quarter, v other, + plus, & and
#   lengths   e days, u hours and less, d h S the same if they can also be a date, o'clock or “second”, m months
#   days      D days from now, W weekday, b short weekday, V each such weekday, J weekdays (1) or weekend (2), M month,
#             P part of a day, g German “morgen”, X date, y next, s this, l coming, c r 月 and 年 behind a number
#   hours     C 9:30, o o'clock, B a.m. or p.m., Y the same if it can also be a day, n noon, z midnight, H “halb”,
#             p past, t to, k minus
#   others    A at, L on or the, I in, i of, F from now, E every, j each (behind its day), 0 a time in ISO 8601, Z zone,
#             x unknown, ? changes a time, ! is in no time
# Rules make these of them:
#   K time of day, # list of times of day, G length from now, R interval, U weeks to add, w next week, ~ days from … to,
#   Q month (every, yearly, next, this), = weekday of a month, X date, : hours from … to
LONGEST = 24  # labels of a phrase
OWN = ("en", "de")  # in these “in days” is no length
JOINS = ("before", "after", "until")  # values of `?` that a rule can read
_PARTS = frozenset(":0XDWV~wUPJEQ=OGR#Zsyl")
DAY, WEEK = 86_400, 604_800
Parts = dict[str, Any]
Make = Callable[[str, list[Any]], Any]

_COUNT = "[Nafqiv&+%]*"
_DAYS, _HOURS = f"{_COUNT}[edY]", f"{_COUNT}[uhS]"
_LENGTH = f"(?:{_DAYS}(?:,?{_DAYS}|,?[&+]{_HOURS})*|{_HOURS}(?:,?{_HOURS})*)(?:[&+]?a?[fq](?![ptIN])|(?<=h)N(?![ho]))?"
_DAY, _SURE, _POINT = "[NO]\\.?d?", "(?:Od?|Nd|N\\.)", "(?:C|N)[ho]?B?"


def _length(letters: str, values: list[Any]) -> tuple[float, bool] | None:
    """Return the seconds of a length, and whether it is in whole days: “1 hour and a half”, “1h30”."""
    total, count, last, days = 0.0, None, 0, True
    for at, (letter, value) in enumerate(zip(letters, values, strict=True)):
        after = letters[at + 1 : at + 2]
        if letter in "Nv%":
            if count is not None:  # “two and twenty minutes”
                return None
            count = value
        elif letter == "a" and count is None and after not in ("f", "q", "N"):
            count = 1
        elif letter == "f":
            count = (count or 0) + 0.5
        elif letter == "q":
            count = count * value / 60 if letters[at - 1] == "N" and count else (count or 0) + value / 60
        elif letter in "euhSdY":
            last = {"S": 1, "h": 3600}.get(letter, value)
            total, days, count = total + (1 if count is None else count) * last, days and last >= DAY, None
    if count is not None:  # “1h30”
        total += count * (60 if letters[-1] == "N" else last)
    return total, days and total % DAY == 0


def _said(letters: str, values: list[Any]) -> tuple[float, bool] | None:
    """Return a length after “in”, which needs a number in languages where “in days” is no length."""
    if values[0] == "bare" and letters[1] in "euh":
        return None
    return _length(letters, values)


def _interval(letters: str, values: list[Any]) -> tuple[float, bool, str] | None:
    """Return the length of an interval, and how it is said: `one` without a number, `gap` if it can mean one more."""
    how = values[0] if letters[0] == "E" else ""
    one = not {*"Nafqv%"} & {*letters}
    if how == "each" and one and letters[-1] != "h":
        return None
    found = _length(letters, values)
    return found and (*found, how if how in ("gap", "once") else "one" if one else "")


def _numbers(letters: str, values: list[Any]) -> list[int]:
    return [value for letter, value in zip(letters, values, strict=True) if letter in "NOn"]


def _sum(letters: str, values: list[Any]) -> int | None:
    return values[0] + values[-1] if values[-1] < 10 else None


def _date(letters: str, values: list[Any]) -> tuple[int, int, int] | None:
    """Return the year, or 0, the month and the day: “3 December 2027”, “May 3rd”."""
    month, numbers = values[letters.index("M")], _numbers(letters, values)
    year = numbers[1] if len(numbers) > 1 else 0
    return (year, month, numbers[0]) if 1 <= numbers[0] <= 31 and (not year or 1900 < year < 10_000) else None


def _nth(letters: str, values: list[Any]) -> tuple[int, int, int] | None:
    """Return which weekday of a month: the number, the day, and the month or 0."""
    number, month = values[0], values[-1] if letters[-1] == "M" else 0
    return (number, values[letters.index("W")], month) if number <= 4 and (number or letters[0] == "O") else None


def _shifted(hour: int, minutes: int, how: str = "") -> tuple[int, int, str] | None:
    """Return the time of day that is some minutes after an hour, or before it."""
    if hour > 24 or abs(minutes) > 59:
        return None
    total = (hour * 60 + minutes) % (24 * 60)
    return total // 60 or (12 if hour <= 12 and minutes < 0 else 0), total % 60, how


def _past(letters: str, values: list[Any]) -> tuple[int, int, str] | None:
    """Return “quarter past three”, “ten to nine” or “fünf vor halb neun”."""
    at = next(at for at, letter in enumerate(letters) if letter in "ptI")
    if letters[at] == "I" and values[at] != "over":
        return None
    if "u" in letters and values[letters.index("u")] != 60:  # “2 Stunden vor 9”
        return None
    hour = 12 if letters[-1] == "n" or "n" in letters else _numbers(letters, values)[-1]
    step = 30 if "f" in letters[:at] else values[letters.index("q")] if "q" in letters[:at] else values[0]
    half = -30 if "H" in letters else 0
    return _shifted(hour, half + (-step if letters[at] == "t" else step), "zero" if "n" in letters else "")


def _more(letters: str, values: list[Any]) -> tuple[int, int, str] | None:
    """Return “ocho y media”, “neuf heures moins le quart”, “18点45分” or “nine thirty”."""
    hour = 12 if letters[0] == "n" else values[0]
    if letters[-1] == "u" and values[-1] != 60:
        return None
    numbers = _numbers(letters[1:], values[1:])
    if not numbers:
        numbers = [30 if "f" in letters else values[letters.index("q")]]
    minutes = -numbers[0] if "k" in letters else numbers[0]
    return _shifted(hour, minutes, "zero" if letters[0] == "n" else "full" if "full" in values else "")


def _beside(letters: str, values: list[Any]) -> tuple[int, int, str] | None:
    """Return “2 hours before midnight” or “eine Stunde nach Mittag”."""
    at = next(at for at, letter in enumerate(letters) if letter in "?pt")
    sign = {"t": -1, "p": 1, "before": -1, "after": 1}.get(values[at] or letters[at], 0)
    seconds, _ = _length(letters[:at], values[:at]) or (0, False)
    minutes = sign * seconds / 60
    if not minutes or minutes % 1 or not (-720 < minutes < 0 or (letters[-1] == "n" and minutes < 720)):
        return None
    total = (720 if letters[-1] == "n" else 1440) + int(minutes)
    return total // 60, total % 60, "zero" if letters[-1] == "n" else "midnight"


def _minus(letters: str, values: list[Any]) -> tuple[int, int, str] | None:
    """Return “差十分八点”, ten to eight."""
    return _shifted(_numbers(letters, values)[-1], -values[1]) if "u" not in letters or values[2] == 60 else None


def _hours(letters: str, values: list[Any]) -> tuple[int, int] | None:
    """Return the first and the last hour of “from 9 to 17”, if they are sure."""
    told = list[int]()
    for letter, value in zip(letters, values, strict=True):
        if letter in "NC":
            told.append(value if letter == "N" else -1 if value[1] else value[0])
        elif letter == "B":
            told[-1] = told[-1] % 12 + 12 * (value == "pm") if 1 <= told[-1] <= 12 else -1
    if "?" in letters and values[letters.index("?")] != "until":
        return None
    first, last = told
    sure = letters.count("B") == 2 or ("B" not in letters and (first > 6 or last > 12))
    return (first, last) if values[0] == 0 and sure and 0 <= first < last < 24 else None


def _span(letters: str, values: list[Any]) -> list[int] | None:
    """Return the first and the last weekday of “from Monday to Friday”."""
    if "?" in letters and (values[letters.index("?")] != "until" or letters[0] != "R"):
        return None
    return [value for letter, value in zip(letters, values, strict=True) if letter == "W"]


def _days(letters: str, values: list[Any]) -> list[int]:
    """Return the days of “the 1st and 15th”."""
    return sorted(set(_numbers(letters, values)))


def _clock(letters: str, values: list[Any]) -> tuple[int, int, str]:
    """Return “9:30”; with a zero before the hour, or “Uhr” after it, it is on the clock of 24 hours."""
    hour, minute, zero = values[0]
    return hour, minute, "full" if "full" in values else "zero" if zero else ""


def _half_of(letters: str, values: list[Any]) -> tuple[int, int, str] | None:
    """Return a time of day with a.m. or p.m."""
    if letters[0] == "B" and values[-1][0] > 12:  # “下午15点”
        return (*values[-1][:2], "zero")
    clock, half = (values[0], values[-1]) if letters[0] == "K" else (values[-1], values[0])
    return (*clock[:2], half)


def _noon(letters: str, values: list[Any]) -> tuple[int, int, str] | None:
    hour, minute, _ = values[-1]
    return (12 if hour == 12 else 13, minute, "zero") if hour in (1, 12) else None


def _keep(at: int, only: Any = None) -> Make:
    return lambda letters, values: values[at] if only is None or values[at] == only else None


def _make(value: Any) -> Make:
    return lambda letters, values: value


def _when(value: Any, at: int = 0, only: Any = None) -> Make:
    return lambda letters, values: value if values[at] == only else None


def _list(letter: str) -> Make:
    return lambda letters, values: [value for one, value in zip(letters, values, strict=True) if one == letter]


# Rules by what they read, with an example, in this order: labels, the label that they make, and its value.
_RULES: dict[str, tuple[tuple[str, str, Make], ...]] = {
    "words with two meanings: “saat 9” in Turkish, “Montag morgen”": (
        ("(?<![NaEIfqv])h(?=[NC])", "A", _make(0)),
        ("(?<=[EWVDgL])g", "P", _make(0)), ("g", "D", _make(1)),
    ),
    "numbers: “twenty-five”": (
        ("T[-&+]?N", "N", _sum), ("T-?O", "O", _sum), ("T", "N", _keep(0)),
    ),
    "dates with 月 and 年: “2026年12月3日”": (
        ("NrNcNd?", "X", lambda letters, values: (values[0], values[2], values[4])),
        ("NcNd?", "X", lambda letters, values: (0, values[0], values[2])),
    ),
    "months from now: “in 2 months”": (
        ("I[Na]m", "G", lambda letters, values: ("months", (values[1] or 1) * values[2])),
        ("[Na]mF", "G", lambda letters, values: ("months", (values[0] or 1) * values[1])),
        ("Im", "G", lambda letters, values: ("months", values[1]) if values[0] != "bare" else None),
    ),
    "which months: “of every month”, “of next month”": (
        ("N(?=d?iL?E[iL]*m)", "O", _keep(0)),
        ("[iI]?L?E[iL]*m", "Q", lambda letters, values: "every" if values[-1] == 1 else "yearly"),
        ("[iI]?L?ym", "Q", _when("next", -1, 1)), ("[iI]?L?sm|[iI]L?m", "Q", _when("this", -1, 1)),
    ),
    "dates: “3 December 2027”, “the last Friday of every month”": (
        ("S(?=W.*Q|[iL]*M)", "O", _make(2)), ("[NO]\\.?L?W[iIL]*M", "=", _nth),
        ("[NO]\\.?[iL]*M[,i]?N", "X", _date), ("[NO]\\.?[iL]*M", "X", _date),
        ("ML?[NO],?N", "X", _date), ("ML?[NO]", "X", _date),
        ("S(?=W.*Q)", "O", _make(2)), ("O[iL]*W", "=", _nth), ("N(?=W.*Q)", "O", _keep(0)), ("O[iL]*W", "=", _nth),
    ),
    "days of a month: “the 1st and 15th of every month”": (
        (f"{_DAY}(?:[,&+]+L?{_DAY})+(?=[,iL]*Q)", "O", _days), (f"(?<=Q)L*{_SURE}(?:[,&+]+L?{_SURE})+", "O", _days),
        ("Oe", "O", _when(0, 0, 0)), ("Oe(?=Q)", "O", _keep(0)), ("(?<=L)N(?=Q)", "O", _keep(0)),
        ("I(?=L?X)", "", _make(0)), ("(?<=W[&+,])V", "W", _keep(0)),
        ("(?<=E)S(?=[euh])", "v", _make(2)), ("(?<=E)O(?=[euh])", "v", lambda letters, values: values[0] or None),
        ("(?<=L)N\\.", "O", _keep(0)), ("Ed(?=N(?![ho]))", "Q", _make("every")),
        ("(?:(?<=L)|(?<=W)|(?<=WL)|(?<=W,))N(?=,?A)", "O", _keep(0)), ("^eN(?=,?A)", "O", _keep(1)),
        ("(?<=Q)[Le]?N(?=d|,?A|$)", "O", _keep(-1)),
    ),
    "lengths: “in 2 hours”, “every other Monday”": (
        ("^qt$", "G", lambda letters, values: (values[0] * 60, False) if values[1] == "in" else None),
        (f"(?<![Nqf])I{_LENGTH}", "G", _said), (f"{_LENGTH}F", "G", _length),
        ("(?<=aW)v", "R", _make((2 * WEEK, True, ""))), ("a(?=WR)", "", _make(0)),
        ("Ev(?=L?W)", "R", _make((2 * WEEK, True, ""))),
        (f"E{_LENGTH}", "R", _interval), (f"{_LENGTH}j", "R", _interval),
    ),
    "weeks to add, and parts of a day: “Friday week”, “in the morning”": (
        ("(?<=W)e", "U", _when(1, 0, WEEK)), ("ae[LR]?(?=[WD])", "U", _when(1, 1, WEEK)),
        ("L?ye", "w", _when(1, -1, WEEK)), ("s(?=P)", "D", _make(0)), ("[Ii]L?P", "P", _keep(-1)),
        ("Od|Nd", "O", _keep(0)),
    ),
    "hours to another, and before noon: “from 9 to 17”, “an hour before noon”": (
        (f"R{_POINT}[t?-]A?{_POINT}", ":", _hours), (f"R{_POINT}A{_POINT}", ":", _hours),
        (f"{_COUNT}[uh][?pt]L?[nz]", "K", _beside), ("k(?:q|Nu?)N[ho]", "K", _minus),
        ("N[ho]?n", "n", _when(0, 0, 12)),
    ),
    "minutes past and to an hour: “quarter to nine”, “halb neun”": (
        ("Nu?[pt]HN[ho]?", "K", _past), ("HN[ho]?", "K", lambda letters, values: _shifted(values[1], -30)),
        ("(?:a?q|f|Nu?)[ptI]L?[Nn][ho]?", "K", _past),
        ("fN[ho]?", "K", lambda letters, values: (values[1], 30, "half")),
        ("[Nn][ho]?kL?a?(?:q|N(?![ho]))", "K", _more), ("[Nn][ho]?[&+]?a?[fq](?![ptIN])", "K", _more),
        ("(?<![Nho])qN[ho]?", "K", lambda letters, values: _shifted(values[1], values[0] - 60)),
        ("N[ho](?:[&+]Nu|Nu?)(?![ho])", "K", _more), ("N\\+N(?![ho])", "K", _more),
        ("(?<=A)NN(?![ho])", "K", lambda letters, values: _more(letters, values) if values[1] > 9 else None),
    ),
    "times of day: “9:30 pm”": (
        ("C[ho]?", "K", _clock),
        ("N[ho]", "K", lambda letters, values: (values[0], 0, str(values[1] or ""))),
        ("N(?=B)|(?<=[AB])N|(?<=.)N", "K", lambda letters, values: (values[0], 0, "")),
        ("(?<=K)Y", "B", _make("pm")), ("KB|B[A,]?K", "K", _half_of), ("nA?K", "K", _noon),
        ("n", "K", _make((12, 0, "noon"))), ("z", "K", _make((0, 0, "midnight"))),
    ),
    "lists: “8am and 8pm”, “Monday and Friday”": (
        ("K(?:(?:,|,?[&+])A?K)+", "#", _list("K")), ("K", "#", _list("K")),
        ("V(?:[,&+]*L?V)*", "V", _list("V")), ("R?W[t?-]R?W", "~", _span), ("W(?:[,&+]+L?W)*", "W", _list("W")),
    ),
    "words that add nothing: “on” Monday “at” 9": (
        ("E(?=[VE])", "", _make(0)), ("[LA,i]", "", _make(0)),
    ),
}  # fmt: skip


@cache
def _rules() -> list[tuple[re.Pattern[str], str, Make]]:
    return [(re.compile(form), letter, make) for rules in _RULES.values() for form, letter, make in rules]


def read(labels: Labels) -> Parts | None:
    """Return the parts of a time by their letters, or None if the labels are not exactly one time."""
    used = [at for at, letter in enumerate(labels.letters) if letter != "_"]
    letters = "".join(labels.letters[at] for at in used)
    if (
        letters in ("", "b")
        or letters[-1] in "LAi,&a"
        or letters[0] == "i"
        or letters[:2] == "LA"
        or len(letters) > LONGEST
    ):
        return None
    values, on = [labels.values[at] for at in used], letters[0] == "L"
    if any(
        letter in "x!" or (letter == "?" and value not in JOINS) for letter, value in zip(letters, values, strict=True)
    ):
        return None
    ordinal = letters[0] == "O"
    habit = letters[:2] == "LW" and values[0] == "le"  # “le lundi” can be each Monday
    if labels.language in OWN:
        values = [
            "bare" if letter == "I" and value == 0 else value for letter, value in zip(letters, values, strict=True)
        ]
    letters = letters.replace("b", "W")
    for form, letter, make in _rules():
        at = 0
        while found := form.search(letters, at):
            begin, end = found.span()
            made = make(found[0], values[begin:end])
            if made is None:
                at = begin + 1
                continue
            letters = letters[:begin] + letter + letters[end:]
            values[begin:end] = [made] if letter else []
            at = begin + len(letter)
    parts = dict(zip(letters, values, strict=True))
    if (
        len(parts) < len(letters)
        or parts.get("R") == 0
        or not parts.keys() <= _PARTS
        or parts.keys() <= {"P", "E", "J"} - {"E"}
    ):
        return None
    if letters in ("E", "V", "Z") and not (letters == "V" and on):
        return None
    if ordinal and "O" in parts and "Q" not in parts:  # “third at 18:00”
        return None
    return None if habit and not parts.keys() & {*"XOER"} else parts
