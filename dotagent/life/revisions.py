"""The history of who a life is: every version of its bootstrap files and of MEMORY that it heard, one after the other.

Each is a PAPER in LIFE and a blob whose parent is the version before; the first is the SOUL of the birth. What was can
be put back, to any depth: as the file's content, which is heard as one version more. Writes those files for a person.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from dotagent.errors import Misuse
from dotagent.life import events, replay
from dotagent.life.context import MEMORY
from dotagent.life.events import Document
from dotagent.store import bootstrap, disk, log
from dotagent.store.blobs import BlobMissing
from dotagent.store.bootstrap import SOUL
from dotagent.store.home import Home


@dataclass(frozen=True)
class Revision:
    """One version: its number, when it was heard, of which file, its blob, and that of the version before."""

    number: int
    at: str
    name: str
    id: str
    parent: str


def all_of(where: Home, self_id: str) -> list[Revision]:
    """Every revision of this life, the oldest first."""
    found, last = list[Revision](), {SOUL: ""}
    for line in log.lines(where.agent(self_id) / "LIFE.md"):
        event = events.parse(line)
        if line.event == events.Boot.WORD and not found:
            name = SOUL
        elif isinstance(event, Document) and event.name in (*bootstrap.ALL, MEMORY):
            name = event.name
        else:
            continue
        if line.id != last.get(name):  # MEMORY is said again after a swap
            found.append(Revision(len(found) + 1, line.at, name, line.id, last.get(name, "")))
            last[name] = line.id
    return found


def of(where: Home, self_id: str, number: int) -> Revision:
    """The revision of this number. Raises Misuse."""
    found = all_of(where, self_id)
    if not 1 <= number <= len(found):
        raise Misuse(f"there is no revision {number}: they go from 1 to {len(found)}")
    return found[number - 1]


def text(where: Home, self_id: str, id: str) -> str:
    """The version's words; of none "". Raises BlobMissing, BlobCorrupt."""
    if not id:
        return ""
    body = replay.soul(where.store(), self_id)[1] if id == self_id else where.store().get(id).body
    return body if isinstance(body, str) else body.decode("utf-8", "replace")


def diff(where: Home, self_id: str, one: Revision) -> Iterator[str]:
    """What it changed, in the lines of a unified diff."""
    old, new = (text(where, self_id, id).split("\n") for id in (one.parent, one.id))
    yield from difflib.unified_diff(old, new, f"{one.name} before", f"{one.name} {one.number}", lineterm="")


def roll_back(where: Home, self_id: str, number: int | None) -> Revision:
    """Put the file back as this revision had it, or with no number as it was before the last one; what it was then.
    Raises Misuse."""
    if undoes := number is None:
        last = all_of(where, self_id)[-1]
        before = [one for one in all_of(where, self_id) if last.parent and one.id == last.parent]
        if not before:
            raise Misuse(f"revision {last.number}, of {last.name}, is its first: there is none before it")
        number = before[0].number
    one = of(where, self_id, number)
    words = text(where, self_id, one.id).encode("utf-8", "replace")
    if one.name == SOUL and not words.strip():
        raise Misuse(f"revision {number} of SOUL.md is empty: an agent is never without one")
    path = where.agent(self_id) / one.name
    if undoes and disk.is_file(path) and disk.read(path) == words:
        raise Misuse(f"{one.name} is as revision {number} had it already: `rollback N` goes further back")
    if words == bootstrap.MISSING or (one.name == bootstrap.FIRST and not words.strip()):
        disk.remove(path)  # then it was not there
    else:
        disk.replace(path, words)
    return one


def listed(where: Home, self_id: str) -> list[tuple[Revision, int]]:
    """Every revision with how many characters it has; -1 for one that is lost."""
    sizes = []
    for one in all_of(where, self_id):
        try:
            sizes.append((one, len(text(where, self_id, one.id))))
        except BlobMissing:
            sizes.append((one, -1))
    return sizes
