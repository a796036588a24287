"""The `[hooks]` settings: commands that run at events, and when the alternate character (`soul-evil`) replaces SOUL.

Pure: it validates the tables and checks the time. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime

from dotagent.store import setting
from dotagent.store.bootstrap import EVIL
from dotagent.store.setting import Rule
from dotagent.text import lazy, names, schedule
from dotagent.text.lazy import dataclass

SOUL_EVIL = "soul-evil"
APPLY = ("new", "turn")
DAY = 86_400.0  # seconds
_FILE = lazy.compile(r"SOUL_[A-Za-z0-9_]+\.md")  # names that neither a tool nor a sandboxed command can write
_AT = lazy.compile(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)

EVENTS = ("boot", "message", "turn", "fade", "error")
"""A start, a message, the end of a turn, the moment before fading, and an error."""
TIMEOUT, LONGEST = 10.0, 600.0  # seconds that a command may run, by default and at most
Hooks = Mapping[str, Mapping[str, object]]


@dataclass(frozen=True)
class Evil:
    """The alternate character: its file, its chance from 0 to 1, and its daily window (first second of the day, and
    length).

    `apply` says when to decide: at each start of the agent (`new`), or at each turn (`turn`).
    """

    file: str = EVIL
    chance: float = 0.0
    at: float = 0.0
    lasts: float = 0.0
    apply: str = "new"

    def why(self, now: datetime, dice: float) -> str:
        """Return why the alternate character applies at this local time: `purge`, `chance`, or "" if it does not.
        `dice` is 0 to 1."""
        second = now.hour * 3600 + now.minute * 60 + now.second + now.microsecond / 1e6
        if (second - self.at) % DAY < self.lasts:  # includes the start, excludes the end, and may cross midnight
            return "purge"
        return "chance" if dice < self.chance else ""


@dataclass(frozen=True)
class Hook:
    """A command that runs at events: its name, the events, the command line, and its limit in seconds."""

    name: str
    on: tuple[str, ...]
    run: str
    timeout: float


def commands(hooks: Hooks) -> list[Hook]:
    """Return the enabled commands in the order of the settings."""
    found = []
    for name, table in hooks.items():
        if name == SOUL_EVIL or _flaw(name, table) or table.get("enabled") is False:
            continue
        timeout = table.get("timeout")
        seconds = schedule.span(str(timeout)) if timeout else TIMEOUT
        found.append(Hook(name, _events(table["on"]), str(table["run"]), seconds))
    return found


def alternate(hooks: Hooks) -> Evil | None:
    """Return the alternate character, or None unless settings enable it."""
    table = hooks.get(SOUL_EVIL, {})
    if table.get("enabled") is not True or _flaw(SOUL_EVIL, table):
        return None
    purge, at, lasts = table.get("purge"), 0.0, 0.0
    if isinstance(purge, dict) and (found := _AT.fullmatch(str(purge["at"]))):
        at, lasts = int(found[1]) * 3600.0 + int(found[2]) * 60.0, schedule.span(str(purge["duration"]))
    chance = table.get("chance", 0.0)
    assert isinstance(chance, int | float)
    return Evil(str(table.get("file", EVIL)), float(chance), at, lasts, str(table.get("apply", "new")))


def flaws(hooks: Hooks) -> Iterator[str]:
    """Yield the problems with the tables, each with its place."""
    for name, table in hooks.items():
        if wrong := _flaw(name, table):
            yield f"[hooks.{name}] {wrong}"


def _events(on: object) -> tuple[str, ...]:
    return (on,) if isinstance(on, str) else tuple(map(str, on)) if isinstance(on, list) else ()


def _purge(value: object) -> bool:
    if not isinstance(value, dict) or value.keys() != {"at", "duration"}:
        return False
    return bool(_AT.fullmatch(str(value["at"]))) and schedule.is_span(value["duration"], DAY)


_COMMAND: Mapping[str, Rule] = {
    "on": (
        lambda value: bool(_events(value)) and set(_events(value)) <= set(EVENTS),
        f'must be one or more of {", ".join(EVENTS)}, e.g. on = "turn"',
    ),
    "run": (
        lambda value: isinstance(value, str) and bool(value.strip()) and "\0" not in value,
        'must be a shell command, e.g. run = "cat >> events.jsonl"',
    ),
    "timeout": (
        lambda value: schedule.is_span(value, LONGEST),
        'must be a time of at most ten minutes, e.g. timeout = "10s"',
    ),
    "enabled": setting.TRUTH,
}
_EVIL: Mapping[str, Rule] = {
    "enabled": setting.TRUTH,
    "file": (
        lambda value: isinstance(value, str) and bool(_FILE.fullmatch(value)),
        f'must be a name like "{EVIL}", of a file in the agent\'s directory',
    ),
    "chance": (lambda value: type(value) in (int, float) and 0 <= value <= 1, "must be a number from 0 to 1"),
    "apply": (lambda value: value in APPLY, f"must be one of {', '.join(APPLY)}"),
    "purge": (_purge, 'must be a table, e.g. purge = {at = "23:30", duration = "30m"}, of at most a day'),
}


def _flaw(name: str, table: Mapping[str, object]) -> str:
    if name == SOUL_EVIL:
        return setting.flaw(table, _EVIL, "has no")
    if not names.ROOM.fullmatch(name):
        return "cannot be the name of a hook; use a-z, 0-9, _ and -"
    return setting.flaw({**table, "on": table.get("on"), "run": table.get("run")}, _COMMAND, "has no")
