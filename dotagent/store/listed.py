"""The agents that settings list by a name, `[agents.aria]`: what they may say, whose life each is, whose a room is.

Owns `names/<name>`: the id of the life that was born for the name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from dotagent.store import disk, walked
from dotagent.text import names
from dotagent.text.reference import ID, PREFIX

Tables = Mapping[str, Mapping[str, object]]


def _text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _patterns(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) and one for one in value)


OWN: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "soul": (_text, "the path of a file that says who it is"),
    "audience": (lambda value: isinstance(value, str) and bool(names.AUDIENCE.fullmatch(value)), "private or group"),
    "rooms": (_patterns, 'a list of rooms, exact or patterns, e.g. ["dev", "work-*"]'),
    "provider": (_text, "who answers it"),
    "model": (_text, "by which model"),
}
"""What an agent of the list has beside what every life's table may have."""


def is_name(name: str) -> bool:
    """Whether the table is of an agent by name; else it is of a life by its id."""
    return bool(names.ROOM.fullmatch(name)) and not PREFIX.fullmatch(name)


def flaw(table: Mapping[str, object]) -> str:
    """What is wrong with what only these tables have; "" for nothing."""
    for name, (holds, wanted) in OWN.items():
        if name in table and not holds(table[name]):
            return f"{name} must be {wanted}"
    return ""


def life(root: Path, name: str) -> str:
    """The id of the life that was born for the name; "" for none, or what is no name."""
    if not is_name(name):
        return ""
    try:
        found = disk.read(root / "names" / name, 100).decode("ascii", "replace").strip()
    except OSError:
        return ""
    return found if ID.fullmatch(found) and disk.is_file(root / "agents" / found / "LIFE.md") else ""


def name_of(root: Path, self_id: str) -> str:
    """The name that the life was born for; "" for none."""
    return next((name for name in walked.names(root / "names") if life(root, name) == self_id), "")


def keep(root: Path, name: str, self_id: str) -> None:
    """Write down, durably, that this life is the name's."""
    disk.make_dir(root / "names")
    disk.replace(root / "names" / name, f"{self_id}\n".encode())


def by_life(root: Path, tables: Tables) -> dict[str, Mapping[str, object]]:
    """The tables, those by name under the ids of their lives; of one that was not born yet, under its name still."""
    found = {(is_name(name) and life(root, name)) or name: table for name, table in tables.items() if is_name(name)}
    return {**found, **{name: table for name, table in tables.items() if not is_name(name)}}


def rooms(table: Mapping[str, object]) -> list[str]:
    """The rooms and patterns of an agent's table."""
    given = table.get("rooms")
    return [str(one) for one in given] if isinstance(given, list) else []


def whose(room: str, tables: Tables) -> str:
    """The table that names the room most specifically: exactly, or by the pattern with the most letters; "" if none."""
    best, found = (-1, -1), ""
    for name, table in tables.items():
        for pattern in rooms(table):
            exact = pattern == room
            weight = (int(exact), len(pattern.replace("*", "").replace("?", "")))
            if (exact or fnmatchcase(room, pattern)) and weight > best:
                best, found = weight, name
    return found
