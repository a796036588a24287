"""The day that a time phrase names: “on the 31st”, “Friday week”, “in 2 months”, “the end of the month”. Pure.

If a phrase can mean two days or names a day that does not exist, the agent asks back instead of guessing.
"""

from __future__ import annotations

import calendar
from datetime import date, datetime, time, timedelta

from dotagent.text.lazy import dataclass
from dotagent.text.phrases import DAY, Parts

DEFAULT = time(9)  # the time for a day without one


class Unclear(ValueError):
    """A time that is not understood as a whole; the text says why, for the person or model that wrote it."""

    size = 0.0  # the number of words that seem to be the time, and a half if they are one, but beside others
    language = "en"  # the language in which the time was read
    choices: tuple[str, ...] = ()  # the times that it can be


@dataclass(frozen=True)
class TimeOfDay:
    """A time of day. It is `sure` if it cannot also mean the other half of the day, and `midnight` if it begins the
    next day. `hour_of_12` if its hour, as written, can be combined with a part of the day. `ends_day` for 24:00."""

    hour: int
    minute: int
    sure: bool
    midnight: bool = False
    hour_of_12: bool = False
    ends_day: bool = False

    @property
    def time(self) -> time:
        """This time as it is written, on a clock of 24 hours."""
        return time(self.hour, self.minute)


def find_day(phrase: str, parts: Parts, now: datetime, clock: TimeOfDay | None) -> date:
    """Return the day that is named."""
    today, week = now.date(), timedelta(days=7 if "U" in parts else 0)
    if "X" in parts:
        return _on_weekday(phrase, parts, _date(phrase, parts["X"], now, clock))
    if "=" in parts:
        return _nth_weekday(phrase, parts["="], today)
    if "O" in parts:
        return _on_weekday(phrase, parts, _month_day(phrase, parts, today, clock))
    if "D" in parts:
        days = int(parts["G"][0] // DAY) if "G" in parts else 0  # “heute in acht Tagen” is a week from today
        return today + timedelta(days=parts["D"] + {8: 7, 15: 14}.get(days, days)) + week
    if "W" not in parts:
        return _ahead(phrase, parts["G"], today)
    if len(parts["W"]) > 1:
        raise Unclear(f"“{phrase}” names several days: make one reminder for each")
    if "G" in parts:
        week = timedelta(seconds=parts["G"][0])
    weekday = parts["W"][0]
    if "w" in parts:
        return _of_next_week(phrase, weekday, today)
    if which := {*"syl"} & parts.keys():
        return _find_weekday(phrase, which.pop(), weekday, today) + week
    ahead = (weekday - today.weekday()) % 7
    if not ahead:
        raise Unclear(_is_today(phrase, f"{now:%A}", today + timedelta(days=7)))
    return today + timedelta(days=ahead) + week


def _on_weekday(phrase: str, parts: Parts, day: date) -> date:
    """Return the day. Raises Unclear if it is not on the weekday that the phrase names."""
    if "W" in parts and [day.weekday()] != parts["W"]:
        raise Unclear(f"“{phrase}”: {day} is a {day:%A}")
    return day


def repeated(phrase: str, parts: Parts) -> str:
    """Return the last three fields of a cron expression: days of a month, months, days of a week."""
    if "X" in parts:
        year, month, day = parts["X"]
        if year or not 1 <= month <= 12 or not 1 <= day <= calendar.monthrange(2001, month)[1]:
            raise Unclear(f"“{phrase}”: not every year has this day; write a date")
        return f"{day} {month} *"
    if "=" in parts:
        count, weekday, _ = parts["="]
        return f"* * {(weekday + 1) % 7}{f'#{count}' if count else 'L'}"
    if "O" in parts:
        days = parts["O"] if isinstance(parts["O"], list) else [parts["O"]]
        if max(days) > 28:
            raise Unclear(f"“{phrase}”: not every month has this day; you can write “on the last day of every month”")
        return f"{','.join(str(day or 'L') for day in days)} * *"
    week = parts.get("V") or parts.get("W") or []
    if "~" in parts:
        first, last = parts["~"]
        week = [(first + ahead) % 7 for ahead in range((last - first) % 7 + 1)]
    if parts.get("J") == 2 and "#" not in parts:
        raise Unclear(f"“{phrase}” can mean one day or both: write the days, or a time for both days")
    rest = {1: "1-5", 2: "0,6"}.get(parts.get("J", 0), "*")
    return f"* * {','.join(sorted({str((day + 1) % 7) for day in week})) or rest}"


def _nth_weekday(phrase: str, which: tuple[int, int, int], today: date) -> date:
    """Return the next “first Monday of December”."""
    count, weekday, month = which
    if not month:
        raise Unclear(f"“{phrase}”: write the month, or “of every month”")
    for year in (today.year, today.year + 1):
        days = [day for week in calendar.monthcalendar(year, month) if (day := week[weekday])]
        then = date(year, month, days[count - 1])  # 0 is the last
        if then >= today:
            break
    return then


def _ahead(phrase: str, length: tuple[float | str, int], today: date) -> date:
    if length[0] == "months":
        return _day_of_month(phrase, today, int(length[1]), today.day)
    return today + timedelta(seconds=float(length[0]))


def _day_of_month(phrase: str, today: date, ahead: int, day: int) -> date:
    """Return this day of a later month, given by the number of months ahead; day 0 is its last day."""
    year, month = divmod(today.year * 12 + today.month - 1 + ahead, 12)
    if year > 9999:
        raise OverflowError
    last = calendar.monthrange(year, month + 1)[1]
    if day > last:
        raise Unclear(f"“{phrase}”: {calendar.month_name[month + 1]} {year} has no day {day}")
    return date(year, month + 1, day or last)


def _month_day(phrase: str, parts: Parts, today: date, clock: TimeOfDay | None) -> date:
    """Return “on the 31st” or “the end of next month”; without a month, the next month that has this day."""
    day = parts["O"]
    if isinstance(day, list):
        raise Unclear(f"“{phrase}” names several days: make one reminder for each")
    if "Q" in parts or "y" in parts:
        then = _day_of_month(phrase, today, int(parts.get("Q") == "next"), day)
    elif not 1 <= day <= 31:
        raise Unclear(f"“{phrase}”: write the month")
    else:  # three months in a row have each day at least once
        months = (divmod(today.year * 12 + today.month - 1 + ahead, 12) for ahead in range(3))
        having = (date(year, one + 1, day) for year, one in months if day <= calendar.monthrange(year, one + 1)[1])
        then = next(one for one in having if one >= today)
    if then == today and not clock:
        raise Unclear(_is_today(phrase, f"{then}", _day_of_month(phrase, today, 1, 0)))
    return then


def _is_today(phrase: str, today: str, other: date) -> str:
    return f"“{phrase}”: today is {today}: write “today”, or a date like {other}"


def _find_weekday(phrase: str, which: str, weekday: int, today: date) -> date:
    """Return “next Friday” or “this Friday” where every way to count weeks finds the same day."""
    coming = today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    if which == "l":
        return coming
    later = 7 if which == "y" else 0
    found = {coming} if later else set[date]()
    for first in (0, 6):  # weeks begin on Monday or on Sunday
        begun = today - timedelta(days=(today.weekday() - first) % 7)
        found.add(begun + timedelta(days=(weekday - first) % 7 + later))
    if len(found) > 1 or min(found) < today:
        raise Unclear(f"“{phrase}” can be two days: write a date like {coming}")
    return found.pop()


def _of_next_week(phrase: str, weekday: int, today: date) -> date:
    """Return “Friday next week” where a week from Monday and one from Sunday have the same."""
    begun = {first: today - timedelta(days=(today.weekday() - first) % 7) for first in (0, 6)}
    found = {begun[first] + timedelta(days=7 + (weekday - first) % 7) for first in begun}
    if len(found) > 1:
        raise Unclear(f"“{phrase}” can be {' or '.join(map(str, sorted(found)))}: write the date")
    return found.pop()


def _date(phrase: str, numbers: tuple[int, int, int], now: datetime, clock: TimeOfDay | None) -> date:
    """Return a date; without a year the next one."""
    year, month, day = numbers
    for one in (year,) if year else range(now.year, now.year + 9):
        try:
            then = date(one, month, day)
        except ValueError:
            continue
        at = clock.time if clock and clock.sure else time(23, 59) if clock else DEFAULT
        if year or datetime.combine(then, at) > now.replace(tzinfo=None):
            return then
    raise Unclear(f"“{phrase}” is not a day of the calendar; write a date that exists")
