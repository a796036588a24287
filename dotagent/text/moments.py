"""Read a time phrase: return the date and time of a reminder, or raise the reason to ask the person again. Pure.

A phrase that can mean two times is never guessed: “at 3” at 10 in the morning, or “next Friday” on a Tuesday. The same
is true of an hour that daylight saving skips or repeats, and of a time that is over.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta

from dotagent.text import dates, phrases, schedule, times
from dotagent.text.dates import DEFAULT, TimeOfDay, Unclear
from dotagent.text.phrases import PARTS

BY_PART = (time(9), time(15), time(20), time(20))  # the time for a part of the day without an hour
RANGES = ((1, 12), (12, 19), (17, 24), (18, 24))  # hours that morning, afternoon, evening and night can mean
LATE = 6  # the hour at which a night is over
DAYTIME = 7  # the first hour that is read as written on a named day; below it, “at 3” is usually the afternoon

_DAYS = ("relative", "named", "weekday", "date", "now", "ahead", "monthday", "last", "ofweek", "inweek", "nth", "idiom")

Parts = dict[str, str]


def read(phrase: str, now: datetime) -> tuple[str, str] | None:
    """Return the kind of job (`at`, `every` or `cron`) and its schedule, or None if the text is not a time.

    `now` has the zone of the person. Raises Unclear if the time is uncertain.
    """
    matched = phrases.match(phrase)
    if matched is None:
        return None
    kind, found = matched[0], {name: value for name, value in matched[1].groupdict().items() if value}
    try:
        return _elsewhere(phrase, kind, found, now) if "zone" in found else _READ[kind](phrase, found, now)
    except OverflowError:
        raise Unclear(f"“{phrase}” is too far in the future") from None


def repeated(phrase: str) -> tuple[str, str] | None:
    """Return the kind (`every` or `cron`) and the schedule of a repeated time, or None if the text is not a time.

    A time of day alone, like “8am and 8pm”, repeats daily. Raises Unclear for a time that occurs once.
    """
    matched = phrases.match(phrase)
    if matched and matched[0] in ("spaced", "monthly"):
        raise Unclear(f"“{phrase}”: the first day is missing; make a reminder or a job for that")
    if matched and matched[0] not in ("each", "every"):
        matched = phrases.match(f"daily {phrase}")
        if matched is None:
            raise Unclear(f"“{phrase}” is a single time; write a time that repeats, like “every day at 9:00”")
    if matched is None:
        return None
    found = {name: value for name, value in matched[1].groupdict().items() if value}
    return _every(phrase, found) if matched[0] == "every" else _parse_each(phrase, found)


def _iso(phrase: str, found: Parts, now: datetime) -> tuple[str, str]:
    day, clock = re.split("[t ]", found["iso"])
    words = (
        f"{day}T{clock.zfill(8 if clock.count(':') > 1 else 5)}{found.get('offset', '').upper().replace('UTC', 'Z')}"
    )
    try:
        then = datetime.fromisoformat(words)
    except ValueError:
        raise Unclear(f"{words} is not a valid time") from None
    if then.tzinfo:
        return "at", _future(phrase, then, now, words)
    return "at", _local(phrase, then, now)


def _after_length(phrase: str, found: Parts, now: datetime) -> tuple[str, str]:
    lengths = found.get("lengths") or found["before"]
    length = timedelta(seconds=round(phrases.seconds(lengths)))
    if not length:
        raise Unclear(f"“{phrase}” is not in the future; write a later time")
    if phrases.is_days(lengths):  # the same time of day, even where daylight saving begins or ends
        return "at", _local(phrase, now.replace(tzinfo=None, microsecond=0) + length, now)
    then = now.astimezone(UTC) + length + timedelta(seconds=now.microsecond > 0)
    return "at", _future(phrase, then, now, times.make_stamp(then))


def _every(phrase: str, found: Parts, now: datetime | None = None) -> tuple[str, str]:
    if "adverb" in found:
        length, days = float(phrases.ADVERBS[found["adverb"]]), found["adverb"] not in phrases.HOURLY
    elif "second" in found:
        length, days = 2.0 * phrases.unit(found["second"]), phrases.is_days(found["second"])
    else:
        length, days = phrases.seconds(found["lengths"]), phrases.is_days(found["lengths"])
    return "every", schedule.compact(round(length), "wd" if days else "hms")


def _parse_each(phrase: str, found: Parts, now: datetime | None = None) -> tuple[str, str]:
    days = (
        found.get("days") or found.get("weekly") or found.get("range") or re.sub(r"s\b", "", found.get("plural", "day"))
    )
    part = _part(phrase, found, PARTS.get("morning" if days == "morgen" else days))
    told = [_clock(phrase, word) for word in phrases.clocks(found.get("clocks", ""))]
    if any(clock.ends_day for clock in told):
        raise Unclear(f"“{phrase}”: write 00:00 and the day that begins at this time")
    at = [clock.time if clock.midnight else _place_on_day(phrase, clock, part, late=True) for clock in told]
    at = at or [_default_time(part)]
    if len({one.minute for one in at}) > 1:
        raise Unclear(f"“{phrase}” names several times: make one reminder for each")
    hours = ",".join(str(hour) for hour in sorted({one.hour for one in at}))
    return "cron", f"{at[0].minute} {hours} {dates.repeated(phrase, found, days)}"


def _spaced(phrase: str, found: Parts, now: datetime) -> tuple[str, str]:
    """Return an interval of days, from the next such day."""
    told = [_clock(phrase, word) for word in phrases.clocks(found.get("clocks", ""))]
    if len(told) > 1 or any(clock.ends_day for clock in told):
        raise Unclear(f"“{phrase}” names several times: make one reminder for each")
    part = _part(phrase, found, None)
    at = _place_on_day(phrase, told[0], part) if told else _default_time(part)
    count, day = phrases.number(found.get("spaces") or found.get("weeks") or "2"), now.date()
    if "spaced" in found:
        day += timedelta(days=(phrases.WEEKDAYS[found["spaced"]] - day.weekday()) % 7)
    if datetime.combine(day, at) <= now.replace(tzinfo=None):
        day += timedelta(days=7 if "spaced" in found else 1)
    first = _local(phrase, datetime.combine(day, at), now)
    return "every", f"{count}{'w' if 'spaced' in found else 'd'} from {first}"


def _monthly(phrase: str, found: Parts, now: datetime) -> tuple[str, str]:
    if now.day > 28:
        raise Unclear(f"“{phrase}”: not every month has a day {now.day}; write “every month on the 1st at 9:00”")
    return "cron", f"{now.minute} {now.hour} {now.day} * *"


def _moment(phrase: str, found: Parts, now: datetime) -> tuple[str, str]:
    told = [_clock(phrase, word) for word in phrases.clocks(found.get("clocks", ""))]
    if len(told) > 1:
        raise Unclear(f"“{phrase}” names several times: make one reminder for each")
    night = PARTS["night"] if found.get("relative") == "tonight" else None
    part = _part(phrase, found, PARTS[found["now"]] if "now" in found else night)
    today = now.date()
    if told and told[0].ends_day:
        day = dates.find_day(phrase, found, now, told[0]) if any(name in found for name in _DAYS) else today
        return "at", _local(phrase, datetime.combine(day + timedelta(days=1), time()), now)
    if not any(name in found for name in _DAYS):
        if re.match(r"(?:this|heute)\b", found.get("of", "")):
            return "at", _time_today(phrase, told[0], part, now)
        return "at", _next(phrase, told[0], part, now)
    if told and told[0].midnight:
        if found.get("relative") not in ("tonight", "heute", "today") or "from" in found:
            raise Unclear(f"“{phrase}” can mean the beginning or the end of that day; write the date and 00:00")
        return "at", _local(phrase, datetime.combine(today + timedelta(days=1), time()), now)
    day = dates.find_day(phrase, found, now, told[0] if told else None)
    if told and day == today:
        return "at", _time_today(phrase, told[0], part, now)
    at = _place_on_day(phrase, told[0], part) if told else _default_time(part)
    if found.get("unit") in phrases.MONTHS_AHEAD and not told and part is None:
        at = now.time().replace(microsecond=0)  # as “in 3 days” is at this time of day
    return "at", _local(phrase, datetime.combine(day, at), now)


_READ = {"iso": _iso, "in": _after_length, "every": _every, "each": _parse_each, "spaced": _spaced,
         "monthly": _monthly, "moment": _moment}  # fmt: skip


def _elsewhere(phrase: str, kind: str, found: Parts, now: datetime) -> tuple[str, str]:
    """Return the time in the zone that the phrase names. Raises Unclear for a name that does not hold there then."""
    name = found["zone"]
    place = phrases.ZONES.get(name, "/".join(one.title() for one in name.split("/")))
    try:
        there = now.astimezone(times.find_zone(place))
    except (KeyError, ValueError, OSError):
        raise Unclear(f"“{phrase}”: there is no time zone {name}; write one like Europe/Berlin") from None
    if kind != "moment":
        raise Unclear(
            f"“{phrase}”: a repeated reminder cannot name a time zone; write the time in the zone {now.tzinfo}"
        )
    if there.date() != now.date() and not found.keys() & {"date", "dated"}:
        raise Unclear(f"“{phrase}”: in that zone today is {there:%A, %Y-%m-%d}: write the date")
    then = datetime.fromisoformat(_moment(phrase, found, there)[1]).replace(tzinfo=there.tzinfo)
    called = (then.tzname() or "").lower()
    if len(name) > 2 and name in phrases.ZONES and called not in (phrases.GERMAN_ZONES.get(name, name), "utc"):
        raise Unclear(
            f"“{phrase}”: at that date the time in {place} is {called.upper()}; write which of the two you mean"
        )
    return "at", times.make_stamp(then)


def _part(phrase: str, found: Parts, known: int | None) -> int | None:
    """Return the part of the day that the phrase names. Raises Unclear if it names two."""
    named = {PARTS[found[name].split()[-1]] for name in ("part", "of") if name in found}
    named |= {known} if known is not None else set()
    if PARTS["night"] in named and PARTS["evening"] in named:
        named -= {PARTS["night"]}
    if len(named) > 1:
        raise Unclear(f"“{phrase}” names two parts of the day; write only one")
    return next(iter(named), None)


def _default_time(part: int | None) -> time:
    return DEFAULT if part is None else BY_PART[part]


def _clock(phrase: str, word: str) -> TimeOfDay:
    """Return the time of day that the text names. Raises Unclear for an hour or minute that no clock shows."""
    if word in phrases.NOON:
        return TimeOfDay(12, 0, True)
    if word in phrases.MIDNIGHT:
        return TimeOfDay(0, 0, True, True)
    told = {name: value for name, value in phrases.clock(word).groupdict().items() if value}
    hour, half = phrases.number(told["hour"]), told.get("half", "")
    if told.get("before") == "half":  # half past eight in Britain, half past seven for who thinks in German
        raise Unclear(f"“{word}” can be {hour}:30 or {hour - 1}:30; write the time that you mean")
    minute = phrases.number(told["minute"]) if "minute" in told else 0
    if half and not 1 <= hour <= 12:
        raise Unclear(f"“{word}” is not a time of day")
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    sure = bool(half or "full" in told or hour == 0 or hour > 12 or told["hour"].startswith("0"))
    if "before" in told or "step" in told:
        step = told.get("step", "").removeprefix("a ")
        away = {"": 0, "half": 30, "quarter": 15, "viertel": 15}.get(step)
        away = phrases.number(step) if away is None else away
        total = hour * 60 - {"halb": 30, "viertel": 45, "dreiviertel": 15}.get(told.get("before", ""), 0)
        total += away if told.get("way") in ("past", "nach") else -away
        hour, minute = total // 60 % 24, total % 60
        hour += 12 if hour == 0 and not sure else 0
    if (hour, minute) == (24, 0) and sure:
        return TimeOfDay(0, 0, True, ends_day=True)
    if hour > 23 or minute > 59:
        raise Unclear(f"“{word}” is not a time of day")
    return TimeOfDay(hour, minute, sure, hour_of_12=not half and 0 < hour < 13 and not told["hour"].startswith("0"))


def _halves(clock: TimeOfDay, part: bool = False) -> list[time]:
    """Return the times that a clock time can mean: one, or the same in both halves of the day. Next to a part of the
    day, an hour up to 12 is never sure: “um 8 Uhr abends”."""
    if clock.sure and not (part and clock.hour_of_12):
        return [clock.time]
    return [time(clock.hour % 12, clock.minute), time(clock.hour % 12 + 12, clock.minute)]


def _fitting(phrase: str, clock: TimeOfDay, part: int, late: bool = False) -> time:
    """Return the only time that is in the part of the day. With `late`, a night continues after midnight, into the next
    day. Raises Unclear if there is not exactly one."""
    first, last = RANGES[part]
    small = LATE if late and part == PARTS["night"] else 0
    fit = [one for one in _halves(clock, True) if first <= one.hour < last or one.hour < small]
    if len(fit) != 1:
        raise Unclear(f"“{phrase}”: the hour does not fit the part of the day; write the time like 21:00")
    return fit[0]


def _place_on_day(phrase: str, clock: TimeOfDay, part: int | None, late: bool = False) -> time:
    """Return the time of day on a named day. Raises Unclear if it can be in either half of the day."""
    if part is not None:
        return _fitting(phrase, clock, part, late)
    if not clock.sure and clock.hour < DAYTIME:
        raise Unclear(_either(phrase, clock))
    return clock.time


def _either(phrase: str, clock: TimeOfDay) -> str:
    return f"“{phrase}” can be {' or '.join(f'{one:%H:%M}' for one in _halves(clock))}: write which one you mean"


def _time_today(phrase: str, clock: TimeOfDay, part: int | None, now: datetime) -> str:
    """Return the only such time of today that is still to come. Raises Unclear if no time or two times are."""
    halves = [_fitting(phrase, clock, part)] if part is not None else _halves(clock)
    left = [one for one in halves if datetime.combine(now.date(), one) > now.replace(tzinfo=None)]
    if not left:
        raise Unclear(f"“{phrase}” is in the past: it is {now:%H:%M} on {now:%A, %Y-%m-%d} in {now.tzinfo}")
    if len(left) > 1 and clock.hour < DAYTIME:
        raise Unclear(_either(phrase, clock))
    if part is None and clock.hour >= DAYTIME and left[0] != clock.time:
        raise Unclear(f"“{phrase}”: it is {now:%H:%M} already; write {left[0]:%H:%M}, or another day")
    return _local(phrase, datetime.combine(now.date(), left[0]), now)


def _next(phrase: str, clock: TimeOfDay, part: int | None, now: datetime) -> str:
    """Return the next time at which a clock shows this."""
    here = now.replace(tzinfo=None)

    def following(one: time) -> datetime:
        then = datetime.combine(here.date(), one)
        return then if then > here else datetime.combine(here.date() + timedelta(days=1), one)

    if part is not None:
        return _local(phrase, following(_fitting(phrase, clock, part, late=True)), now)
    soonest = min(map(following, _halves(clock)))
    if soonest.time() != clock.time:
        raise Unclear(_either(phrase, clock))
    return _local(phrase, soonest, now)


def _local(phrase: str, then: datetime, now: datetime) -> str:
    """Return a local time in the form of a job. Raises Unclear if the clocks skip or repeat it, and if it is over."""
    here = then.replace(tzinfo=now.tzinfo)
    if here.astimezone(UTC).astimezone(now.tzinfo).replace(tzinfo=None) != then:
        raise Unclear(f"“{phrase}”: this time does not exist, because the clocks go forward then; write another time")
    other = here.replace(fold=1)
    if other.utcoffset() != here.utcoffset():
        both = " or ".join(times.make_stamp(one) for one in (here, other))
        raise Unclear(f"“{phrase}”: the clocks go back then, and that time comes twice: write {both}")
    return _future(phrase, here, now, then.isoformat(timespec="seconds" if then.second else "minutes"))


def _future(phrase: str, then: datetime, now: datetime, words: str) -> str:
    if then.astimezone(UTC) <= now.astimezone(UTC):
        raise Unclear(f"“{phrase}” is in the past: it is {now:%H:%M} on {now:%A, %Y-%m-%d} in {now.tzinfo}")
    return words
