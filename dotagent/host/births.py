"""Agents that settings list: which are not born yet, how each is to be born, and the rooms that are theirs.

A birth is known by the id that the newborn prints first, in its log: so one that was under way when this process died
is found again, and nobody is born twice. Owns the links that lead lives to the rooms that settings give them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from dotagent.errors import Misuse
from dotagent.store import disk, home, listed, lives, rooms
from dotagent.store.home import Home, Settings
from dotagent.text.names import ROOM


def unborn(where: Home, agents: listed.Tables) -> list[str]:
    """The names of the list whose life there is not."""
    return [name for name in agents if listed.is_name(name) and not listed.life(where.root, name)]


def words(where: Home, settings: Settings, name: str) -> list[str]:
    """How agent.py is asked to let it be born. Raises Misuse."""
    table = settings.agents[name]
    exact = [room for room in listed.rooms(table) if ROOM.fullmatch(room)]
    if listed.rooms(table) and not exact:
        raise Misuse(f"[agents.{name}] rooms: name one room exactly, in which it is born")
    asked = ["--room", exact[0] if exact else name, "--audience", str(table.get("audience", "private"))]
    if soul := table.get("soul"):
        asked += ["--soul", str((where.root / os.path.expanduser(str(soul))).absolute())]
    for option in ("provider", "model"):
        asked += [f"--{option}", str(table[option])] if option in table else []
    return asked


def found(where: Home, log: Path) -> str:
    """The id of the life whose birth the log tells, "" for none."""
    if not disk.is_file(log):
        return ""
    with disk.reading(log) as file:
        told = re.findall(rb"^([0-9a-f]{32})$", file.read(1 << 20), re.MULTILINE)
    ids = [one.decode() for one in told]
    return next((one for one in ids if disk.is_file(where.agent(one) / "LIFE.md")), "")


def subscribe(where: Home, settings: Settings, self_id: str) -> None:
    """Link the life to the rooms of its audience that settings give to it, more specifically than to any other."""
    table = settings.agents.get(self_id, {})
    if not listed.rooms(table):
        return
    audience, owner = _audience(table, settings), home.owner(settings)
    subs = where.agent(self_id) / "subs"
    there: Mapping[str, Mapping[str, object]] = settings.agents
    for path in where.chats.glob("*.md"):
        link = subs / path.name
        if os.path.lexists(link) or listed.whose(path.stem, there) != self_id or not disk.is_file(path):
            continue
        if rooms.audience(path, owner) == audience:
            if not lives.of(where, path.stem):
                rooms.want(path, 0)  # what was said there was said to nobody else
            lives.join(where, self_id, path)


def _audience(table: Mapping[str, object], settings: Settings) -> str:
    said = str(table.get("audience", "private"))
    return f"private {home.owner(settings)}" if said == "private" else said
