"""When a job is due: by a cron expression, at one time, or every so often. Pure; time zones and daylight saving are
cronsim's and zoneinfo's: what would be due in an hour that is skipped is due once, in one that comes twice, too.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

KINDS = ("cron", "at", "every")
LEAST, MOST = 60.0, 366 * 86_400.0  # seconds between two times of `every`
FAR = 1 << 16  # times of a job that are counted when it was not looked at for long

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_SPAN = re.compile(r"(?:(\d{1,6})w)? ?(?:(\d{1,6})d)? ?(?:(\d{1,6})h)? ?(?:(\d{1,6})m)? ?(?:(\d{1,6})s)?", re.ASCII)
_ZONEINFO = re.compile(r".*/zoneinfo(?:\.default)?/(?:posix/|right/)?")


@dataclass(frozen=True)
class Schedule:
    """When a job is due: `kind` is one of KINDS, `words` what stands behind it, `zone` the zone that is meant."""

    kind: str
    words: str
    zone: str


def span(words: str) -> float:
    """How many seconds `30m`, `1h30m` or `2d` are. Raises ValueError."""
    found = _SPAN.fullmatch(words.strip())
    if not found or not any(found.groups()):
        raise ValueError(f"{words[:40]!r} is no time span: write 30m, 1h30m or 2d")
    return float(sum(int(one or 0) * _SECONDS[unit] for one, unit in zip(found.groups(), "wdhms", strict=True)))


def is_span(value: object, most: float) -> bool:
    """Whether this is a time span, of at most so many seconds and more than none."""
    try:
        return isinstance(value, str) and 0 < span(value) <= most
    except ValueError:
        return False


def hours(words: str) -> tuple[float, float] | None:
    """The hours of the day, from and to, that `8-22` or `7:30-23:00` are; None for what are none."""
    found = re.fullmatch(r"(\d{1,2})(?::([0-5]\d))?-(\d{1,2})(?::([0-5]\d))?", words.strip(), re.ASCII)
    if not found:
        return None
    first, last = int(found[1]) + int(found[2] or 0) / 60, int(found[3]) + int(found[4] or 0) / 60
    return (first, last) if first <= 24 >= last and first != last else None


def here() -> str:
    """The name of this machine's time zone: TZ, or where /etc/localtime leads; UTC where neither names one."""
    for name in (os.environ.get("TZ", "").lstrip(":"), _ZONEINFO.sub("", os.path.realpath("/etc/localtime"))):
        if name and is_zone(name):
            return name
    return "UTC"


def is_zone(name: str) -> bool:
    """Whether this names a time zone."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


def check(schedule: Schedule) -> None:
    """Raise ValueError, in words for a person, for one that is none."""
    if not is_zone(schedule.zone):
        raise ValueError(f"there is no time zone {schedule.zone[:40]!r}: write one like Europe/Berlin")
    if schedule.kind == "at":
        instant(schedule)
    elif schedule.kind == "every":
        if not LEAST <= span(schedule.words) <= MOST:
            raise ValueError("every: from a minute to a year, e.g. 30m")
    elif after(schedule, datetime(2026, 1, 1, tzinfo=UTC)) is None:
        raise ValueError(f"cron: {schedule.words[:60]!r} never comes")


def instant(schedule: Schedule) -> datetime:
    """The one time of `at`, in UTC. Raises ValueError."""
    try:
        found = datetime.fromisoformat(schedule.words.strip())
        return (found if found.tzinfo else found.replace(tzinfo=ZoneInfo(schedule.zone))).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(
            f"at: {schedule.words[:40]!r} is no time: write 2026-11-27T09:00, or with Z behind it"
        ) from None


def after(schedule: Schedule, start: datetime) -> datetime | None:
    """The first time after this one at which it is due; of `every` so long after it. None: never. Raises ValueError."""
    if schedule.kind == "at":
        found = instant(schedule)
        return found if found > start else None
    if schedule.kind == "every":
        return start + timedelta(seconds=span(schedule.words))
    if len(schedule.words.split()) != 5:
        raise ValueError("cron: five fields, e.g. 0 9 * * MON-FRI")
    try:
        return next(CronSim(schedule.words, start.astimezone(ZoneInfo(schedule.zone)))).astimezone(UTC)
    except StopIteration:
        return None
    except CronSimError as wrong:
        raise ValueError(f"cron: {schedule.words[:60]!r}: {wrong}: five fields, e.g. 0 9 * * MON-FRI") from None


def due(schedule: Schedule, since: datetime, now: datetime, window: float) -> tuple[datetime | None, int]:
    """The last time up to now, and later than `since`, at which it was due, unless that is longer ago than the window
    (seconds); and how many others there were. What was before the window counts once. Raises ValueError."""
    first = after(schedule, since)
    if first is None or first > now:
        return None, 0
    begin = now - timedelta(seconds=window)
    if schedule.kind == "every":
        count = int((now - since).total_seconds() // span(schedule.words))
        last = since + count * timedelta(seconds=span(schedule.words))
        return (last, count - 1) if last >= begin else (None, count)
    found, count = first, 1
    if first < begin:  # a second before it, since what is due at its very start still is
        found, count = begin - timedelta(seconds=1), 1
    while (following := after(schedule, found)) and following <= now and count < FAR:
        found, count = following, count + 1
    return (found, count - 1) if found >= begin else (None, count)
