"""When a job is due: by a cron expression, once, or at an interval. Pure.

An interval of days keeps the time of day where the clocks change, and can name its first time (`2w from
2026-11-30T09:00`). An interval of hours counts hours that pass.
cronsim and zoneinfo handle time zones and daylight saving: a time in a skipped hour is due once, and so is a time in a
repeated hour.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo

from dotagent.text import lazy, times
from dotagent.text.lazy import dataclass, replace

KINDS = ("cron", "at", "every")
LEAST, MOST = 60.0, 366 * 86_400.0  # seconds between two times of `every`
FAR = 1 << 16  # times counted for a job that was not checked for long
NICKNAMES = {
    **dict.fromkeys(("@yearly", "@annually"), "0 0 1 1 *"),
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    **dict.fromkeys(("@daily", "@midnight"), "0 0 * * *"),
    "@hourly": "0 * * * *",
}

_FIELDS = (  # the fields of a cron expression: name, first and last value, names of values
    ("minute", 0, 59, ""),
    ("hour", 0, 23, ""),
    ("day of the month", 1, 31, ""),
    ("month", 1, 12, "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC"),
    ("day of the week", 0, 6, "SUN MON TUE WED THU FRI SAT"),
)
_SECOND = timedelta(seconds=1)
_RANGE = lazy.compile(r"(\d+|[A-Z]{3})-(\d+|[A-Z]{3})(/\d+)?", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_NUMBER = r"(\d{1,6}(?:\.\d{1,3})?) ?"
_SPAN = lazy.compile(  # 1h30m, 30 min, 2 hours, 1.5h
    rf"(?:{_NUMBER}w(?:(?:ee)?ks?)?)?,? ?(?:{_NUMBER}d(?:ays?)?)?,? ?(?:{_NUMBER}h(?:(?:ou)?rs?)?)?"
    rf",? ?(?:{_NUMBER}m(?:in(?:ute)?s?)?)?,? ?(?:{_NUMBER}s(?:ec(?:ond)?s?)?)?",
    re.ASCII,
)
_DURATION = lazy.compile(  # ISO 8601: PT1H30M
    r"P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?", re.ASCII
)
_MILLISECONDS = lazy.compile(r"(\d{1,9})000 ?ms", re.ASCII)
_CRON = lazy.compile(r"(?:[\d*,/-]+ +){2}(?:\S+ +){2}\S+", re.ASCII)
_REPEATED = lazy.compile(r"(?i)@?every\s+(?=\S)")


@dataclass(frozen=True)
class Schedule:
    """A job's schedule: `kind` is one of KINDS, `words` its argument, `zone` its time zone. An interval of days is
    counted from `begun`, if that is known."""

    kind: str
    words: str
    zone: str
    begun: datetime | None = None


def span(words: str) -> float:
    """Return the seconds in `30m`, `1h30m` or `2d`, or in the form of another program: `30 min`, `PT30M`, `1800000ms`,
    `1.5h`, if these are whole seconds. Raises ValueError."""
    return float(sum(int(one[:-1]) * _SECONDS[one[-1]] for one in _pieces(words)))


def spell(words: str) -> str:
    """Return a span in any form as in a job: `30m` for `PT30M`. The units stay. Raises ValueError."""
    return "".join(_pieces(words))


def _pieces(words: str) -> list[str]:
    """Return the parts of a span: [`1h`, `30m`]. Raises ValueError."""
    said = words.strip()
    if whole := _MILLISECONDS.fullmatch(said):
        return re.findall(r"\d+[hms]", compact(int(whole[1])))
    found = _SPAN.fullmatch(said) or _DURATION.fullmatch(said.upper())
    pieces = [(one, unit) for one, unit in zip(found.groups(), "wdhms", strict=True) if one] if found else []
    seconds = sum((float(one) * _SECONDS[unit] for one, unit in pieces), 0.0)
    if not pieces or not seconds.is_integer():
        raise ValueError(f"{words[:40]!r} is not a time span; write 30m, 1h30m or 2d")
    if any("." in one for one, _ in pieces):
        return re.findall(r"\d+[hms]", compact(int(seconds)))
    return [f"{int(one)}{unit}" for one, unit in pieces]


def repeated(words: str) -> tuple[str, str] | None:
    """Return the kind and the words of a repeated time as programs write it, or None for another text: a span with or
    without `every` or `@every`, a nickname such as `@daily`, or a cron expression."""
    said = words.strip()
    try:
        return "every", spell(_REPEATED.sub("", said, count=1))
    except ValueError:
        is_cron = said.lower() in NICKNAMES or _CRON.fullmatch(said)
        return ("cron", said) if is_cron else None


def read(kind: str, words: str) -> tuple[str, str]:
    """Return the kind and the words of a schedule whose words may be of another kind: `@every 30m` for `cron`, `@daily`
    for `every`."""
    length, _, first = words.partition(" from ")
    found = repeated(length) if kind in ("cron", "every") else None
    return (found[0], f"{found[1]} from {first}" if first else found[1]) if found else (kind, words)


def is_days(words: str) -> bool:
    """Return True for a span in days and weeks alone: `2d`, but not `48h`. Raises ValueError."""
    length = words.partition(" from ")[0]
    return span(length) > 0 and not re.search("[hms]", spell(length))


def compact(seconds: int, units: str = "hms") -> str:
    """Format a time span as in a job: `1h30m`, or in units of `wd`, which keep the time of day: `2w`."""
    words = ""
    for unit in units:
        count, seconds = divmod(seconds, _SECONDS[unit])
        words += f"{count}{unit}" if count else ""
    return words or "0s"


def is_span(value: object, most: float) -> bool:
    """Return True for a time span above zero and at most `most` seconds."""
    try:
        return isinstance(value, str) and 0 < span(value) <= most
    except ValueError:
        return False


def hours(words: str) -> tuple[float, float] | None:
    """Return the first and last hour in `8-22` or `7:30-23:00`, or None if invalid."""
    found = re.fullmatch(r"(\d{1,2})(?::([0-5]\d))?-(\d{1,2})(?::([0-5]\d))?", words.strip(), re.ASCII)
    if not found:
        return None
    first, last = int(found[1]) + int(found[2] or 0) / 60, int(found[3]) + int(found[4] or 0) / 60
    return (first, last) if first <= 24 >= last and first != last else None


def check(schedule: Schedule) -> None:
    """Raise ValueError, with a message for a person, if the schedule is invalid."""
    if not times.is_zone(schedule.zone):
        raise ValueError(f"there is no time zone {schedule.zone[:40]!r}; write one like Europe/Berlin")
    if schedule.kind == "at":
        instant(schedule)
    elif schedule.kind == "every":
        length, _, first = schedule.words.partition(" from ")
        if not LEAST <= span(length) <= MOST:
            raise ValueError("every: give an interval from one minute to one year, e.g. 30m")
        if first and instant(replace(schedule, words=first)) and not is_days(length):
            raise ValueError("every: only an interval of days or weeks can have a first time: 2w from 2026-11-30T09:00")
    elif next_time(schedule, datetime(2026, 1, 1, tzinfo=UTC)) is None:
        raise ValueError(f"cron: {schedule.words[:60]!r} never matches a date")


def instant(schedule: Schedule) -> datetime:
    """Return the single time of `at`, in UTC. Raises ValueError."""
    try:
        found = datetime.fromisoformat(schedule.words.strip())
        return (found if found.tzinfo else found.replace(tzinfo=times.find_zone(schedule.zone))).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(
            f"at: {schedule.words[:40]!r} is not a time; write 2026-11-27T09:00, or add Z for UTC"
        ) from None


def following(cron: str, start: datetime) -> datetime | None:
    """Return the first time after `start`, in its zone, that matches the cron expression, or None for never. Raises
    ValueError, with a message for a person."""
    from cronsim import CronSim, CronSimError  # few agents need it

    words = NICKNAMES.get(cron.strip().lower(), cron)
    fields = words.split()
    if len(fields) != len(_FIELDS):
        raise ValueError("cron: write five fields, e.g. 0 9 * * MON-FRI, or @daily")
    try:
        if not fields[0].startswith("*") and not fields[1].startswith("*"):
            # A fixed time comes once, even in a night when the clocks change. In an hour that comes twice, cronsim
            # counts from the first time that the clock shows `start`, so it may give a time that has passed.
            return next(one for one in CronSim(words, start) if one.timestamp() > start.timestamp())
        return _following_star(words, start)
    except StopIteration:
        return None
    except CronSimError as wrong:
        why = next(filter(None, map(_wrapped, fields, _FIELDS)), f"{wrong}: write five fields, e.g. 0 9 * * MON-FRI")
        raise ValueError(f"cron: {cron[:60]!r}: {why}") from None


def _following_star(words: str, start: datetime) -> datetime:
    """Return the first time after `start` that matches: none in a skipped hour, both in an hour that comes twice.

    cronsim searches between two changes of the clocks, where each local time exists once.
    """
    from cronsim import CronSim

    begun = start.astimezone(UTC)
    while True:
        offset = (begun + _SECOND).astimezone(start.tzinfo).utcoffset() or timedelta()
        local = (begun + offset).replace(tzinfo=None)
        found = (next(CronSim(words, local)) - offset).replace(tzinfo=UTC)
        change = _next_change(begun + _SECOND, found, start.tzinfo)
        if change is None:
            return found.astimezone(start.tzinfo)
        begun = change - _SECOND


def _next_change(start: datetime, end: datetime, zone: tzinfo | None) -> datetime | None:
    """Return the first time after `start` and up to `end`, both UTC, at which the zone's distance to UTC changes."""
    first, known = start, start.astimezone(zone).utcoffset()
    while first < end:
        last = min(first + timedelta(days=1), end)
        if last.astimezone(zone).utcoffset() != known:
            while last - first > _SECOND:
                middle = first + (last - first) // 2
                first, last = (middle, last) if middle.astimezone(zone).utcoffset() == known else (first, middle)
            return last.replace(microsecond=0)
        first = last
    return None


def _wrapped(field: str, known: tuple[str, int, int, str]) -> str:
    """Return the right form of a range that ends before it begins, like `22-2`, or ""."""
    name, first, last, names = known
    values = dict(zip(names.split(), range(first, last + 1), strict=False))
    for begin, end, step in (one.groups() for one in map(_RANGE.fullmatch, field.upper().split(",")) if one):
        low, high = (values.get(one, int(one) if one.isdigit() else None) for one in (begin, end))
        if low is not None and high is not None and low > high and not step:
            top, bottom = (str(last), str(first)) if begin.isdigit() else (names.split()[-1], names.split()[0])
            late, early = (
                begin if begin == top else f"{begin}-{top}",
                end if end == bottom else f"{bottom}-{end}",
            )
            return f"the {name} range {begin}-{end} ends before it begins: write {late},{early}"
    return ""


def next_time(schedule: Schedule, start: datetime) -> datetime | None:
    """Return the first due time after `start`, or None for never. For `every` it is one interval later. Raises
    ValueError."""
    if schedule.kind == "at":
        found = instant(schedule)
        return found if found > start else None
    if schedule.kind == "every":
        days = is_days(schedule.words)
        return _next_days(schedule, start) if days else start + timedelta(seconds=span(schedule.words))
    then = following(schedule.words, start.astimezone(times.find_zone(schedule.zone)))
    return then and then.astimezone(UTC)


def _next_days(schedule: Schedule, start: datetime) -> datetime:
    """Return the first time after `start` in the series that the schedule's beginning and interval give."""
    length, _, first = schedule.words.partition(" from ")
    zone, days = times.find_zone(schedule.zone), timedelta(seconds=span(length))
    begins = instant(replace(schedule, words=first)) if first else schedule.begun or start
    here, begun = (one.astimezone(zone).replace(tzinfo=None) for one in (start, begins))
    count = max(0 if first else 1, (here - begun) // days)
    while (found := (begun + count * days).replace(tzinfo=zone).astimezone(UTC)) <= start:
        count += 1
    return found


def last_due(schedule: Schedule, since: datetime, now: datetime, window: float) -> tuple[datetime | None, int]:
    """Return the last due time after `since` and up to `now`, unless it is older than `window` seconds, and the number
    of other due times. Everything before the window counts as one. Raises ValueError."""
    first = next_time(schedule, since)
    if first is None or first > now:
        return None, 0
    begin = now - timedelta(seconds=window)
    schedule = replace(schedule, begun=schedule.begun or since)
    if schedule.kind == "every" and not is_days(schedule.words):
        count = int((now - since).total_seconds() // span(schedule.words))
        last = since + count * timedelta(seconds=span(schedule.words))
        return (last, count - 1) if last >= begin else (None, count)
    # a second before the window, to include a time at its very start
    found, count = first if first >= begin else begin - _SECOND, 1
    while (later := next_time(schedule, found)) and later <= now and count < FAR:
        found, count = later, count + 1
    return (found, count - 1) if found >= begin else (None, count)
