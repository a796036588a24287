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

from dotagent.text import lazy
from dotagent.text.languages import Labels

# The letters of labels. Words have these:
#   numbers   N number, O ordinal (0 is “last”), T tens, % decimal, a article, f half, q quarter, v other, + plus, & and
#   lengths   e days, u hours and less, d h S the same if they can also be a date, o'clock or “second”, m months
#   days      D days from now, W weekday, b short weekday, V each such weekday, J weekdays (1) or weekend (2), M month,
#             P part of a day, g German “morgen”, X date, y next, s this, l coming, c r 月 and 年 behind a number
#   hours     C 9:30, o o'clock, B a.m. or p.m., Y the same if it can also be a day, n noon, z midnight, H “halb”,
#             p past, t to, k minus
#   others    A at, L on or the, I in, i of, F from now, E every, j each (behind its day), 0 a time in ISO 8601, Z zone,
#             x unknown, ? changes a time (< before, > after, … until), ! is in no time
# Rules make these of them:
#   K time of day, # list of times of day, G length from now, R interval, U weeks to add, w next week, ~ days from … to,
#   Q month (every, yearly, next, this), = weekday of a month, X date, : hours from … to
OWN = ("en", "de")  # languages that are read without the words of others
_CHANGING = {"before": "<", "after": ">", "until": "…"}  # values of `?` that a rule can read
_NO_TIME = lazy.compile("b?|i.*|LA.*|.*[LAi,&a]|.*[x!?].*|.{25,}")
_PARTS = frozenset(":0XDWV~wUPJEQ=OGR#Zsyl")
HOUR, DAY, WEEK = 3600, 86_400, 604_800
Clock = tuple[int, int, str]  # the hour, the minute, and how sure they are (moments.py)
Length = tuple[int, float, bool]  # months and seconds, and whether these are whole days
Parts = dict[str, Any]
Make = Callable[[str, list[Any]], Any]

_COUNT = "[Nafqiv&+%]*"
_DAYS, _HOURS = f"{_COUNT}[edY]", f"{_COUNT}[uhS]"
_LENGTH = f"(?:{_DAYS}(?:,?{_DAYS}|,?[&+]{_HOURS})*|{_HOURS}(?:,?{_HOURS})*)(?:[&+]?a?[fq](?![ptIN])|(?<=h)N(?![ho]))?"
_DAY, _SURE = "[NO]\\.?d?", "(?:Od?|Nd|N\\.)"


def _length(letters: str, values: list[Any]) -> Length | None:
    """Return a length: “1 hour and a half”, “1h30”, “2 months”."""
    months, total, count, last, days = 0, 0.0, None, 0, True
    for at, (letter, value) in enumerate(zip(letters, values, strict=True)):
        if letter in "Nv%":
            if count is not None:  # “two and twenty minutes”
                return None
            count = value
        elif letter == "a" and letters[at + 1 : at + 2] not in ("f", "q", "N"):
            if count is not None and letters[at - 1] == "N":  # “8 a fortnight”
                return None
            count = 1 if count is None else count
        elif letter == "f":
            count = (count or 0) + 0.5
        elif letter == "q":
            count = count * value / 60 if letters[at - 1] == "N" and count else (count or 0) + value / 60
        elif letter == "m":
            months, count = value * (count or 1), None
        elif letter in "euhSdY":
            last = {"S": 1, "h": HOUR}.get(letter, value)
            total, days, count = total + (1 if count is None else count) * last, days and last >= DAY, None
    if count is not None:  # “1h30”
        total += count * (60 if letters[-1] == "N" else last)
    return months, total, days and total % DAY == 0


def _from_now(letters: str, values: list[Any]) -> Length | None:
    """Return a length after “in”, which needs a number in languages where “in days” is no length."""
    return None if values[0] == "bare" and letters[1] in "meuh" else _length(letters, values)


def _interval(letters: str, values: list[Any]) -> tuple[float, bool, str] | None:
    """Return the length of an interval, and how it is said: `one` without a number, `gap` if it can mean one more."""
    how = values[0 if letters[0] == "E" else -1]
    one = not {*"Nafqv%"} & {*letters}
    if how == "each" and one and letters[-1] != "h":
        return None
    found = _length(letters, values)
    return found and (*found[1:], how if how in ("gap", "once") else "one" if one else "")


def _numbers(letters: str, values: list[Any]) -> list[int]:
    return [value for letter, value in zip(letters, values, strict=True) if letter in "NO"]


def _sum(letters: str, values: list[Any]) -> int | None:
    return values[0] + values[-1] if values[-1] < 10 else None


def _date(letters: str, values: list[Any]) -> tuple[int, int, int] | None:
    """Return the year, or 0, the month and the day: “3 December 2027”, “May 3rd”."""
    month, (day, *years) = values[letters.index("M")], _numbers(letters, values)
    year = years[0] if years else 0
    return (year, month, day) if 1 <= day <= 31 and (not years or 1900 < year < 10_000) else None


def _nth(letters: str, values: list[Any]) -> tuple[int, int, int] | None:
    """Return which weekday of a month: the number, the day, and the month or 0."""
    number, month = values[0], values[-1] if letters[-1] == "M" else 0
    return (number, values[letters.index("W")], month) if number <= 4 and (number or letters[0] == "O") else None


def _weeks(letters: str, values: list[Any]) -> int | None:
    """Return the weeks of “Friday week”, “a fortnight on Friday” or “two weeks from tomorrow”."""
    seconds: int = values[letters.index("e")] * (values[0] if letters[0] == "N" else 1)
    return seconds if seconds % WEEK == 0 else None


def _past_or_to(letters: str, values: list[Any]) -> Clock | None:
    """Return “quarter past three”, “fünf vor halb neun”, “ocho y media”, “neuf heures moins le quart” or “nine thirty”.

    “half eight” without “past” is half an hour earlier in other languages.
    """
    hours = [at for at, letter in enumerate(letters) if letter in "Nn"]
    at = hours.pop(0 if letters[0] in "Nn" and not {*"ptIH"} & {*letters} else -1)
    hour, how = (12, "sure") if letters[at] == "n" else (values[at], "full" if "full" in values else "")
    step = 30 if "f" in letters else values[letters.index("q")] if "q" in letters else 0
    step = values[hours[0]] if hours else step
    for letter, value in zip(letters, values, strict=True):
        if (letter == "u" and value != 60) or (letter == "I" and value != "over"):  # “2 Stunden vor 9”, “8 in 9”
            return None
    if hour > 24 or step > 59 or (letters == "NN" and step < 10):
        return None
    before = {*"tk"} & {*letters}
    step = -step if before else step - 60 if letters[:2] == "qN" else step
    total = (hour * 60 + step - 30 * ("H" in letters)) % 1440
    early = hour <= 12 and (before or "H" in letters or letters[0] == "q")
    return total // 60 or (12 if early else 0), total % 60, "half" if letters[:2] == "fN" else how


def _beside(letters: str, values: list[Any]) -> Clock | None:
    """Return “2 hours before midnight” or “eine Stunde nach Mittag”."""
    at = next(at for at, letter in enumerate(letters) if letter in "<>pt")
    _, seconds, _ = _length(letters[:at], values[:at]) or (0, 0, False)
    minutes, noon = seconds / 60 * (-1 if letters[at] in "<t" else 1), letters[-1] == "n"
    if minutes % 1 or not 0 < abs(minutes) < 720 or not (noon or minutes < 0):
        return None
    hour, minute = divmod((720 if noon else 1440) + int(minutes), 60)
    return hour, minute, "sure" if noon else "midnight"


def _hours(letters: str, values: list[Any]) -> tuple[int, int] | None:
    """Return the first and the last hour of “from 9 to 17”, if they are sure."""
    (first, minute, how), (last, other_minute, other_how) = _list("K")(letters, values)
    each = all(one == "sure" or hour > 12 for hour, one in ((first, how), (last, other_how)))
    sure = each or ("sure" not in (how, other_how) and (first > 6 or last > 12))
    return (first, last) if values[0] == 0 and sure and not minute + other_minute and first < last < 24 else None


def _weekdays(letters: str, values: list[Any]) -> list[int] | None:
    """Return the first and the last day of “from Monday to Friday”, which is no part of “every 2 weeks”."""
    return None if letters[0] == "R" and values[0] else _list("W")(letters, values)


def _as_written(letters: str, values: list[Any]) -> Clock:
    """Return “9:30” or “9 Uhr”; with a zero before the hour, or “Uhr” after it, it is on the clock of 24 hours."""
    hour, minute, zero = values[0] if letters[0] == "C" else (values[0], 0, 0)
    return hour, minute, "full" if "full" in values else "sure" if zero else ""


def _half_of(letters: str, values: list[Any]) -> Clock | None:
    """Return a time of day with a.m. or p.m., or one about noon: “下午3点”, “中午1点”."""
    (hour, minute, _), half = (values[0], values[-1]) if letters[0] == "K" else (values[-1], values[0])
    noon = letters[0] == "n"
    if letters[0] == "B" and hour > 12:  # “下午15点”
        return hour, minute, "sure"
    hours = (12, 1) if noon else range(1, 13)
    return (hour % 12 + 12 * (noon or half == "pm"), minute, "sure") if hour in hours else None


def _clocks(letters: str, values: list[Any]) -> list[Clock] | None:
    """Return the times of day, or None if a clock does not show one of them."""
    found = _list("K")(letters, values)
    return found if all((hour < 24 and minute < 60) or (hour, minute) == (24, 0) for hour, minute, _ in found) else None


def _keep(at: int) -> Make:
    return lambda letters, values: values[at]


def _when(value: Any, at: int = 0, only: Any = None) -> Make:
    return lambda letters, values: value if values[at] == only else None


def _list(letter: str) -> Make:
    return lambda letters, values: [value for one, value in zip(letters, values, strict=True) if one == letter]


# Rules by the labels that they read, with an example, in this order: the label that they make, its value, its parts.
_RULES: dict[str, tuple[tuple[Any, ...], ...]] = {
    "words with two meanings: “saat 9” in Turkish, “Montag morgen”": (
        ("A", 0, "(?<![NaEIfqv])h(?=[NC])"), ("P", 0, "(?<=[EWVDgL])g"), ("D", 1, "g"),
    ),
    "numbers: “twenty-five”": (
        ("N", _sum, "T[-&+]?N"), ("O", _sum, "T-?O"), ("N", _keep(0), "T"),
    ),
    "dates with 月 and 年: “2026年12月3日”": (
        ("X", lambda letters, values: (0, *_numbers(letters, values))[-3:], "NrNcNd?", "NcNd?"),
    ),
    "months from now: “in 2 months”": (("G", _from_now, "I[Na]?m"), ("G", _length, "[Na]mF")),
    "which months: “of every month”, “of next month”": (
        ("O", _keep(0), "N(?=d?iL?E[iL]*m)"),
        ("Q", lambda letters, values: "every" if values[-1] == 1 else "yearly", "[iI]?L?E[iL]*m"),
        ("Q", _when("next", -1, 1), "[iI]?L?ym"), ("Q", _when("this", -1, 1), "[iI]?L?sm|[iI]L?m"),
    ),
    "dates: “3 December 2027”, “the last Friday of every month”": (
        ("O", 2, "S(?=W.*Q|[iL]*M)"), ("W", _keep(0), "(?<=O)V"), ("=", _nth, "[NO]\\.?L?W[iIL]*M"),
        ("X", _date, "[NO]\\.?[iL]*M[,i]?N", "[NO]\\.?[iL]*M", "ML?[NO],?N", "ML?[NO]"),
        ("=", _nth, "O[iL]*W"), ("O", _keep(0), "N(?=W.*Q)"), ("=", _nth, "O[iL]*W"),
        ("", _when("", 0, DAY), "(?:^|(?<=L))e(?=X)"),
    ),
    "days of a month: “the 1st and 15th of every month”": (
        ("O", lambda letters, values: sorted({*_numbers(letters, values)}),
         f"{_DAY}(?:[,&+]+L?{_DAY})+(?=[,iL]*Q)", f"(?<=Q)L*{_SURE}(?:[,&+]+L?{_SURE})+"),
        ("O", _when(0, 0, 0), "Oe"), ("O", _keep(0), "Oe(?=Q)", "(?<=L)N(?=Q)"),
        ("", 0, "I(?=L?X)"), ("W", _keep(0), "(?<=W[&+,])V"), ("v", 2, "(?<=E)S(?=[euh])"),
        ("v", lambda letters, values: values[0] or None, "(?<=E)O(?=[euh])"),
        ("O", _keep(0), "(?<=L)N\\."), ("Q", "every", "Ed(?=N(?![ho]))"),
        ("O", _keep(-1), "(?:(?<=L)|(?<=W)|(?<=WL)|(?<=W,))N(?=,?A)", "(?:^|(?<=L))eN(?=,?A|$)",
         "(?<=Q)[Le]?N(?=d|,?A|$)"),
    ),
    "lengths: “in 2 hours”, “every other Monday”": (
        ("G", lambda letters, values: (0, values[0] * 60, False) if values[1] == "in" else None, "^qt$"),
        ("G", _from_now, f"(?<![Nqf])I{_LENGTH}"), ("G", _length, f"{_LENGTH}F"),
        ("R", (2 * WEEK, True, ""), "(?<=aW)v"), ("", 0, "a(?=WR)"), ("R", (2 * WEEK, True, ""), "Ev(?=L?W)"),
        ("R", _interval, f"E{_LENGTH}", f"{_LENGTH}j"),
    ),
    "weeks to add, and parts of a day: “Friday week”, “in the morning”": (
        ("U", _weeks, "(?<=W)e", "[Na]e[LR]?(?=[WD])"),
        ("w", _when(1, -1, WEEK), "L?ye"), ("D", 0, "s(?=P)"), ("P", _keep(-1), "[Ii]L?P"), ("O", _keep(0), "Od|Nd"),
    ),
    "hours before noon, and minutes before an hour: “an hour before noon”, “差十分八点”": (
        ("K", _beside, f"{_COUNT}[uh][<>pt]L?[nz]"),
        ("K", _past_or_to, "k(?:q|Nu?)N[ho]"), ("n", _when(0, 0, 12), "N[ho]?n"),
    ),
    "minutes past and to an hour: “quarter to nine”, “halb neun”": (
        ("K", _past_or_to, "N[qN][k+]", "Nu?[ptI]HN[ho]?", "HN[ho]?", "(?<!R)(?:a?q|f|Nu?)[ptI]L?[Nn][ho]?", "fN[ho]?",
         "[Nn][ho]?kL?a?(?:q|N(?![ho]))", "[Nn][ho]?[&+]?a?[fq](?![ptIN])", "(?<![Nho])qN[ho]?",
         "N[ho](?:[&+]Nu|Nu?)(?![ho])", "N\\+N(?![ho])", "(?<=A)NN(?![ho])"),
        ("K", lambda letters, values: ((values[2] - 1) % 12 or 12, values[0], "") if values[1] == 60 else None,
         "(?<=A)NuN(?![hou])"),
    ),
    "times of day: “9:30 pm”": (
        ("K", _as_written, "C[ho]?", "N[ho]", "N(?=B)|(?<=.)N"),
        ("B", "pm", "(?<=K)Y"), ("K", _half_of, "KB|B[A,]?K", "nA?K"),
        ("K", (12, 0, "sure"), "n"), ("K", (0, 0, "midnight"), "z"),
    ),
    "lists: “from 9 to 17”, “8am and 8pm”, “Monday and Friday”": (
        (":", _hours, "RK[t…-]A?K", "RKAK"), ("#", _clocks, "K(?:(?:,|,?[&+])A?K)+", "K"),
        ("V", _list("V"), "V(?:[,&+]*L?V)*"), ("~", _weekdays, "R?W[t-]R?W", "RW…R?W"),
        ("W", _list("W"), "W(?:[,&+]+L?W)*"),
    ),
    "words that add nothing: “on” Monday “at” 9": (("", 0, "E(?=[VE])", "s(?=l)", "[LA,i]", "(?<=W)-(?=P)"),),
}  # fmt: skip


@cache
def _rules() -> list[tuple[re.Pattern[str], str, Any]]:
    flat = (rule for rules in _RULES.values() for rule in rules)
    return [(re.compile(form), letter, made) for letter, made, *forms in flat for form in forms]


def read(labels: Labels) -> Parts | None:
    """Return the parts of a time by their letters, or None if the labels are not exactly one time."""
    told = [(letter, value) for letter, value in zip(labels.letters, labels.values, strict=True) if letter != "_"]
    letters = "".join(_CHANGING.get(str(value), letter) if letter == "?" else letter for letter, value in told)
    if _NO_TIME.fullmatch(letters):
        return None
    values: list[Any] = [value for _, value in told]
    begun, habit = letters[0], letters[:2] == "LW" and values[0] == "le"  # “le lundi” can be each Monday
    letters = letters.replace("b", "W")
    for form, letter, make in _rules():
        at = 0
        while found := form.search(letters, at):
            begin, end = found.span()
            made = make(found[0], values[begin:end]) if callable(make) else make
            if made is None:
                at = begin + 1
                continue
            letters = letters[:begin] + letter + letters[end:]
            values[begin:end] = [made] if letter else []
            at = begin + len(letter)
    parts = dict(zip(letters, values, strict=True))
    if len(parts) < len(letters) or parts.get("R") == 0 or not parts.keys() <= _PARTS:
        return None
    alone = parts.keys() <= {"P", "J"} or letters in ("E", "Z") or (letters == "V" and begun != "L")
    vague = habit and not parts.keys() & {*"XOER"}
    if begun == "O" and "O" in parts and "Q" not in parts:  # “third at 18:00”
        vague = True
    return None if alone or vague else parts
