"""The day that a time phrase names: “on the 31st”, “Friday week”, “in 2 months”, “the end of the month”. Pure.

If a phrase can mean two days or names a day that does not exist, the agent asks back instead of guessing.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable
from datetime import date, datetime, time, timedelta

from dotagent.text.phrases import Parts

WEEK = timedelta(days=7)
SEVERAL = "this names several times or days: make one reminder for each"
NO_DAY = "the calendar has no such day; write a date that exists"
_YEARS = 9  # the most years between two days of one date: 29 February 2096 and 2104


class Unclear(ValueError):
    """A time that is not understood as a whole. The text says why, for the person or model that wrote it.

    `choices` are the times that it can be. `language` is the language in which it was read. `size` is the number of
    words that seem to be the time, and a half if they are one, but next to others.
    """

    def __init__(self, why: str, choices: tuple[str, ...] = (), language: str = "en", size: float = 0.0) -> None:
        super().__init__(why)
        self.choices, self.language, self.size = choices, language, size


def either(*choices: str) -> Unclear:
    """Return the question which of these days or times is meant."""
    return Unclear(f"this can be {' or '.join(choices)}; write which one you mean", choices)


def find_day(parts: Parts, now: datetime, latest: time | None) -> date:
    """Return the day that is named. `latest` is the latest time of that day that can be meant, if a time is named."""
    today = now.date()
    months, seconds, _ = parts.get("G", (0, parts.get("U", 0), True))
    later = timedelta(seconds=seconds)
    if parts.keys() & {*"DW"}:  # “heute in acht Tagen” is a week from today
        later = {8: WEEK, 15: 2 * WEEK}.get(later.days, later)
    if parts.keys() & {*"XO="}:
        day = _find_date(parts, now, latest)
        if "W" in parts and [day.weekday()] != parts["W"]:
            raise Unclear(f"{day} is a {day:%A}")
        return day
    if "D" in parts:
        return today + timedelta(days=parts["D"]) + later
    return _find_weekday(parts, today, later) if "W" in parts else _day_of_month(today, months, today.day) + later


def repeated(parts: Parts) -> str:
    """Return the last three fields of a cron expression: days of a month, months, days of a week."""
    if "X" in parts:
        year, month, day = parts["X"]
        if year or not 1 <= month <= 12 or not 1 <= day <= calendar.monthrange(2001, month)[1]:
            raise Unclear("not every year has this day; write a date")
        return f"{day} {month} *"
    if "=" in parts:
        count, weekday, month = parts["="]
        return f"* {month or '*'} {(weekday + 1) % 7}{f'#{count}' if count else 'L'}"
    if "O" in parts:
        days = parts["O"] if isinstance(parts["O"], list) else [parts["O"]]
        if max(days) > 28:
            raise Unclear("not every month has this day; you can write “on the last day of every month”")
        return f"{','.join(str(day or 'L') for day in days)} * *"
    week = parts.get("V") or parts.get("W") or []
    if "~" in parts:
        first, last = parts["~"]
        week = [(first + ahead) % 7 for ahead in range((last - first) % 7 + 1)]
    if parts.get("J") == 2 and "#" not in parts:
        raise Unclear("this can mean one of the days or both; name each day with its time")
    rest = {1: "1-5", 2: "0,6"}.get(parts.get("J", 0), "*")
    return f"* * {','.join(sorted({str((day + 1) % 7) for day in week})) or rest}"


def _find_date(parts: Parts, now: datetime, latest: time | None) -> date:
    """Return the next “3 December”, “31st”, “15th of next month” or “first Monday of December”."""
    if "X" in parts:
        year, month, day = parts["X"]
        if not year:
            return _find_next(lambda one: (one.month, one.day) == (month, day), now, latest)
        try:
            return date(year, month, day)
        except ValueError:
            raise Unclear(NO_DAY) from None
    if "=" in parts:
        count, weekday, month = parts["="]
        if not month:
            raise Unclear("write the month, or “of every month”")
        return _find_next(lambda one: one.month == month and _is_nth(one, count, weekday), now, latest)
    day = parts["O"]
    if isinstance(day, list):
        raise Unclear(SEVERAL)
    if "Q" in parts:
        return _day_of_month(now.date(), int(parts["Q"] == "next"), day)
    return _find_next(lambda one: one.day == day, now, latest)


def _is_nth(day: date, count: int, weekday: int) -> bool:
    """Return whether a day is the first, second or, for 0, the last such weekday of its month."""
    nth = (day.day - 1) // 7 + 1 == count if count else (day + WEEK).month != day.month
    return day.weekday() == weekday and nth


def _find_next(fits: Callable[[date], bool], now: datetime, latest: time | None) -> date:
    """Return the first day from today on that fits. Today does so only while its time is still to come."""
    days = filter(fits, (now.date() + timedelta(days=ahead) for ahead in range(_YEARS * 366)))
    first = next(days, None)
    if first is None:
        raise Unclear(NO_DAY)
    if first > now.date() or (latest and latest > now.time()):
        return first
    following = next(days, first)
    if latest is None:
        raise either(f"{first}", f"{following}")
    return following


def _find_weekday(parts: Parts, today: date, later: timedelta) -> date:
    """Return “Friday”, “next Friday” or “Friday in a week” if every way to count weeks finds the same day."""
    if len(parts["W"]) > 1:
        raise Unclear(SEVERAL)
    weekday = parts["W"][0]
    coming = today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    this_week = _in_week(today, weekday)
    next_week = _in_week(today + WEEK, weekday)
    if "w" in parts:
        found = next_week
    elif "s" in parts:
        found = {day for day in this_week if day >= today} or this_week
    elif "y" in parts:
        found = {coming, *next_week}
    else:
        found = {coming} if "l" in parts or weekday != today.weekday() else {today, coming}
    if min(found) < today:
        found = {coming, *found}
    found = {day + later for day in found}
    if "G" in parts and [*parts].index("G") < [*parts].index("W"):  # “in a week on Monday”
        found |= _in_week(today + later, weekday)
    if len(found) > 1:
        raise either(*(f"{day}" for day in sorted({coming + later, *found})))
    return found.pop()


def _in_week(today: date, weekday: int) -> set[date]:
    """Return this weekday of the week of a day, which begins on Monday or on Sunday."""
    return {today + timedelta(days=(weekday - first) % 7 - (today.weekday() - first) % 7) for first in (0, 6)}


def _day_of_month(today: date, months: int, day: int) -> date:
    """Return this day of a later month; day 0 is its last day."""
    year, month = divmod(today.year * 12 + today.month - 1 + months, 12)
    if year > 9999:
        raise OverflowError
    last = calendar.monthrange(year, month + 1)[1]
    if day > last:
        raise Unclear(f"{calendar.month_name[month + 1]} {year} has no day {day}")
    return date(year, month + 1, day or last)
