"""Creating a fork: its birth blob, its room, its documents as they were then, and LIFE.md last, in one rename.

Until then, a crash leaves only a directory that is not an agent. Owns the creation of a fork's directory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from dotagent.errors import Misuse
from dotagent.life import log_repair, replay
from dotagent.life.context import MEMORY
from dotagent.life.events import Boot
from dotagent.life.state import State
from dotagent.store import bootstrap, disk, home, lives, log, notes, rooms, safe_paths
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs, content_id
from dotagent.store.bootstrap import SOUL
from dotagent.store.home import Home, Settings
from dotagent.store.lineage import Origin
from dotagent.store.log import Line
from dotagent.store.safe_paths import Inside
from dotagent.text import times
from dotagent.text.reference import short

PROMPTS = ("SEGMENT.md", "SUMMARISE.md")
DAYS, MOST = 60, 400_000  # daily notes, and bytes of all notes, that a fork gets
_LASTING = re.compile(rf"{notes.FOLDER}/(?:older\.md|semantic/(?:rules|patterns)/[^.].*\.md)", re.DOTALL)


@dataclass(frozen=True)
class Made:
    """A fork: its id and its room."""

    id: str
    room: str


def make(where: Home, settings: Settings, origin: Origin, room: str | None) -> Made:
    """Create the fork. Raises Misuse for a room of another audience, and for events that a power cut destroyed."""
    store = where.store()
    _check(where, origin)
    audience, soul = replay.soul(store, origin.agent)
    owner = home.owner(settings)
    there = room is not None and os.path.lexists(where.room(room))
    if room is not None and there and (theirs := rooms.audience(where.room(room), owner)) != audience:
        raise Misuse(
            f"the audience (who can read the room) of room {room} is `{theirs}`, but the fork's audience is "
            f"`{audience}`; choose another room"
        )
    state = replay.standing(where, origin.agent, origin.end)
    _sync(where, origin)
    body = f"audience: {audience}\n{origin.row()}\n\n{soul}".encode("utf-8", "replace")
    self_id = store.put(body, at=times.now(), gist=f"SOUL of a life, {audience}")
    store.sync()
    name = room or f"fork-{self_id[:8]}"
    rooms.create(where.room(name), "private" if audience == f"private {owner}" else audience)
    folder = where.agent(self_id)
    disk.make_dir(folder)
    _papers(store, folder, state, soul, where.agent(origin.agent))
    _notes(folder, where.agent(origin.agent), state, origin)
    lives.join(where, self_id, where.room(name))
    begun = Line(times.next_stamp(origin.at), Boot.WORD, audience, self_id, "SOUL")
    disk.replace(folder / "LIFE.md", log.render(begun).encode() + b"\n")
    return Made(self_id, name)


def _check(where: Home, origin: Origin) -> None:
    """Raise Misuse for events whose blobs are lost: the other agent removes them from LIFE.md at its next start."""
    path = where.agent(origin.agent) / "LIFE.md"
    lost = log_repair.find_lost(path, where.store())
    if lost and origin.end > log.begin(path, lost[-1]):
        who = short(origin.agent)
        raise Misuse(
            f"agent {who} lost its last events in a power cut; start agent {who} once to repair its log, then fork it"
        )


def _sync(where: Home, origin: Origin) -> None:
    """Make the other life durable up to this moment: otherwise a power cut could take from it what the fork names."""
    store, path = where.store(), where.agent(origin.agent) / "LIFE.md"
    there = [
        store.path(line.id) for line in log_repair.unsure(path) if line.id and line.event not in log_repair.REQUESTS
    ]
    for blob in filter(disk.is_file, there):
        disk.sync_file(blob)
    for folder in {blob.parent for blob in there if blob.parent.is_dir()}:
        disk.sync_dir(folder)
    disk.sync_dir(where.blobs)
    disk.sync_file(path)


def _papers(store: Blobs, folder: Path, state: State, soul: str, old: Path) -> None:
    """Write the documents as they were then. Files that only the scheduler reads start with nothing to do, so that no
    one gets a message twice."""
    there, usual = state.heard.documents, {SOUL: soul.encode("utf-8", "replace"), MEMORY: b"", bootstrap.FIRST: b""}
    prompts = [name for name in PROMPTS if name in there and os.path.lexists(old / name)]
    for name in (SOUL, MEMORY, *bootstrap.visible_files(state.audience), *prompts):
        data = _version(store, there.get(name, ""))
        if data is None:
            data = usual[name] if name in usual else b"" if name in prompts else bootstrap.template(name)
        if data != bootstrap.MISSING and (data or name == MEMORY):
            disk.replace(folder / name, data)


def _version(store: Blobs, id: str) -> bytes | None:
    try:
        return store.get(id).body if id else None
    except (BlobMissing, BlobCorrupt):
        return None


def _notes(folder: Path, old: Path, state: State, origin: Origin) -> None:
    """Copy the notes that have not changed since, and of today's note the part that was read: the newest that fit."""
    left = MOST
    for name, data in _read_notes(old, state, origin):
        left -= len(data)
        if left < 0:
            return
        safe_paths.replace(folder, name, data)


def _read_notes(old: Path, state: State, origin: Origin) -> Iterator[tuple[str, bytes]]:
    """Yield the notes of that moment, the most important first: older facts, learned rules and patterns, and the newest
    days."""
    now = next((line.end for line in log.backwards(old / "LIFE.md")), 0) == origin.end
    there = [one for one in safe_paths.walk(old, notes.FOLDER) if one.is_file]
    lasting = [one for one in there if _LASTING.fullmatch(one.name)]
    days = [one for one in there if notes.DAY.fullmatch(_day(one)) and one.name == f"{notes.FOLDER}/{_day(one)}.md"]
    for one in (*lasting, *sorted(days, key=_day, reverse=True)[:DAYS]):
        try:
            data = disk.read_below(old, one.name)
        except OSError:  # its agent or a person moved it meanwhile
            continue
        if not now and datetime.fromtimestamp(one.found.st_mtime, UTC) > times.parse(origin.at):
            size, _, mark = state.heard.notes.get(_day(one), "0").partition(" ")
            data = data[: int(size)] if size.isdecimal() and content_id(data[: int(size)]) == mark else b""
        if data:
            yield one.name, data


def _day(one: Inside) -> str:
    """Return the day of a daily note."""
    return one.name.rpartition("/")[2].removesuffix(".md")
