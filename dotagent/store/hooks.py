"""What settings say under `[hooks]`: commands that run at an event, and when the alternate soul (`soul-evil`) stands in
place of SOUL.

Pure: whether the tables are such, and whether it is time. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from dotagent.store.bootstrap import EVIL
from dotagent.text import names, near, schedule

SOUL_EVIL = "soul-evil"
APPLY = ("new", "turn")
DAY = 86_400.0  # seconds
_FILE = re.compile(r"SOUL_[A-Za-z0-9_]+\.md")  # names that no tool and no sandboxed command writes
_AT = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)
_KEYS = ("enabled", "file", "chance", "purge", "apply")

EVENTS = ("boot", "message", "turn", "fade", "error")
"""At a start, when a message is heard, when a turn is over, before anything fades, when something is wrong."""
TIMEOUT, LONGEST = 10.0, 600.0  # seconds that a command has, unless its table says otherwise, and at most
_COMMAND = ("on", "run", "timeout", "enabled")

Hooks = Mapping[str, Mapping[str, object]]


@dataclass(frozen=True)
class Evil:
    """The alternate soul: its file, how often it is in force, from which second of the day on for how many, and
    whether for lives that begin (`new`) or at each turn (`turn`)."""

    file: str = EVIL
    chance: float = 0.0
    at: float = 0.0
    lasts: float = 0.0
    apply: str = "new"

    def why(self, now: datetime, dice: float) -> str:
        """Why it is in force at this local time, where the dice show this (0 to 1): `purge`, `chance`, or "", not."""
        second = now.hour * 3600 + now.minute * 60 + now.second + now.microsecond / 1e6
        if (second - self.at) % DAY < self.lasts:  # its start is in it, its end not, and midnight nothing special
            return "purge"
        return "chance" if dice < self.chance else ""


@dataclass(frozen=True)
class Hook:
    """A command that runs at events: its name, these, itself, and how many seconds it has."""

    name: str
    on: tuple[str, ...]
    run: str
    timeout: float


def commands(hooks: Hooks) -> list[Hook]:
    """The commands that settings do not turn off, in their order."""
    found = []
    for name, table in hooks.items():
        if name == SOUL_EVIL or _command(name, table) or table.get("enabled") is False:
            continue
        on, timeout = table["on"], table.get("timeout")
        events = (on,) if isinstance(on, str) else tuple(map(str, on)) if isinstance(on, list) else ()
        found.append(Hook(name, events, str(table["run"]), schedule.span(str(timeout)) if timeout else TIMEOUT))
    return found


def alternate(hooks: Hooks) -> Evil | None:
    """The alternate soul; None where settings do not turn it on."""
    table = hooks.get(SOUL_EVIL, {})
    if table.get("enabled") is not True or _evil(table):
        return None
    purge, at, lasts = table.get("purge"), 0.0, 0.0
    if isinstance(purge, dict) and (found := _AT.fullmatch(str(purge["at"]))):
        at, lasts = int(found[1]) * 3600.0 + int(found[2]) * 60.0, schedule.span(str(purge["duration"]))
    chance = table.get("chance", 0.0)
    assert isinstance(chance, int | float)
    return Evil(str(table.get("file", EVIL)), float(chance), at, lasts, str(table.get("apply", "new")))


def flaws(hooks: Hooks) -> Iterator[str]:
    """What is wrong with them, each with its place."""
    for name, table in hooks.items():
        if wrong := _evil(table) if name == SOUL_EVIL else _command(name, table):
            yield f"[hooks.{name}] {wrong}"


def _command(name: str, table: Mapping[str, object]) -> str:
    if not names.ROOM.fullmatch(name):
        return "cannot be its name: a-z, 0-9, _ and -"
    if not table.keys() <= set(_COMMAND):
        odd = next(one for one in table if one not in _COMMAND)
        return f"has no {odd!r}{near.among(odd, _COMMAND)}"
    on, command = table.get("on"), table.get("run")
    events = [on] if isinstance(on, str) else on
    if not isinstance(events, list) or not events or not set(map(str, events)) <= set(EVENTS):
        return f'on must be one or more of {", ".join(EVENTS)}, e.g. on = "turn"'
    if not isinstance(command, str) or not command.strip() or "\0" in command:
        return 'run must be a shell command, e.g. run = "cat >> events.jsonl"'
    if not isinstance(table.get("enabled", True), bool):
        return "enabled must be true or false"
    try:
        right = 0 < schedule.span(str(table.get("timeout", "10s"))) <= LONGEST
    except ValueError:
        right = False
    return "" if right else 'timeout must be a time of at most ten minutes, e.g. timeout = "10s"'


def _evil(table: Mapping[str, object]) -> str:
    for name in table:
        if name not in _KEYS:
            return f"has no {name!r}{near.among(name, _KEYS)}"
    chance, file = table.get("chance", 0.0), table.get("file", EVIL)
    if not isinstance(table.get("enabled", False), bool):
        return "enabled must be true or false"
    if not isinstance(file, str) or not _FILE.fullmatch(file):
        return f'file must be a name like "{EVIL}", of a file in the agent\'s directory'
    if type(chance) not in (int, float) or not isinstance(chance, int | float) or not 0 <= chance <= 1:
        return "chance must be a number from 0 to 1"
    if table.get("apply", "new") not in APPLY:
        return f"apply must be one of {', '.join(APPLY)}"
    return _purge(table["purge"]) if "purge" in table else ""


def _purge(purge: object) -> str:
    wanted = 'purge must be a table, e.g. purge = {at = "23:30", duration = "30m"}, of at most a day'
    if not isinstance(purge, dict) or purge.keys() != {"at", "duration"} or not _AT.fullmatch(str(purge["at"])):
        return wanted
    try:
        return "" if 0 < schedule.span(str(purge["duration"])) <= DAY else wanted
    except ValueError as wrong:
        return f"{wanted}: {wrong}"
