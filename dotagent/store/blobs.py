"""Blobs: the content-addressed store, one immutable file for everything an agent heard, said, saw or was shown.

A blob is a small frontmatter and a body, byte for byte; its id is the first 32 hex digits of BLAKE3 over the whole
file, so `b3sum` checks it. What was forgotten on a person's request has a tombstone in its place: it says so, and holds
what is left of the blob, if anything is. Owns `blobs/`: finished blobs in `blobs/ab/ab12…`, others in `blobs/` itself.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path

from blake3 import blake3

from dotagent.errors import Trouble
from dotagent.store import disk
from dotagent.text import escape, secrets
from dotagent.text.reference import ID, PREFIX, short

MOST = 1 << 28  # bytes: a larger file is no blob
LOST = (errno.EISDIR, errno.ENOTDIR, errno.ELOOP, errno.ENXIO, errno.EFBIG, errno.EACCES, errno.EPERM, errno.EIO)
"""How a system refuses a blob that is no plain file, or cannot be read; that it has no memory left says nothing."""

_TOMB = "---\nforgotten: "  # how a tombstone begins, and no blob


class BlobMissing(Trouble):
    """No blob has this id."""


class BlobForgotten(BlobMissing):
    """A person wished that what this blob held be forgotten: only its id is left."""


class BlobCorrupt(Trouble):
    """The blob's bytes are not those its id promises."""


class Ambiguous(Trouble):
    """More than one blob's id begins with this prefix."""


@dataclass(frozen=True)
class Blob:
    """One blob: `at` an ISO time, `gist` one line, `parent` and `agent` ids or empty, `body` the bytes themselves."""

    id: str
    at: str
    gist: str
    parent: str
    agent: str
    body: bytes


def content_id(data: bytes) -> str:
    """The first 32 hex digits of BLAKE3 over the bytes."""
    return str(blake3(data).hexdigest())[:32]


def encode(body: bytes, *, at: str, gist: str, parent: str = "", agent: str = "") -> bytes:
    """The bytes of a blob's file: the contract that other programs read."""
    return f"---\nat: {at}\ngist: {gist}\nparent: {parent}\nagent: {agent}\n---\n".encode() + body


def tombstone(at: str, left: bytes = b"") -> bytes:
    """What stands in a forgotten blob's place: since when, a hash of what is left of the blob's file, and that."""
    return f"{_TOMB}{at}\nleft: {content_id(left)}\n---\n".encode() + left


def is_tombstone(data: bytes) -> bool:
    """Whether this stands in the place of a blob that was forgotten."""
    return data.startswith(_TOMB.encode())


def left_of(id: str, data: bytes) -> bytes:
    """What a tombstone has left of the blob's file, perhaps nothing. Raises BlobCorrupt when that is not whole."""
    head, _, left = data.partition(b"\n---\n")
    if head.rpartition(b"left: ")[2].decode("ascii", "replace") != content_id(left):
        raise BlobCorrupt(f"the tombstone of blob {short(id)} is corrupt (blobs/{id[:2]}/{id})")
    return left


def decode(id: str, data: bytes) -> Blob:
    """Read a blob's file. Raises BlobCorrupt when its bytes do not hash to its id or have no frontmatter, and
    BlobForgotten for a tombstone with nothing left."""
    if is_tombstone(data):
        at, data = data[len(_TOMB) :][:10].decode("ascii", "replace"), left_of(id, data)
        if not data:
            raise BlobForgotten(f"what blob {short(id)} held was forgotten on {at}, as its person wished")
    elif content_id(data) != id:
        raise BlobCorrupt(f"blob {short(id)} is corrupt: its bytes do not hash to its name (blobs/{id[:2]}/{id})")
    head, mark, body = data.partition(b"\n---\n")
    lines = head.decode("utf-8", "replace").split("\n")
    fields = [line.partition(": ")[2] for line in lines[1:]]
    if not mark or lines[0] != "---" or len(fields) != 4:
        raise BlobCorrupt(f"blob {short(id)} has no frontmatter (blobs/{id[:2]}/{id})")
    at, gist, parent, agent = fields
    return Blob(id, at, gist, parent, agent, body)


class Blobs:
    """The blobs of one home."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._unsynced: list[Path] = []
        self._shards: set[str] = set()  # those that need not be made
        self._widened = False  # one came into use since the last sync, and whoever made it may not have synced its name

    def path(self, id: str) -> Path:
        """Where the blob of this id is, or would be."""
        return self.root / id[:2] / id

    def put(self, body: bytes, *, at: str, gist: str, parent: str = "", agent: str = "", durable: bool = True) -> str:
        """Keep the bytes; return their id. `sync` makes it durable; with `durable` false, it need never be."""
        data = encode(body, at=at, gist=escape.one_line(secrets.masked(gist)), parent=parent, agent=agent)
        id = content_id(data)
        path = self.path(id)
        if id[:2] not in self._shards:
            disk.make_dir(path.parent, durable=False)
            self._shards.add(id[:2])
            self._widened = True
        disk.move(disk.write_aside(self.root, data), path)
        if durable:
            self._unsynced.append(path)
        return id

    def sync(self) -> None:
        """Make every blob put so far durable: its bytes, then its name, and its shard's."""
        for path in self._unsynced:
            disk.sync_file(path)
        for directory in {path.parent for path in self._unsynced}:
            disk.sync_dir(directory)
        if self._unsynced and self._widened:
            there = os.listdir(self.root)
            disk.sync_dir(self.root)  # which makes the names of all shards durable that are there
            self._shards.update(name for name in there if len(name) == 2)
            self._widened = False
        self._unsynced.clear()

    def forget(self, id: str, at: str, left: bytes = b"") -> None:
        """Put a tombstone in the blob's place, with what is left of the blob's file; who does so syncs its shard."""
        disk.move(disk.write_aside(self.root, tombstone(at, left), durable=True), self.path(id))

    def get(self, id: str) -> Blob:
        """The blob of this full id, verified. Raises BlobMissing (BlobForgotten where a person wished that), or
        BlobCorrupt, also for what is no file."""
        return decode(id, self.raw(id))

    def raw(self, id: str) -> bytes:
        """The bytes of the blob's file, as they are. Raises as `get` does."""
        try:
            return disk.read(f"{self.root}/{id[:2]}/{id}", MOST)
        except FileNotFoundError:
            raise BlobMissing(f"blob {short(id)} is missing (blobs/{id[:2]}/{id})") from None
        except OSError as error:
            if error.errno not in LOST:
                raise
            raise BlobCorrupt(f"blob {short(id)} cannot be read (blobs/{id[:2]}/{id}: {error.strerror})") from None

    def find(self, prefix: str) -> str:
        """The full id that begins with these 8 or more hex digits, listing one shard only.

        Raises BlobMissing when there is none, Ambiguous (naming the candidates) when there are several.
        """
        if not PREFIX.fullmatch(prefix):
            raise BlobMissing(f"{escape.one_line(prefix, 40)!r} is no id: 8 to 32 hex digits are")
        if ID.fullmatch(prefix) and self.path(prefix).exists():
            return prefix
        shard = self.root / prefix[:2]
        names = sorted(os.listdir(shard)) if shard.is_dir() else []
        found = [name for name in names if name.startswith(prefix) and ID.fullmatch(name)]
        if not found:
            raise BlobMissing(f"no blob begins with {prefix}")
        if len(found) > 1:
            raise Ambiguous(f"{prefix} is ambiguous: {', '.join(found[:8])}" + (" …" if len(found) > 8 else ""))
        return found[0]
