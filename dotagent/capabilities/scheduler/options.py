"""The scheduler's table in the settings, `[heartbeat]`. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Mapping

from dotagent.store.home import Settings
from dotagent.store.setting import Rule
from dotagent.text import names, schedule


def _is_heartbeat_table(value: object) -> bool:
    """Return True if this is a valid table of heartbeat times."""
    if not isinstance(value, dict) or not value.keys() <= {"every", "hours", "room"}:
        return False
    every, hours, room = (
        value.get(name, usual) for name, usual in (("every", "off"), ("hours", "0-24"), ("room", "dev"))
    )
    if not all(isinstance(one, str) for one in (every, hours, room)) or not names.ROOM.fullmatch(room):
        return False
    try:
        return (every == "off" or 60 <= schedule.span(every) <= 86_400) and schedule.hours(hours) is not None
    except ValueError:
        return False


RULES: Mapping[str, Rule] = {
    "heartbeat": (
        _is_heartbeat_table,
        'must be a table: [heartbeat] every = "30m" (or "off"), hours = "8-22", room = "dev"',
    ),
}


def heartbeat(settings: Settings) -> Mapping[str, object]:
    """Return when agents check their HEARTBEAT.md: `every`, `hours`, `room`."""
    return settings.tables.get("heartbeat", {})
