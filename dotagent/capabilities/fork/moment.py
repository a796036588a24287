"""The moment of an agent's life that a person means: an entry's number, the id of an event's blob, or a time. Owns
nothing on disk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from dotagent.compaction import tree
from dotagent.errors import Misuse
from dotagent.life import replay
from dotagent.life.events import Faded
from dotagent.store import blob_search, lineage, log, log_search
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home, Settings
from dotagent.store.lineage import Origin, Stretch
from dotagent.store.log import Line
from dotagent.text import times
from dotagent.text.reference import PREFIX, short

_NUMBER = re.compile(r"#?(\d{1,7})|#(\d{1,18})")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?)?(Z?)", re.ASCII)
FORMS = "a number from `context` (#412), 8 or more digits of an id, or a time such as 2026-11-21 or 2026-11-21T20:17:20"


def find_origin(where: Home, settings: Settings, self_id: str, said: str) -> Origin:
    """Return the place of the last event up to this moment; "" means now. A time without seconds means the end of that
    minute or day. Raises Misuse."""
    parts = lineage.parts(where.store(), where.agent(self_id))
    if not said:
        found = next((_place(parts[-1], line) for line in log.backwards(parts[-1].path)), None)
    elif number := _NUMBER.fullmatch(said):
        found = _last(parts, _time_of_entry(where, settings, self_id, int(number[1] or number[2])))
    elif time := _TIME.fullmatch(said):
        found = _last(parts, _first_time_after(time, said))
    elif PREFIX.fullmatch(said.lower()):
        found = _find_event(where, parts, said.lower())
    else:
        raise Misuse(f"--at {said[:40]!r} is not the id of a message or another event; give {FORMS}")
    if found is None and not said:
        raise Misuse(f"agent {short(self_id)} has no events yet, because it never ran")
    if found is None:
        raise Misuse(
            f"--at {said[:40]}: agent {short(self_id)} has no event at or before this time; `agents` shows "
            "when the agent was created"
        )
    return found


def _place(part: Stretch, line: Line) -> Origin:
    return Origin(part.agent, line.end, line.at)


def _last(parts: list[Stretch], before: str) -> Origin | None:
    """Return the last event before this time, which is found by bisection."""
    for part in reversed(parts):
        found = None
        for line in part.lines(log_search.offset_of_day(part.path, before)):
            if line.at >= before:
                break
            found = _place(part, line)
        if found:
            return found
    return None


def _next(at: str) -> str:
    """Return the time one microsecond later: the first that is not up to `at`."""
    return times.stamp(times.parse(at) + timedelta(microseconds=1))


def _first_time_after(time: re.Match[str], said: str) -> str:
    """Return the first time after the given time. Raises Misuse."""
    day, minute, second, fraction, utc = time.groups()
    zone = UTC if utc else times.find_zone(times.zone())
    length = (
        timedelta(microseconds=1)
        if fraction
        else timedelta(seconds=1)
        if second
        else timedelta(minutes=1)
        if minute
        else timedelta(days=1)
    )
    try:
        begun = datetime.fromisoformat(f"{day}T{minute or '00:00'}:{second or '00'}.{(fraction or '').ljust(6, '0')}")
        return times.stamp(begun.replace(tzinfo=zone) + length)
    except (ValueError, OverflowError):
        raise Misuse(f"--at {said[:40]!r} is not a valid time; give {FORMS}") from None


def _time_of_entry(where: Home, settings: Settings, self_id: str, number: int) -> str:
    """Return the first time after this entry. Raises Misuse if there is no such entry."""
    store, entries = where.store(), replay.derive(where, self_id, settings.context_limit).entries
    line = next((one.line for one in entries if one.number == number and one.event != Faded.WORD), None)
    try:
        faded = (one.line.id for one in entries if one.event == Faded.WORD and one.number <= number)
        line = line or next(filter(None, (tree.find(store, id, number) for id in faded)), None)
    except (BlobMissing, BlobCorrupt) as lost:
        raise Misuse(f"--at #{number}: {lost}") from None
    if line is None:
        raise Misuse(
            f"--at #{number}: agent {short(self_id)} has no message or result with this number; `context` lists them"
        )
    return _next(line.at)


def _find_event(where: Home, parts: list[Stretch], prefix: str) -> Origin | None:
    """Return the first event that names this blob."""
    blob = where.store().get(blob_search.find(where.store(), prefix))
    return next(_naming(parts, blob.id, blob.at), None)


def _naming(parts: list[Stretch], id: str, since: str) -> Iterator[Origin]:
    for part in parts:
        yield from (
            _place(part, line) for line in part.lines(log_search.offset_of_day(part.path, since)) if line.id == id
        )
