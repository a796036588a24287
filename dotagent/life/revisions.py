"""The revisions of an agent: all recorded versions of its bootstrap files and of MEMORY.

A revision is a PAPER in LIFE and a blob whose parent is the version before; the first is the SOUL in the birth blob.
Any revision can be restored: the file gets its content, and is then recorded as a new version. Writes those files for a
person.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from dotagent.errors import Misuse
from dotagent.life import events, replay
from dotagent.life.context import MEMORY
from dotagent.life.events import Document
from dotagent.store import bootstrap, disk, lineage
from dotagent.store.blobs import BlobMissing
from dotagent.store.bootstrap import SOUL
from dotagent.store.home import Home
from dotagent.text.lazy import dataclass


@dataclass(frozen=True)
class Revision:
    """A version: its number, its time, its file, its blob, and the blob of the version before."""

    number: int
    at: str
    name: str
    id: str
    parent: str


def find_all(where: Home, self_id: str) -> list[Revision]:
    """Return every revision of this agent, oldest first."""
    found, last = list[Revision](), {SOUL: ""}
    for line in lineage.picked(where.store(), where.agent(self_id), (events.Boot.WORD, Document.WORD)):
        event = events.parse(line)
        if line.event == events.Boot.WORD and not found:
            name = SOUL
        elif isinstance(event, Document) and event.name in (*bootstrap.ALL, MEMORY):
            name = event.name
        else:
            continue
        if line.id != last.get(name):  # a swap records MEMORY again
            found.append(Revision(len(found) + 1, line.at, name, line.id, last.get(name, "")))
            last[name] = line.id
    return found


def find_revision(where: Home, self_id: str, number: int) -> Revision:
    """Return the revision with this number. Raises Misuse."""
    found = find_all(where, self_id)
    if not 1 <= number <= len(found):
        raise Misuse(f"there is no revision {number}; the revisions are 1 to {len(found)}")
    return found[number - 1]


def text(where: Home, self_id: str, id: str) -> str:
    """Return the text of a version, or "" for an empty id. Raises BlobMissing, BlobCorrupt."""
    if not id:
        return ""
    body = replay.soul(where.store(), self_id)[1] if id == self_id else where.store().get(id).body
    return body if isinstance(body, str) else body.decode("utf-8", "replace")


def diff(where: Home, self_id: str, one: Revision) -> Iterator[str]:
    """Yield the lines of a unified diff to the version before."""
    old, new = (text(where, self_id, id).split("\n") for id in (one.parent, one.id))
    yield from difflib.unified_diff(old, new, f"{one.name} before", f"{one.name} {one.number}", lineterm="")


def roll_back(where: Home, self_id: str, number: int | None) -> Revision:
    """Restore a file to this revision, or without a number to the version before its last. Return the restored
    revision. Raises Misuse."""
    if undoes := number is None:
        last = find_all(where, self_id)[-1]
        before = [one for one in find_all(where, self_id) if last.parent and one.id == last.parent]
        if not before:
            raise Misuse(f"revision {last.number} is the first one of {last.name}, so there is no earlier one")
        number = before[0].number
    one = find_revision(where, self_id, number)
    words = text(where, self_id, one.id).encode("utf-8", "replace")
    if one.name == SOUL and not words.strip():
        raise Misuse(f"revision {number} of SOUL.md (the agent's character) is empty; choose another revision")
    path = where.agent(self_id) / one.name
    if undoes and disk.is_file(path) and disk.read(path) == words:
        raise Misuse(f"{one.name} already equals revision {number}; `rollback N` goes further back")
    if words == bootstrap.MISSING or (one.name == bootstrap.FIRST and not words.strip()):
        disk.remove(path)  # the file did not exist then
    else:
        disk.replace(path, words)
    return one


def list_revisions(where: Home, self_id: str) -> list[tuple[Revision, int]]:
    """Return every revision with its number of characters, -1 for a lost one."""
    sizes = []
    for one in find_all(where, self_id):
        try:
            sizes.append((one, len(text(where, self_id, one.id))))
        except BlobMissing:
            sizes.append((one, -1))
    return sizes
