"""Times as text: ISO 8601, UTC, microseconds, fixed width, so that they sort as strings. A life's times strictly
increase, also when the machine's clock steps back."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta

STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z", re.ASCII)


def now() -> str:
    """The present as `2026-11-21T20:17:20.123456Z`."""
    return _text(datetime.fromtimestamp(time.time(), UTC))


def after(previous: str) -> str:
    """The present, or one microsecond after `previous` when the clock has not moved past it."""
    present = now()
    if present > previous:
        return present
    return _text(parse(previous) + timedelta(microseconds=1))


def parse(stamp: str) -> datetime:
    """The instant a stamp names. Raises ValueError for anything else."""
    if not STAMP.fullmatch(stamp):
        raise ValueError(f"{stamp!r} is no time of ours")
    return datetime.fromisoformat(stamp)


def is_stamp(text: str) -> bool:
    """Whether the text is a time of ours."""
    return STAMP.fullmatch(text) is not None


def ahead(stamp: str) -> float:
    """How many seconds a time lies in the future. Raises ValueError for what is none."""
    return (parse(stamp) - parse(now())).total_seconds()


def local_day(stamp: str) -> str:
    """The day of a stamp where the person is, by this machine's time zone (TZ): `2026-11-21`. Raises ValueError."""
    return parse(stamp).astimezone().strftime("%Y-%m-%d")


def left_of_day(stamp: str) -> float:
    """How many seconds after a stamp the next day begins where the person is. Raises ValueError."""
    here = parse(stamp).astimezone()
    return (
        datetime.combine(here.date() + timedelta(days=1), datetime.min.time()) - here.replace(tzinfo=None)
    ).total_seconds()


def to_second(stamp: str) -> str:
    """The stamp without its fraction: `2026-11-21T20:17:20Z`."""
    return stamp[:19] + "Z"


def of(instant: datetime) -> str:
    """The stamp of an instant, to the second: `2026-11-21T20:17:20Z`."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def compact(at: str) -> str:
    """A time to the second as a file's name has it."""
    return at[:19].replace("-", "").replace(":", "") + "Z"


def _text(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def since(known: str, stamp: str) -> str:
    """A time to the minute, as far as it is another than one that is known: `20:17`, `Sat 2026-11-21 20:17`, or ""."""
    if stamp[:16] == known[:16]:
        return ""
    if stamp[:10] == known[:10]:
        return stamp[11:16]
    try:
        return f"{parse(stamp):%a} {stamp[:10]} {stamp[11:16]}"
    except ValueError:  # a person wrote down a day that there never was
        return f"{stamp[:10]} {stamp[11:16]}"


def apart(one: str, other: str, seconds: float) -> bool:
    """Whether two times are further apart than that; one that never was is not."""
    try:
        return abs((parse(one) - parse(other)).total_seconds()) > seconds
    except ValueError:
        return False
