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


def ahead(stamp: str) -> float:
    """How many seconds a time lies in the future. Raises ValueError for what is none."""
    return (parse(stamp) - parse(now())).total_seconds()


def to_second(stamp: str) -> str:
    """The stamp without its fraction: `2026-11-21T20:17:20Z`."""
    return stamp[:19] + "Z"


def _text(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
