"""The lineage of an agent: the parts of other agents' lives that it continues without a copy of their LIFE.md.

The birth blob of such an agent names the other agent, the end of its part in bytes of that LIFE.md, and the time of the
last event there, so the agent's id guarantees all three. LIFE.md keeps its length when something is permanently
deleted, so the end stays valid, and a deletion there reaches everyone who continues it. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from dotagent.store import log, log_search
from dotagent.store.blobs import Blob, BlobCorrupt, BlobMissing, Blobs
from dotagent.store.log import Line
from dotagent.text import lazy, times
from dotagent.text.lazy import dataclass
from dotagent.text.reference import ID

_ROW = lazy.compile(r"continues: (\S+) ([0-9]{1,18}) (\S+)")


@dataclass(frozen=True)
class Origin:
    """The log that an agent continues: another agent's life up to this byte of its LIFE.md, where an event of time `at`
    ends."""

    agent: str
    end: int
    at: str

    def row(self) -> str:
        """Return the row of the birth blob that names it."""
        return f"continues: {self.agent} {self.end} {self.at}"


@dataclass(frozen=True)
class Stretch:
    """A part of an agent's whole life: whose LIFE.md it is in, and its end there; None for the agent's own, which
    grows."""

    agent: str
    path: Path
    end: int | None = None

    def lines(self, start: int = 0) -> Iterator[Line]:
        """Yield the events of the part from a byte offset on."""
        for line in log.lines(self.path, start):
            if self.end is not None and line.end > self.end:
                return
            yield line

    def picked(self, events: Collection[str], start: int = 0) -> Iterator[Line]:
        """Yield the events of the part with these words, as log_search.picked does."""
        return log_search.picked(self.path, events, start, self.end)


def origin(store: Blobs, self_id: str) -> Origin | None:
    """Return what the agent continues, or None if its life began with itself, or if its birth blob is lost."""
    try:
        head = store.get(self_id).body.decode("utf-8", "replace").partition("\n\n")[0]
    except (BlobMissing, BlobCorrupt):
        return None
    found = next(filter(None, map(_ROW.fullmatch, head.split("\n"))), None)
    if found is None or not ID.fullmatch(found[1]) or not times.is_stamp(found[3]):
        return None
    return Origin(found[1], int(found[2]), found[3])


def find_origins(store: Blobs, self_id: str) -> list[Origin]:
    """Return what the agent continues, what that one continues, and so on. No circle is possible, because an id is a
    hash that depends on those before."""
    found = list[Origin]()
    while there := origin(store, found[-1].agent if found else self_id):
        found.append(there)
    return found


def parts(store: Blobs, folder: Path, end: int | None = None) -> list[Stretch]:
    """Return the parts of the whole life of the agent with this directory, oldest first. The last is its own LIFE.md,
    or the first `end` bytes of it."""
    others = [
        Stretch(one.agent, folder.parent / one.agent / "LIFE.md", one.end) for one in find_origins(store, folder.name)
    ]
    return [*reversed(others), Stretch(folder.name, folder / "LIFE.md", end)]


def picked(store: Blobs, folder: Path, events: Collection[str]) -> Iterator[Line]:
    """Yield the events with these words in the whole life of an agent, oldest first."""
    return (line for part in parts(store, folder) for line in part.picked(events))


def owns(store: Blobs, self_id: str, blob: Blob) -> bool:
    """Return True if the agent wrote the blob, or another agent did in the part of its life that this one continues."""
    if self_id in (blob.agent, blob.id):
        return True
    return any(one.agent in (blob.agent, blob.id) and blob.at <= one.at for one in find_origins(store, self_id))
