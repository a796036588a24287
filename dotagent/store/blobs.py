"""Blobs: the content-addressed store, with one immutable file for each thing that an agent read, wrote, said or saw.

A blob is a small frontmatter and the exact bytes of the body. Its id is the first 32 hex digits of BLAKE3 over the
whole file, so `b3sum` can check it. If a person had content forgotten, a tombstone replaces the blob; it keeps the rest
of the blob, if any. `pack` moves old blobs into pack files (see pack_files). Owns `blobs/`: finished blobs in
`blobs/ab/ab12…`, unfinished ones in `blobs/` itself.
"""

from __future__ import annotations

import errno
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from blake3 import blake3

from dotagent.errors import Trouble
from dotagent.store import disk
from dotagent.text import escape, secrets
from dotagent.text.lazy import dataclass
from dotagent.text.reference import short

if TYPE_CHECKING:
    from dotagent.store.pack_files import PackFile, PackFiles

MOST = 1 << 28  # bytes: the largest blob
LOST = (errno.EISDIR, errno.ENOTDIR, errno.ELOOP, errno.ENXIO, errno.EFBIG, errno.EACCES, errno.EPERM, errno.EIO)
"""Errors that mean that a blob is unreadable or not a regular file. Others, such as ENOMEM, do not concern the blob."""

_TOMB = "---\nforgotten: "  # the beginning of a tombstone; no blob begins like this


class BlobMissing(Trouble):
    """No blob has this id."""


class BlobForgotten(BlobMissing):
    """The blob was forgotten at a person's request, and none of its content is left."""


class BlobCorrupt(Trouble):
    """The blob's bytes do not match its id."""


@dataclass(frozen=True)
class Blob:
    """A blob: `at` is an ISO time, `gist` one line, `parent` and `agent` are ids or empty."""

    id: str
    at: str
    gist: str
    parent: str
    agent: str
    body: bytes


def content_id(data: bytes) -> str:
    """Return the first 32 hex digits of BLAKE3 over `data`."""
    return str(blake3(data).hexdigest())[:32]


def encode(body: bytes, *, at: str, gist: str, parent: str = "", agent: str = "") -> bytes:
    """Return the bytes of a blob's file. Other programs rely on this format."""
    return f"---\nat: {at}\ngist: {gist}\nparent: {parent}\nagent: {agent}\n---\n".encode() + body


def tombstone(at: str, left: bytes = b"") -> bytes:
    """Return the tombstone of a forgotten blob: the time, a hash of the remaining content, and that content."""
    return f"{_TOMB}{at}\nleft: {content_id(left)}\n---\n".encode() + left


def is_tombstone(data: bytes) -> bool:
    """Return True if `data` is a tombstone."""
    return data.startswith(_TOMB.encode())


def remaining_content(id: str, data: bytes) -> bytes:
    """Return the content that a tombstone still has, possibly empty. Raises BlobCorrupt if its hash does not match."""
    head, _, left = data.partition(b"\n---\n")
    if head.rpartition(b"left: ")[2].decode("ascii", "replace") != content_id(left):
        raise BlobCorrupt(f"the deletion mark of blob {short(id)} is corrupt (blobs/{id[:2]}/{id})")
    return left


def decode(id: str, data: bytes) -> Blob:
    """Parse a blob's file. Raises BlobCorrupt if the bytes do not match the id or have no frontmatter, and
    BlobForgotten for a tombstone without content."""
    head, body = _parts(id, data)
    at, gist, parent, agent = (line.partition(": ")[2] for line in head.decode("utf-8", "replace").split("\n")[1:])
    return Blob(id, at, gist, parent, agent, body)


def _parts(id: str, data: bytes) -> tuple[bytes, bytes]:
    """Return the frontmatter and the body of a blob's file, verified. Raises the same errors as `decode`."""
    if is_tombstone(data):
        at, data = data[len(_TOMB) :][:10].decode("ascii", "replace"), remaining_content(id, data)
        if not data:
            raise BlobForgotten(f"the content of blob {short(id)} was permanently deleted on {at}, as the owner asked")
    elif content_id(data) != id:
        raise BlobCorrupt(f"blob {short(id)} is corrupt: its content does not match its name (blobs/{id[:2]}/{id})")
    head, mark, body = data.partition(b"\n---\n")
    if not mark or not head.startswith(b"---\n") or head.count(b"\n") != 4:
        raise BlobCorrupt(f"blob {short(id)} is corrupt: its first lines are missing (blobs/{id[:2]}/{id})")
    return head, body


class Blobs:
    """The blobs of one home."""

    def __init__(self, root: Path) -> None:
        self.root, self._folder = root, str(root)
        self._unsynced: list[Path] = []
        self._shards: set[str] = set()  # known to exist
        self._widened = False  # a shard was used for the first time since the last sync, so its name may not be durable

    def path(self, id: str) -> Path:
        """Return the path of the blob with this id, whether it exists or not."""
        return self.root / id[:2] / id

    def put(self, body: bytes, *, at: str, gist: str, parent: str = "", agent: str = "", durable: bool = True) -> str:
        """Store the bytes and return their id. `sync` makes them durable, unless `durable` is False."""
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
        """Sync every blob put so far: the bytes, their names, and the shards' names."""
        for path in self._unsynced:
            try:
                disk.sync_file(path)
            except FileNotFoundError:
                if not self.packed.has(path.name):  # its pack is durable
                    raise
        for directory in {path.parent for path in self._unsynced}:
            disk.sync_dir(directory)
        if self._unsynced and self._widened:
            there = os.listdir(self.root)
            disk.sync_dir(self.root)  # syncs the names of all existing shards
            self._shards.update(name for name in there if len(name) == 2)
            self._widened = False
        self._unsynced.clear()

    def doubt(self, id: str) -> None:
        """Sync this blob, too, at the next `sync`, because the process that put it may have crashed before it did."""
        self._unsynced.append(self.path(id))
        self._widened = True

    def forget(self, id: str, at: str, left: bytes = b"") -> None:
        """Replace the blob by a tombstone with the content that is `left`. The caller must sync the shard."""
        disk.move(disk.write_aside(self.root, tombstone(at, left), durable=True), self.path(id))

    def get(self, id: str) -> Blob:
        """Return the blob with this full id, verified.

        Raises BlobMissing, BlobForgotten if a person had it forgotten, or BlobCorrupt, which includes unreadable files.
        """
        return decode(id, self.raw(id))

    def body(self, id: str) -> bytes:
        """Return the body of the blob with this full id, verified. Raises the same errors as `get`, and is faster."""
        return _parts(id, self.raw(id))[1]

    def raw(self, id: str) -> bytes:
        """Return the bytes of the blob's file. Raises the same errors as `get`, but does not verify the hash."""
        if (data := self._own(id)) is None and (data := self._from_pack(id)) is None:
            data = self._own(id)  # a tombstone may have taken the place of the packed blob meanwhile
        if data is None:
            raise BlobMissing(f"blob {short(id)} is missing (blobs/{id[:2]}/{id})")
        return data

    def _own(self, id: str) -> bytes | None:
        """Return the bytes of the blob's own file, or None without such a file."""
        try:
            return disk.read(f"{self._folder}/{id[:2]}/{id}", MOST)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno not in LOST:
                raise
            raise BlobCorrupt(f"blob {short(id)} cannot be read (blobs/{id[:2]}/{id}: {error.strerror})") from None

    @cached_property
    def packed(self) -> PackFiles:
        """The pack files, whose module only a home with old blobs needs."""
        from dotagent.store.pack_files import PackFiles

        return PackFiles(self.root)

    def _from_pack(self, id: str) -> bytes | None:
        """Return the bytes of a packed blob's file, or None if no pack has it."""
        from dotagent.store.pack_files import Damaged

        try:
            return self.packed.get(id)
        except Damaged as damaged:
            raise BlobCorrupt(f"blob {short(id)} cannot be read: {damaged}") from None

    def has(self, id: str) -> bool:
        """Return True if the blob exists, readable or not."""
        return self.path(id).exists() or self.packed.has(id)

    def forgotten(self, id: str) -> bool:
        """Return True if the blob has a tombstone."""
        return (data := self._own(id)) is not None and is_tombstone(data)

    def packs(self) -> list[PackFile]:
        """Return the pack files that can be read."""
        return self.packed.all(again=True)
