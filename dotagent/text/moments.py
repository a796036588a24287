"""Date a time phrase: return the date and time of a reminder, or raise the reason to ask the person again. Pure.

A phrase that can mean two times is never guessed: “at 3” at 10 in the morning, or “next Friday” on a Tuesday. The same
is true of an hour that daylight saving skips or repeats, and of a time that is over.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta

from dotagent.text import dates, languages, schedule, times
from dotagent.text.dates import DEFAULT, TimeOfDay, Unclear
from dotagent.text.phrases import DAY, WEEK, Parts

BY_PART = (time(9), time(15), time(20), time(20), time(20))  # the time for a part of the day without an hour
RANGES = (  # hours that morning, afternoon, evening, night, and the hours about midnight can mean
    range(1, 12), range(12, 19), range(17, 24), range(18, 24), (*range(1, 6), *range(18, 24)))  # fmt: skip
NIGHT = 3
LATE = 6  # the hour at which a night is over
DAYTIME = 7  # the first hour that is read as written on a named day; below it, “at 3” is usually the afternoon
REPEATED = frozenset(" W V ~ J X R Q OQ =Q QX RW RV =".split(" "))  # parts of a time that repeats, beside hours
DAYS = frozenset(" X WX O OW OQ OQW D DU DG G W UW GW Ww Wy Ws Wl =".split(" "))  # parts of a single one
NAMES = {"CET": "MEZ", "CEST": "MESZ"}


def read(phrase: str, parts: Parts, now: datetime) -> tuple[str, str]:
    """Return the kind of job (`at`, `every` or `cron`) and its schedule.

    `now` has the zone of the person. Raises Unclear if the time is uncertain.
    """
    try:
        if "Z" in parts:
            return _elsewhere(phrase, parts, now)
        if "0" in parts:
            return _iso(phrase, parts["0"], now)
        if _repeats(parts):
            return _repeated(phrase, parts, now)
        if parts.keys() == {"G"}:
            return _after_length(phrase, parts["G"], now)
        return _moment(phrase, parts, now)
    except OverflowError:
        raise Unclear(f"“{phrase}” is too far in the future") from None


def repeated(phrase: str, parts: Parts) -> tuple[str, str]:
    """Return the kind (`every` or `cron`) and the schedule of a time that repeats, without a first day.

    A time of day alone, like “8am and 8pm”, repeats daily. Raises Unclear for a time that occurs once.
    """
    if not _repeats(parts) and not parts.keys() <= {"#", "P"}:
        raise Unclear(f"“{phrase}” is a single time; write a time that repeats, like “every day at 9:00”")
    return _repeated(phrase, parts)


def _repeats(parts: Parts) -> bool:
    return bool(parts.keys() & {*"EVR~:"}) or parts.get("Q") in ("every", "yearly")


def _iso(phrase: str, said: str, now: datetime) -> tuple[str, str]:
    day, clock, offset = re.fullmatch(r"(.{10})[t ]([\d:]+)\s?(.*)", said).groups()  # type: ignore[union-attr]
    words = f"{day}T{clock.zfill(8 if clock.count(':') > 1 else 5)}{offset.upper().replace('UTC', 'Z')}"
    try:
        then = datetime.fromisoformat(words)
    except ValueError:
        raise Unclear(f"{words} is not a valid time") from None
    if then.tzinfo:
        return "at", _future(phrase, then, now, words)
    return "at", _local(phrase, then, now)


def _after_length(phrase: str, said: tuple[float | str, int], now: datetime) -> tuple[str, str]:
    length, days = said
    if length == "months":
        day = dates.find_day(phrase, {"G": said}, now, None)
        return "at", _local(phrase, datetime.combine(day, now.time().replace(microsecond=0)), now)
    ahead = timedelta(seconds=round(float(length)))
    if not ahead:
        raise Unclear(f"“{phrase}” is not in the future; write a later time")
    if days:  # the same time of day, even where daylight saving begins or ends
        return "at", _local(phrase, now.replace(tzinfo=None, microsecond=0) + ahead, now)
    then = now.astimezone(UTC) + ahead + timedelta(seconds=now.microsecond > 0)
    return "at", _future(phrase, then, now, times.make_stamp(then))


def _repeated(phrase: str, parts: Parts, now: datetime | None = None) -> tuple[str, str]:
    """Return the schedule of a time that repeats; from `now` on, where it counts from a first day."""
    if ":" in parts:
        return _hours(phrase, parts)
    rest = "".join(sorted(parts.keys() - {*"#PE"}))
    if rest not in REPEATED or (rest in ("RW", "RV") and parts["R"][0] % WEEK):
        raise Unclear(f"“{phrase}” is not one time that repeats: write one day and one time")
    if "R" in parts:
        seconds, days, how = parts["R"]
        if how == "gap" and days:
            raise Unclear(f"“{phrase}” can mean one day more or less; write it like “every 2 days”")
        if how == "once" and rest == "R":
            raise Unclear(f"“{phrase}”: write on which day of the week")
        weekly = seconds == WEEK and rest != "R"
        if not weekly and not (seconds == DAY and how == "one"):
            if parts.keys() == {"R"}:
                return "every", schedule.compact(round(seconds), "wd" if days else "hms")
            return _spaced(phrase, parts, now)
    elif rest == "Q":
        return _monthly(phrase, parts, now)
    elif not rest and "P" not in parts and now:
        raise Unclear(f"“{phrase}”: the days are missing; write “every day at 9:00” or “every Monday at 9:00”")
    if parts.get("E") in ("gap", "each"):
        raise Unclear(f"“{phrase}” can be each day or every other one: write “every …” or “every other …”")
    if "=" in parts and "Q" not in parts and not parts["="][2]:
        raise Unclear(
            f"“{phrase}” can mean every other week or a week of the month: add “every other week on” or “of the month”"
        )
    part = parts.get("P")
    told = _clocks(phrase, parts)
    if any(clock.ends_day for clock in told):
        raise Unclear(f"“{phrase}”: write 00:00 and the day that begins at this time")
    at = [clock.time if clock.midnight else _place_on_day(phrase, clock, part, late=True) for clock in told]
    at = at or [_default_time(part)]
    if len({one.minute for one in at}) > 1:
        raise Unclear(f"“{phrase}” names several times: make one reminder for each")
    hours = ",".join(str(hour) for hour in sorted({one.hour for one in at}))
    return "cron", f"{at[0].minute} {hours} {dates.repeated(phrase, parts)}"


def _hours(phrase: str, parts: Parts) -> tuple[str, str]:
    """Return “every 2 hours from 8 to 20”, on every day or on some."""
    (first, last), (seconds, _, how) = parts[":"], parts.get("R", (0.5, False, ""))
    if seconds % 3600 or not seconds <= 12 * 3600 or how not in ("", "one") or not parts.keys() <= {*":REVJ~"}:
        raise Unclear(
            f"“{phrase}”: write a number of hours, like “every 2 hours from 8 to 20”, or one day and one time"
        )
    step = f"/{round(seconds / 3600)}" if seconds > 3600 else ""
    return "cron", f"0 {first}-{last}{step} {dates.repeated(phrase, {**parts, '#': []})}"


def _spaced(phrase: str, parts: Parts, now: datetime | None) -> tuple[str, str]:
    """Return an interval of days, from the next such day."""
    seconds, days, _ = parts["R"]
    weekdays = parts.get("W") or parts.get("V") or []
    size = WEEK if weekdays else DAY
    if now is None or not days or seconds % size or len(weekdays) > 1 or not parts.keys() <= {*"RWVP#"}:
        raise Unclear(f"“{phrase}”: the first day is missing; use a reminder or a job instead")
    if not weekdays and not seconds % WEEK:
        raise Unclear(f"“{phrase}”: write on which day of the week")
    clock, part, day = _one_clock(phrase, parts), parts.get("P"), now.date()
    at = _place_on_day(phrase, clock, part) if clock else _default_time(part)
    if weekdays:
        day += timedelta(days=(weekdays[0] - day.weekday()) % 7)
    if datetime.combine(day, at) <= now.replace(tzinfo=None):
        day += timedelta(seconds=size)
    first = _local(phrase, datetime.combine(day, at), now)
    return "every", f"{round(seconds / size)}{'w' if weekdays else 'd'} from {first}"


def _monthly(phrase: str, parts: Parts, now: datetime | None) -> tuple[str, str]:
    if now is None or parts["Q"] != "every" or len(parts) > 1 or now.day > 28:
        raise Unclear(f"“{phrase}”: the day is missing; write “every month on the 1st at 9:00”")
    return "cron", f"{now.minute} {now.hour} {now.day} * *"


def _moment(phrase: str, parts: Parts, now: datetime) -> tuple[str, str]:
    clock, part, today = _one_clock(phrase, parts), parts.get("P"), now.date()
    named = "".join(sorted(parts.keys() - {*"#P"}))
    if named not in DAYS or ("G" in parts and parts["G"][0] != "months" and not _is_day(named, *parts["G"])):
        raise Unclear(f"“{phrase}”: write one day and one time")
    if clock and clock.ends_day:
        day = dates.find_day(phrase, parts, now, clock) if named else today
        return "at", _local(phrase, datetime.combine(day + timedelta(days=1), time()), now)
    if not named and clock:
        return "at", _next(phrase, clock, part, now)
    if not named:
        raise Unclear(f"“{phrase}”: write which day")
    if clock and clock.midnight:
        if parts.get("D") != 0 or "U" in parts:
            raise Unclear(f"“{phrase}” can mean the beginning or the end of that day; write the date and 00:00")
        ends = today + timedelta(days=not clock.hour)  # “an hour before midnight” is still on this day
        return "at", _local(phrase, datetime.combine(ends, clock.time), now)
    day = dates.find_day(phrase, parts, now, clock)
    if clock and day == today:
        return "at", _time_today(phrase, clock, part, now)
    at = _place_on_day(phrase, clock, part) if clock else _default_time(part)
    return "at", _local(phrase, datetime.combine(day, at), now)


def _is_day(named: str, seconds: float, days: bool) -> bool:
    """Return True if a length names a day: alone, or next to another day “in a week” or “in acht Tagen”."""
    return days and (named == "G" or seconds in (WEEK, 8 * DAY, 14 * DAY, 15 * DAY))


def _elsewhere(phrase: str, parts: Parts, now: datetime) -> tuple[str, str]:
    """Return the time in the zone that the phrase names. Raises Unclear for a name that does not hold there then."""
    place = parts["Z"]
    try:
        there = now.astimezone(times.find_zone(place))
    except (KeyError, ValueError, OSError):
        raise Unclear(f"“{phrase}”: there is no time zone {place}; write one like Europe/Berlin") from None
    rest = {name: value for name, value in parts.items() if name != "Z"}
    if _repeats(rest) or "#" not in rest:
        raise Unclear(
            f"“{phrase}”: a repeated reminder cannot name a time zone; write the time in the zone {now.tzinfo}"
        )
    if there.date() != now.date() and "X" not in rest:
        raise Unclear(f"“{phrase}”: in that time zone it is {there:%A, %Y-%m-%d} now; write the date")
    then = datetime.fromisoformat(_moment(phrase, rest, there)[1]).replace(tzinfo=there.tzinfo)
    called, said = then.tzname() or "", {*re.findall("[A-Z]{3,4}", phrase.upper())}
    known = {one.upper() for one, zone in languages.zones().items() if zone == place} & said
    if known and not known & {called, NAMES.get(called, called), "UTC", "GMT"}:
        raise Unclear(
            f"“{phrase}”: at that date the time in {place} is {called.upper()}; write which of the two you mean"
        )
    return "at", times.make_stamp(then)


def _default_time(part: int | None) -> time:
    return DEFAULT if part is None else BY_PART[part]


def _one_clock(phrase: str, parts: Parts) -> TimeOfDay | None:
    told = _clocks(phrase, parts)
    if len(told) > 1:
        raise Unclear(f"“{phrase}” names several times: make one reminder for each")
    return told[0] if told else None


def _clocks(phrase: str, parts: Parts) -> list[TimeOfDay]:
    return [_clock(phrase, *told) for told in parts.get("#", ())]


def _clock(phrase: str, hour: int, minute: int, how: str) -> TimeOfDay:
    """Return the time of day that a phrase names. Raises Unclear for an hour or minute that no clock shows."""
    if how in ("noon", "midnight"):
        return TimeOfDay(hour, minute, True, how == "midnight")
    if how == "half":  # half past eight in Britain, half past seven for who thinks in German
        raise Unclear(f"“{phrase}” can be {hour}:30 or {hour - 1}:30; write the time that you mean")
    if how in ("am", "pm"):
        if not 1 <= hour <= 12:
            raise Unclear(f"“{phrase}”: {hour}{how} is not a time of day")
        hour = hour % 12 + (12 if how == "pm" else 0)
    sure = how in ("am", "pm", "full", "zero") or hour == 0 or hour > 12
    if (hour, minute) == (24, 0):
        return TimeOfDay(0, 0, True, ends_day=True)
    if hour > 23 or minute > 59:
        raise Unclear(f"“{phrase}”: {hour}:{minute:02} is not a time of day")
    return TimeOfDay(hour, minute, sure, hour_of_12=how not in ("am", "pm", "zero") and 0 < hour < 13)


def _halves(clock: TimeOfDay, part: bool = False) -> list[time]:
    """Return the times that a clock time can mean: one, or the same in both halves of the day. Beside a part of the day
    an hour up to 12 is never sure: “um 8 Uhr abends”."""
    if clock.sure and not (part and clock.hour_of_12):
        return [clock.time]
    return [time(clock.hour % 12, clock.minute), time(clock.hour % 12 + 12, clock.minute)]


def _fitting(phrase: str, clock: TimeOfDay, part: int, late: bool = False) -> time:
    """Return the only time that is in the part of the day. With `late`, a night continues after midnight, into the next
    day. Raises Unclear if there is not exactly one."""
    small = LATE if late and part == NIGHT else 0
    fit = [one for one in _halves(clock, True) if one.hour in RANGES[part] or one.hour < small]
    if len(fit) != 1:
        raise Unclear(f"“{phrase}”: the hour does not fit the part of the day; write the time like 21:00")
    return fit[0]


def _place_on_day(phrase: str, clock: TimeOfDay, part: int | None, late: bool = False) -> time:
    """Return the time of day on a named day. Raises Unclear if it can be in either half of the day."""
    if part is not None:
        return _fitting(phrase, clock, part, late)
    if not clock.sure and clock.hour < DAYTIME:
        raise _either(phrase, clock)
    return clock.time


def _either(phrase: str, clock: TimeOfDay) -> Unclear:
    choices = tuple(f"{one:%H:%M}" for one in _halves(clock))
    found = Unclear(f"“{phrase}” can be {' or '.join(choices)}: write which one you mean")
    found.choices = choices
    return found


def _time_today(phrase: str, clock: TimeOfDay, part: int | None, now: datetime) -> str:
    """Return the only such time of today that is still to come. Raises Unclear if none or two are."""
    halves = [_fitting(phrase, clock, part)] if part is not None else _halves(clock)
    left = [one for one in halves if datetime.combine(now.date(), one) > now.replace(tzinfo=None)]
    if not left:
        raise Unclear(f"“{phrase}” is in the past: it is {now:%H:%M} on {now:%A, %Y-%m-%d} in {now.tzinfo}")
    if len(left) > 1 and clock.hour < DAYTIME:
        raise _either(phrase, clock)
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
        raise _either(phrase, clock)
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
