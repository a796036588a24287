"""The day that a time phrase names: “on the 31st”, “Friday week”, “in 2 months”, “the end of the month”. Pure.

If a phrase can mean two days or names a day that does not exist, the agent asks back instead of guessing.
"""

from __future__ import annotations

import calendar
import re
from datetime import date, datetime, time, timedelta

from dotagent.text import phrases
from dotagent.text.lazy import dataclass
from dotagent.text.phrases import MONTHS, ORDINALS, RELATIVE, WEEKDAYS

DEFAULT = time(9)  # the time for a day without one

Parts = dict[str, str]


class Unclear(ValueError):
    """A time that is not understood as a whole; the text says why, for the person or model that wrote it."""


@dataclass(frozen=True)
class TimeOfDay:
    """A time of day; `sure` if it cannot also mean the other half of the day; midnight begins the next day.
    `hour_of_12` if its hour, as written, can be combined with a part of the day. `ends_day` for 24:00."""

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


def find_day(phrase: str, found: Parts, now: datetime, clock: TimeOfDay | None) -> date:
    """Return the day that is named."""
    today = now.date()
    week = timedelta(days=7 if found.keys() & {"from", "after", "later"} else 0)
    if "now" in found:
        return today
    if "relative" in found:
        return today + timedelta(days=RELATIVE[found["relative"]]) + week
    if "idiom" in found:
        return today + timedelta(days=phrases.IDIOMS[found["idiom"]])
    if "ahead" in found:
        return _ahead(phrase, found["ahead"], found["unit"], today)
    if "monthday" in found or "last" in found:
        return _month_day(phrase, found, today, clock)
    if "named" in found:
        return _find_weekday(phrase, found["which"], WEEKDAYS[found["named"]], today)
    if weekday := found.get("ofweek") or found.get("inweek"):
        return _of_next_week(phrase, WEEKDAYS[weekday], today)
    if "numbered" in found:
        return _on_weekday(phrase, found, _month_day(phrase, {"monthday": found["numbered"]}, today, clock))
    if "nth" in found:
        return _nth_weekday(found, today)
    if "weekday" in found and "dated" not in found:
        ahead = (WEEKDAYS[found["weekday"]] - today.weekday()) % 7
        if not ahead:
            raise Unclear(_is_today(phrase, f"{now:%A}", today + timedelta(days=7)))
        return today + timedelta(days=ahead) + week
    return _on_weekday(phrase, found, _date(phrase, found.get("dated") or found["date"], now, clock))


def _on_weekday(phrase: str, found: Parts, day: date) -> date:
    """Return the day. Raises Unclear if it is not on the weekday that the phrase names."""
    if "weekday" in found and day.weekday() != WEEKDAYS[found["weekday"]]:
        raise Unclear(f"“{phrase}”: {day} is a {day:%A}")
    return day


def repeated(phrase: str, found: Parts, days: str) -> str:
    """Return the last three fields of a cron expression: days of a month, months, days of a week."""
    if "yearly" in found:
        year, month, day = _numbers(found["yearly"])
        if year or day > calendar.monthrange(2001, month)[1]:
            raise Unclear(f"“{phrase}”: not every year has this day; write a date")
        return f"{day} {month} *"
    week = [str((WEEKDAYS[day] + 1) % 7) for day in re.findall(r"\w+", found.get("monthly", days)) if day in WEEKDAYS]
    if "monthly" not in found:
        if days in ("weekend", "wochenende") and "clocks" not in found:
            raise Unclear(f"“{phrase}” can mean one day or both: write the days, or a time for both days")
        if len(week) == 2 and re.search(r"-|–|\b(?:to|through|bis)\b", days):
            first, last = map(int, week)
            week = [str((first + ahead) % 7) for ahead in range((last - first) % 7 + 1)]
        other = {"weekday": "1-5", "werktag": "1-5", "weekend": "0,6", "wochenende": "0,6"}.get(days, "*")
        return f"* * {','.join(sorted(week)) or other}"
    count = next((int(one) for one in re.findall(r"\d+", found["monthly"])), None)
    if count is None:
        count = next(ORDINALS[word] for word in found["monthly"].split() if word in ORDINALS)
    if week:
        return f"* * {week[0]}{f'#{count}' if count else 'L'}"
    if count > 28:
        raise Unclear(f"“{phrase}”: not every month has this day; you can write “on the last day of every month”")
    return f"{count or 'L'} * *"


def _nth_weekday(found: Parts, today: date) -> date:
    """Return the next “first Monday of December”."""
    count, weekday, month = ORDINALS[found["nth"]], WEEKDAYS[found["ofmonth"]], MONTHS[found["inmonth"]]
    for year in (today.year, today.year + 1):
        days = [day for week in calendar.monthcalendar(year, month) if (day := week[weekday])]
        then = date(year, month, days[count - 1])  # 0 is the last
        if then >= today:
            break
    return then


def _ahead(phrase: str, count: str, unit: str, today: date) -> date:
    number = phrases.number(count) if count in phrases.NUMBERS or count.isdecimal() else 1
    if unit not in phrases.MONTHS_AHEAD:
        return today + timedelta(seconds=number * phrases.unit(unit))
    return _day_of_month(phrase, today, number * phrases.MONTHS_AHEAD[unit], today.day)


def _day_of_month(phrase: str, today: date, ahead: int, day: int) -> date:
    """Return this day of a later month, given by the number of months ahead; day 0 is its last day."""
    year, month = divmod(today.year * 12 + today.month - 1 + ahead, 12)
    if year > 9999:
        raise OverflowError
    last = calendar.monthrange(year, month + 1)[1]
    if day > last:
        raise Unclear(f"“{phrase}”: {calendar.month_name[month + 1]} {year} has no day {day}")
    return date(year, month + 1, day or last)


def _month_day(phrase: str, found: Parts, today: date, clock: TimeOfDay | None) -> date:
    """Return “on the 31st” or “the end of next month”; without a month, the next month that has this day."""
    words = found.get("last") or found["monthday"]
    day = 0 if "last" in found else int(re.sub(r"\D", "", words))
    month = found.get("month", words if "last" in found else "")
    if month:
        then = _day_of_month(phrase, today, int("next" in month or "nächsten" in month), day)
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
    if which in ("coming", "kommenden"):
        return coming
    later = 7 if which in ("next", "nächsten") else 0
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


def _date(phrase: str, words: str, now: datetime, clock: TimeOfDay | None) -> date:
    """Return a date; without a year the next one."""
    year, month, day = _numbers(words)
    for one in (year,) if year else range(now.year, now.year + 9):
        try:
            then = date(one, month, day)
        except ValueError:
            continue
        at = clock.time if clock and clock.sure else time(23, 59) if clock else DEFAULT
        if year or datetime.combine(then, at) > now.replace(tzinfo=None):
            return then
    raise Unclear(f"“{phrase}” is not a day of the calendar; write a date that exists")


def _numbers(words: str) -> tuple[int, int, int]:
    """Return the year, month and day of a date; the year is 0 if it names none."""
    numbers = [int(one) for one in re.findall(r"\d+", words)]
    if re.fullmatch(r"\d{4}[-/]\d\d?[-/]\d\d?", words):
        return numbers[0], numbers[1], numbers[2]
    names = [MONTHS[word] for word in re.findall(r"[^\W\d_]+", words) if word in MONTHS]
    year = next((one for one in numbers if one > 99), 0)
    return (year, names[0], numbers[0]) if names else (year, numbers[1], numbers[0])
