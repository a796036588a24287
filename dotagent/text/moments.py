"""Date a time phrase: return the date and time of a reminder, or raise the reason to ask the person again. Pure.

A phrase that can mean two times is never guessed: “at 3” at 10 in the morning, or “next Friday” on a Tuesday. The same
is true of an hour that daylight saving skips or repeats, and of a time that is over.
"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

from dotagent.text import dates, schedule, times
from dotagent.text.dates import Unclear, either
from dotagent.text.phrases import DAY, HOUR, WEEK, Clock, Length, Parts

DEFAULT = time(9)  # the time for a day without one
BY_PART = (time(9), time(15), time(20), time(20), time(20))  # the same for a part of the day without an hour
RANGES = (  # hours that morning, afternoon, evening, night, and the hours about midnight can mean
    range(1, 12), range(12, 19), range(17, 24), range(18, 24), (*range(1, 6), *range(18, 24)))  # fmt: skip
NIGHT = 3
LATE = 6  # the hour at which a night is over
SMALL = 4  # hours below it are in the night, except with “p.m.”
DAYTIME = 7  # the first hour that is read as written on a named day; below it, “at 3” is usually the afternoon
REPEATED = frozenset(" W V ~ J X R Q OQ =Q QX RW RV =".split(" "))  # parts of a time that repeats, next to hours
DAYS = frozenset(" X WX O OW OQ OQW D DU DG G W UW GW Ww Wy Ws Wl =".split(" "))  # parts of a single one
WEEKS = (8 * DAY, 15 * DAY)  # lengths that are also said for weeks: “heute in acht Tagen”
ONE_DAY = "this does not name a single time: write one day and one time"


def read(parts: Parts, now: datetime | None) -> tuple[str, str]:
    """Return the kind of job (`at`, `every` or `cron`) and its schedule.

    `now` has the zone of the person. Without it, the time must repeat without a first day, and a time of day alone,
    like “8am and 8pm”, repeats daily. Raises Unclear if the time is uncertain.
    """
    if now is None:
        if not _repeats(parts) and not parts.keys() <= {*"#P"}:
            raise Unclear("this is a single time; write a time that repeats, like “every day at 9:00”")
        return _repeated(parts, now)
    try:
        if "Z" in parts:
            return "at", _elsewhere(parts, now)
        if _repeats(parts):
            return _repeated(parts, now)
        if "0" in parts:
            return "at", _iso(parts, now)
        return "at", _after(parts["G"], now) if parts.keys() == {"G"} else _moment(parts, now)
    except OverflowError:
        raise Unclear("this time is too far in the future") from None


def _repeats(parts: Parts) -> bool:
    return bool(parts.keys() & {*"EVR~:"}) or parts.get("Q") in ("every", "yearly")


def _iso(parts: Parts, now: datetime) -> str:
    said, _, fraction = parts["0"].partition(".")
    said += fraction.lstrip("0123456789")
    words = f"{said[:10]}T{said[11:].replace(' ', '').upper().replace('UTC', 'Z')}"
    try:
        then = datetime.fromisoformat(words)
    except ValueError:
        raise Unclear(f"{words} is not a valid time") from None
    if not parts.keys() <= {*"0W"} or parts.get("W", [then.weekday()]) != [then.weekday()]:
        raise Unclear(ONE_DAY)
    return _future(then, now, words) if then.tzinfo else _local(then, now)


def _after(length: Length, now: datetime) -> str:
    """Return the time after a length: days keep the time of day where the clocks change, hours are hours that pass."""
    months, seconds, days = length
    if not months and not round(seconds):
        raise Unclear("this time is not in the future; write a later time")
    if days:
        day = dates.find_day({"G": length}, now, None)
        return _local(datetime.combine(day, now.time().replace(microsecond=0)), now)
    return times.make_stamp(now.astimezone(UTC) + timedelta(seconds=round(seconds) + (now.microsecond > 0)))


def _repeated(parts: Parts, now: datetime | None) -> tuple[str, str]:
    """Return the schedule of a time that repeats; from `now` on, where it counts from a first day."""
    if ":" in parts:
        return _hours(parts)
    rest = "".join(sorted(parts.keys() - {*"#PE"}))
    seconds, days, how = parts.get("R", (DAY, True, "one"))
    if rest not in REPEATED or (rest in ("RW", "RV") and seconds % WEEK):
        raise Unclear(ONE_DAY)
    if (how == "gap" and days) or parts.get("E") in ("gap", "each"):
        raise Unclear("this can mean every day or every second day: write “every …” or “every other …”")
    if "=" in parts and "Q" not in parts and not parts["="][2]:
        raise Unclear(
            "this can mean every other week or a week of the month: add “every other week on” or “of the month”"
        )
    if how == "once" and rest == "R":
        raise Unclear("the day of the week is missing; write it, like “on Monday”")
    if (rest == "R" or seconds != WEEK) and (seconds, how) != (DAY, "one"):
        if parts.keys() == {"R"}:
            return "every", schedule.compact(round(seconds), "wd" if days else "hms")
        return _spaced(parts, now)
    if rest == "Q":
        if now is None or parts["Q"] != "every" or len(parts) > 1 or now.day > 28:
            raise Unclear("the day is missing; write “every month on the 1st at 9:00”")
        return "cron", f"{now.minute} {now.hour} {now.day} * *"
    if not rest and "P" not in parts and now:
        raise Unclear("the days are missing; write “every day at 9:00” or “every Monday at 9:00”")
    clocks = parts.get("#", [None])
    if any(clock and clock[0] == 24 for clock in clocks):
        raise Unclear("midnight is between two days; write 00:00 and the second of these days")
    at = [_time_of_day(clock, parts.get("P"), late=True) for clock in clocks]
    if len({one.minute for one in at}) > 1:
        raise Unclear(dates.SEVERAL)
    hours = ",".join(str(hour) for hour in sorted({one.hour for one in at}))
    return "cron", f"{at[0].minute} {hours} {dates.repeated(parts)}"


def _hours(parts: Parts) -> tuple[str, str]:
    """Return “every 2 hours from 8 to 20”, on every day or on some."""
    (first, last), (seconds, _, how) = parts[":"], parts.get("R", (0, False, ""))
    step, rest = divmod(seconds, HOUR)
    if rest or not 1 <= step <= 12 or how not in ("", "one") or not parts.keys() <= {*":REVJ~"}:
        raise Unclear("write a number of hours, like “every 2 hours from 8 to 20”, or one day and one time")
    return "cron", f"0 {first}-{last}{f'/{step:.0f}' if step > 1 else ''} {dates.repeated({**parts, '#': []})}"


def _spaced(parts: Parts, now: datetime | None) -> tuple[str, str]:
    """Return an interval of days or weeks, from the next such day."""
    seconds, days, _ = parts["R"]
    weekdays = parts.get("W") or parts.get("V") or []
    size, unit = (WEEK, "w") if weekdays else (DAY, "d")
    if now is None or not days or seconds % size or len(weekdays) > 1 or not parts.keys() <= {*"RWVPE#"}:
        raise Unclear("the first day is not clear here; use a reminder or a job instead")
    if not weekdays and not seconds % WEEK:
        raise Unclear("the day of the week is missing; write it, like “on Monday”")
    first = datetime.combine(now, _time_of_day(_one_clock(parts), parts.get("P")))
    if weekdays:
        first += timedelta(days=(weekdays[0] - now.weekday()) % 7)
    if first <= now.replace(tzinfo=None):
        first += timedelta(seconds=size)
    return "every", f"{round(seconds / size)}{unit} from {_local(first, now)}"


def _moment(parts: Parts, now: datetime) -> str:
    """Return a single time: a day with or without a time of day, or the next such time of day."""
    clock, part, named = _one_clock(parts), parts.get("P"), "".join(sorted(parts.keys() - {*"#P"}))
    months, seconds, whole = parts.get("G", (0, WEEK, True))
    if named not in DAYS or not whole or (named != "G" and (months or (seconds % WEEK and seconds not in WEEKS))):
        raise Unclear(ONE_DAY)
    if clock and not named:
        return _local(_find_next(clock, part, now), now)
    if not named:
        raise Unclear("write which day")
    ends = clock is not None and (clock[0] == 24 or clock[2] == "midnight")  # the day, and begins the next
    latest = time.max if ends else max(_halves(clock)) if clock else None
    day = dates.find_day(parts, now, latest)
    if clock and ends:
        if clock[2] == "midnight" and day != now.date():
            raise Unclear("this can mean the beginning or the end of that day; write the date and 00:00")
        return _local(datetime.combine(day + timedelta(days=clock[0] in (0, 24)), _written(clock)), now)
    tonight = named == "D" and parts["D"] == 0 and part == NIGHT and now.hour >= LATE
    if tonight and clock and clock[0] < (LATE if clock[2] in ("sure", "full") else SMALL):  # “tonight at 2”
        return _local(datetime.combine(day + timedelta(days=1), _written(clock)), now)
    at = _time_of_day(clock, part, now.time() if day == now.date() else None)
    return _local(datetime.combine(day, at), now)


def _elsewhere(parts: Parts, now: datetime) -> str:
    """Return the time in the zone that the phrase names. Raises Unclear for a name that does not hold there then."""
    place, _, name = parts["Z"].partition("=")
    try:
        there = now.astimezone(times.find_zone(place))
    except (KeyError, ValueError, OSError):
        raise Unclear(f"there is no time zone {place}; write one like Europe/Berlin") from None
    rest = {letter: value for letter, value in parts.items() if letter != "Z"}
    if _repeats(rest):
        raise Unclear(f"a repeated reminder cannot name a time zone; write the time in the zone {now.tzinfo}")
    if rest.keys().isdisjoint("#0"):
        raise Unclear("the time of day is missing; write it, like 15:00")
    if there.date() != now.date() and rest.keys().isdisjoint("X0"):
        raise Unclear(f"in that time zone it is {there:%A, %Y-%m-%d} now; write the date")
    then = datetime.fromisoformat(_iso(rest, there) if "0" in rest else _moment(rest, there))
    if then.tzinfo:
        raise Unclear("this names two time zones; write one of them")
    then = then.replace(tzinfo=there.tzinfo)
    if name not in ("", then.tzname()):
        raise Unclear(f"on that date, the time in {place} is {then.tzname()}, not {name}; write which of them you mean")
    return times.make_stamp(then)


def _one_clock(parts: Parts) -> Clock | None:
    clocks: list[Clock] = parts.get("#", [])
    if len(clocks) > 1:
        raise Unclear(dates.SEVERAL)
    return clocks[0] if clocks else None


def _written(clock: Clock) -> time:
    """Return a time of day as it is written, on a clock of 24 hours."""
    return time(clock[0] % 24, clock[1])


def _halves(clock: Clock, in_part: bool = False) -> list[time]:
    """Return the times that a time of day can mean: one, or the same in both halves of the day. Beside a part of the
    day an hour up to 12 is never sure: “um 8 Uhr abends”."""
    hour, minute, how = clock
    if how == "half":  # half past eight in Britain, half past seven for who thinks in German
        raise either(f"{hour - 1}:{minute}", f"{hour}:{minute}")
    if how in ("sure", "midnight") or (how == "full" and not in_part) or not 0 < hour < 13:
        return [_written(clock)]
    return [time(hour % 12, minute), time(hour % 12 + 12, minute)]


def _time_of_day(clock: Clock | None, part: int | None, after: time | None = None, late: bool = False) -> time:
    """Return the time of a named day: of today a time after `after`. With `late`, a night ends after midnight. Raises
    Unclear if two times are possible, or none."""
    if clock is None:
        return DEFAULT if part is None else BY_PART[part]
    if part is not None and clock[2] != "midnight":
        small = LATE if late and part == NIGHT else 0
        fit = [one for one in _halves(clock, True) if one.hour in RANGES[part] or one.hour < small]
        if len(fit) != 1:
            raise Unclear("the hour does not fit the part of the day; write the time like 21:00")
        return fit[0]
    left = [one for one in _halves(clock) if after is None or one > after] or [_written(clock)]
    early = clock[0] < DAYTIME
    if len(left) > 1 if early else _written(clock) not in left:
        raise either(*(f"{one:%H:%M}" for one in _halves(clock)))
    return left[0] if early else _written(clock)


def _find_next(clock: Clock, part: int | None, now: datetime) -> datetime:
    """Return the next time at which a clock shows this."""
    here, halves = now.replace(tzinfo=None), _halves(clock)
    if part is not None:
        halves = [_time_of_day(clock, part, late=True)]
    shown = [datetime.combine(here, one) for one in halves]
    soonest = min(then + timedelta(days=then <= here) for then in shown)
    if part is None and soonest.time() != _written(clock):
        raise either(*(f"{one:%H:%M}" for one in halves))
    return soonest


def _local(then: datetime, now: datetime) -> str:
    """Return a local time in the form of a job. Raises Unclear if the clocks skip or repeat it, and if it is over."""
    here = then.replace(tzinfo=now.tzinfo)
    if here.astimezone(UTC).astimezone(now.tzinfo).replace(tzinfo=None) != then:
        raise Unclear("this time does not exist, because the clocks go forward then; write another time")
    other = here.replace(fold=1)
    if other.utcoffset() != here.utcoffset():
        both = " or ".join(times.make_stamp(one) for one in (here, other))
        raise Unclear(f"the clocks go back then, and that time comes twice: write {both}")
    return _future(here, now, then.isoformat(timespec="seconds" if then.second else "minutes"))


def _future(then: datetime, now: datetime, words: str) -> str:
    if then.astimezone(UTC) <= now.astimezone(UTC):
        raise Unclear(f"this time is in the past: it is {now:%H:%M} on {now:%A, %Y-%m-%d} in {now.tzinfo}")
    return words
