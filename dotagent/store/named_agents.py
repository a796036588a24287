"""Agents that settings list by name, as in `[agents.aria]`: their tables, their ids and their rooms.

Owns `names/<name>`, which contains the id of the agent created for the name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from dotagent.errors import Misuse
from dotagent.store import directories, disk
from dotagent.text import names
from dotagent.text.reference import ID, PREFIX

Tables = Mapping[str, Mapping[str, object]]


def _text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _patterns(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) and one for one in value)


OWN: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "soul": (_text, "the path of a file that says who the agent is"),
    "audience": (lambda value: isinstance(value, str) and bool(names.AUDIENCE.fullmatch(value)), "private or group"),
    "rooms": (_patterns, 'a list of rooms, exact or patterns, e.g. ["dev", "work-*"]'),
    "provider": (_text, "the provider that the agent uses"),
    "model": (_text, "the model that the agent uses"),
}
"""Settings that only a named agent's table can have."""


def is_name(name: str) -> bool:
    """Return True if a table's key is an agent's name, False if it is an id."""
    return bool(names.ROOM.fullmatch(name)) and not PREFIX.fullmatch(name)


def flaw(table: Mapping[str, object]) -> str:
    """Return the problem with the settings that only these tables have, or ""."""
    for name, (holds, wanted) in OWN.items():
        if name in table and not holds(table[name]):
            return f"{name} must be {wanted}"
    return ""


def life(root: Path, name: str) -> str:
    """Return the id of the agent that was created for the name, or ""."""
    if not is_name(name):
        return ""
    try:
        found = disk.read(root / "names" / name, 100).decode("ascii", "replace").strip()
    except OSError:
        return ""
    return found if ID.fullmatch(found) and disk.is_file(root / "agents" / found / "LIFE.md") else ""


def name_of(root: Path, self_id: str) -> str:
    """Return the name for which the agent was created, or ""."""
    return next((name for name in directories.names(root / "names") if life(root, name) == self_id), "")


def keep(root: Path, name: str, self_id: str) -> None:
    """Record durably that this agent belongs to the name."""
    disk.make_dir(root / "names")
    disk.replace(root / "names" / name, f"{self_id}\n".encode())


def key_by_id(root: Path, tables: Tables) -> dict[str, Mapping[str, object]]:
    """Return the tables with agents' ids as keys. The table of an agent that does not exist yet stays under its
    name."""
    found = {(is_name(name) and life(root, name)) or name: table for name, table in tables.items() if is_name(name)}
    return {**found, **{name: table for name, table in tables.items() if not is_name(name)}}


def rooms(table: Mapping[str, object]) -> list[str]:
    """Return the rooms and patterns of an agent's table."""
    given = table.get("rooms")
    return [str(one) for one in given] if isinstance(given, list) else []


def first_room(name: str, table: Mapping[str, object]) -> str:
    """Return the room in which the agent of this table is created. Raises Misuse if the table has only patterns."""
    given = rooms(table)
    exact = [room for room in given if names.ROOM.fullmatch(room)]
    if given and not exact:
        raise Misuse(
            f"[agents.{name}] rooms: all entries are patterns; add the name of one room, which the agent joins "
            "when it is created"
        )
    return exact[0] if exact else name


def words(root: Path, name: str, table: Mapping[str, object]) -> list[str]:
    """Return the options with which agent.py creates the agent of this table. Raises Misuse."""
    asked = ["--room", first_room(name, table), "--audience", str(table.get("audience", "private"))]
    if soul := table.get("soul"):
        asked += ["--soul", str((root / os.path.expanduser(str(soul))).absolute())]
    for option in ("provider", "model"):
        asked += [f"--{option}", str(table[option])] if option in table else []
    return asked


def created(root: Path, log: Path) -> str:
    """Return the id of the agent whose creation this log of agent.py shows, or ""."""
    if not disk.is_file(log):
        return ""
    with disk.reading(log) as file:
        told = re.findall(rb"^([0-9a-f]{32})$", file.read(1 << 20), re.MULTILINE)
    ids = [one.decode() for one in told]
    return next((one for one in ids if disk.is_file(root / "agents" / one / "LIFE.md")), "")


def main(root: Path, tables: Tables) -> str:
    """Return the key of the agent that settings list first for the owner: its id, or its name before it is created, or
    "". `tables` are as `by_life` returns them."""
    private = (key for key, table in tables.items() if table.get("audience", "private") == "private")
    return next((key for key in private if is_name(key) or name_of(root, key)), "")


def find_table(room: str, tables: Tables) -> str:
    """Return the table that names the room most specifically: exactly, or by the pattern with the most letters, or
    ""."""
    best, found = (-1, -1), ""
    for name, table in tables.items():
        for pattern in rooms(table):
            exact = pattern == room
            weight = (int(exact), len(pattern.replace("*", "").replace("?", "")))
            if (exact or fnmatchcase(room, pattern)) and weight > best:
                best, found = weight, name
    return found
