"""Times as text: ISO 8601, UTC, microseconds, fixed width, so that they sort as strings.

An agent's times strictly increase, even if the machine's clock goes back. Files contain times in UTC. People and models
see them in one zone: the setting `zone`, or the machine's. The code that reads settings calls `live_in`, and everything
that displays a time or begins a day takes the zone from here. Pure.
"""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta

from dotagent.text import lazy
from dotagent.text.zones import find_zone as find_zone
from dotagent.text.zones import is_zone as is_zone
from dotagent.text.zones import machine_zone as machine_zone

_named = ""  # the zone that settings name

STAMP = lazy.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z", re.ASCII)


def now() -> str:
    """Return the present as `2026-11-21T20:17:20.123456Z`."""
    return stamp(datetime.fromtimestamp(time.time(), UTC))


def next_stamp(previous: str) -> str:
    """Return the present, or one microsecond after `previous` if the clock is not past it."""
    present = now()
    if present > previous:
        return present
    return stamp(parse(previous) + timedelta(microseconds=1))


def parse(stamp: str) -> datetime:
    """Parse a stamp. Raises ValueError if it is invalid."""
    if not STAMP.fullmatch(stamp):
        raise ValueError(f"{stamp!r} is not a valid time")
    return datetime.fromisoformat(stamp)


def is_stamp(text: str) -> bool:
    """Return True if the text is a stamp."""
    return STAMP.fullmatch(text) is not None


def ahead(stamp: str) -> float:
    """Return how many seconds a time is in the future. Raises ValueError if the stamp is invalid."""
    return (parse(stamp) - parse(now())).total_seconds()


def live_in(name: str) -> None:
    """Show times in the zone of this name, or in the machine's if the name is empty, in this process."""
    global _named
    _named = name


def zone() -> str:
    """Return the name of the zone in which people and models see times."""
    return _named or machine_zone()


def local(stamp: str) -> datetime:
    """Return a stamp's time in the person's zone. Raises ValueError."""
    return parse(stamp).astimezone(find_zone(zone()))


def local_now() -> datetime:
    """Return the present in the person's zone."""
    return local(now())


def format_stamp(stamp: str, letters: int = 16) -> str:
    """Format a stamp for people, to the minute: `2026-11-21T21:17`. 19 letters are to the second, 10 the day."""
    try:
        return local(stamp).isoformat()[:letters]
    except (ValueError, OverflowError):  # edited by hand
        return stamp[:letters]


def format_day(then: datetime, name: str = "", day: str = "") -> str:
    """Format a time with its day and zone for people: `Fri 2026-11-27 09:00 Europe/Berlin`. In an hour that repeats,
    the distance to UTC is added. `day` is the name of the day in another language."""
    name = name or zone()
    here = then.astimezone(find_zone(name))
    twice = here.replace(fold=1 - here.fold).utcoffset() != here.utcoffset()
    return f"{day or f'{here:%a}'} {here:%Y-%m-%d %H:%M} {name}{f' (UTC{here.isoformat()[-6:]})' if twice else ''}"


def local_day(stamp: str) -> str:
    """Return a stamp's day in the person's zone: `2026-11-21`. Raises ValueError."""
    return f"{local(stamp):%Y-%m-%d}"


def seconds_left_of_day(stamp: str) -> float:
    """Return the seconds from a stamp to the next day in the person's zone. Raises ValueError."""
    return (parse(next_day(stamp)) - parse(stamp)).total_seconds()


def next_day(at: str) -> str:
    """Return the stamp of the next midnight in the person's zone. Raises ValueError."""
    then = local(at)
    return stamp(datetime.combine(then.date() + timedelta(days=1), datetime.min.time(), then.tzinfo))


def to_second(stamp: str) -> str:
    """Return the stamp without its fraction: `2026-11-21T20:17:20Z`."""
    return stamp[:19] + "Z"


def stamp(instant: datetime) -> str:
    """Return the stamp of an instant: `2026-11-21T20:17:20.123456Z`."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def make_stamp(instant: datetime) -> str:
    """Return the stamp of an instant, to the second: `2026-11-21T20:17:20Z`."""
    return to_second(stamp(instant))


def compact(at: str) -> str:
    """Return a time to the second in the form used in file names."""
    return at[:19].replace("-", "").replace(":", "") + "Z"


def format_since(known: str, stamp: str) -> str:
    """Format a time to the minute, without the part that is the same as in `known`: `20:17`, `Sat 2026-11-21 20:17`, or
    ""."""
    if stamp[:16] == known[:16]:
        return ""
    then, before = format_stamp(stamp), format_stamp(known)
    if then[:10] == before[:10]:
        return then[11:16]
    try:
        return f"{local(stamp):%a %Y-%m-%d %H:%M}"
    except (ValueError, OverflowError):  # a person wrote an impossible day
        return f"{then[:10]} {then[11:16]}"


def is_apart(one: str, other: str, seconds: float) -> bool:
    """Return True if two times are more than `seconds` apart. An invalid time never is."""
    try:
        return abs((parse(one) - parse(other)).total_seconds()) > seconds
    except ValueError:
        return False
