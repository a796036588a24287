"""Pack files: many old blobs in one compressed file, because a file for each blob of many years would fill the disk.

A pack file has a magic line, a zstd dictionary, one zstd frame for each blob, and an index sorted by id. A blob that
also has its own file is read from that file, so a tombstone hides the packed content until the pack is rewritten. Owns
`blobs/packs/`: finished packs in `000001.pack` and so on, unfinished ones in `.new-…`.
"""

from __future__ import annotations

import mmap
import os
import re
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from blake3 import blake3

from dotagent.errors import Trouble
from dotagent.store import disk, zstd

FOLDER = "packs"
NAME = re.compile(r"\d{6}\.pack", re.ASCII)
MOST = 1 << 28  # bytes of a blob
CHUNK = 1 << 20  # bytes that are written or hashed at once

MAGIC = b"dotagent pack 1\n"
LENGTH = struct.Struct(">I")  # the length of the dictionary
ROW = struct.Struct(">16sQI")  # an id, and its frame's offset and length
END = struct.Struct(">QI16s")  # the index's offset, its number of rows, and a hash of everything before this


class Damaged(Trouble):
    """A pack file, or a frame in it, cannot be read."""

    def __init__(self, place: str) -> None:
        super().__init__(f"{place} is damaged; restore this file from a backup, or move it away")


class PackFile:
    """One open pack file. Raises Damaged if it is not complete, and OSError."""

    def __init__(self, path: Path) -> None:
        self.place = f"blobs/{FOLDER}/{path.name}"
        self.path = path
        with disk.open_regular(path) as fd:
            self.size = os.fstat(fd).st_size
            if self.size < len(MAGIC) + LENGTH.size + END.size:
                raise Damaged(self.place)
            self._map = mmap.mmap(fd, 0, access=mmap.ACCESS_READ)
        self._end = self.size - END.size
        index, count, hashed = END.unpack_from(self._map, self._end)
        self._index, self._count, self._hash = int(index), int(count), bytes(hashed)
        (length,) = LENGTH.unpack_from(self._map, len(MAGIC))
        self._first = len(MAGIC) + LENGTH.size + length
        whole = self._first <= self._index and self._index + self._count * ROW.size == self._end
        if self._map[: len(MAGIC)] != MAGIC or not whole:
            self._map.close()
            raise Damaged(self.place)
        self.words = self._map[self._first - length : self._first]
        """The bytes of the dictionary, which consist of parts of the blobs."""
        self._zstd: Any = zstd.load()
        self._dictionary = self._zstd.ZstdDict(self.words) if self.words else None

    def __len__(self) -> int:
        return self._count

    def close(self) -> None:
        """Close the file."""
        self._map.close()

    def is_whole(self) -> bool:
        """Return True if all bytes of the file are still the written bytes."""
        hashed = blake3()
        for at in range(0, self._end, CHUNK):
            hashed.update(self._map[at : min(at + CHUNK, self._end)])
        return hashed.digest()[:16] == self._hash

    def ids(self) -> Iterator[str]:
        """Yield the ids of its blobs, in order."""
        for at in range(self._count):
            yield self._row(at)[0].hex()

    def has(self, id: str) -> bool:
        """Return True if the blob is in this pack."""
        return self._found(id) is not None

    def get(self, id: str) -> bytes | None:
        """Return the bytes of a blob's file, not verified, or None if it is not in this pack. Raises Damaged."""
        if (row := self._found(id)) is None:
            return None
        _, offset, length = row
        if not self._first <= offset <= offset + length <= self._index:
            raise Damaged(self.place)
        frame = self._map[offset : offset + length]
        try:
            size = self._zstd.get_frame_info(frame).decompressed_size
            if size is None or size > MOST:
                raise Damaged(self.place)
            return bytes(self._zstd.decompress(frame, self._dictionary))
        except self._zstd.ZstdError:
            raise Damaged(self.place) from None

    def beginning(self, prefix: str) -> list[str]:
        """Return the ids that begin with these hex digits."""
        at, found = self._at(bytes.fromhex(prefix.ljust(32, "0"))), list[str]()
        while at < self._count and (id := self._row(at)[0].hex()).startswith(prefix):
            found.append(id)
            at += 1
        return found

    def _found(self, id: str) -> tuple[bytes, int, int] | None:
        at = self._at(key := bytes.fromhex(id))
        row = self._row(at) if at < self._count else None
        return row if row and row[0] == key else None

    def _row(self, at: int) -> tuple[bytes, int, int]:
        return ROW.unpack_from(self._map, self._index + at * ROW.size)

    def _at(self, key: bytes) -> int:
        """Return the place in the index of the first id that is not smaller."""
        low, high = 0, self._count
        while low < high:
            middle = (low + high) // 2
            if self._row(middle)[0] < key:
                low = middle + 1
            else:
                high = middle
        return low


class PackFiles:
    """The packs of one home, opened at the first use, and again when another process has changed them."""

    def __init__(self, blobs: Path) -> None:
        self.root = blobs / FOLDER
        self._seen: tuple[int, int] | None = None  # the folder's inode and time of change
        self._open: dict[str, PackFile] = {}

    def get(self, id: str) -> bytes | None:
        """Return the bytes of a blob's file, or None if no pack has it. Raises Damaged."""
        for again in (False, True):  # two changes within one tick of the clock look like one
            for pack in self.all(again=again):
                if (data := pack.get(id)) is not None:
                    return data
        return None

    def has(self, id: str) -> bool:
        """Return True if a pack has the blob."""
        return any(pack.has(id) for again in (False, True) for pack in self.all(again=again))

    def beginning(self, prefix: str) -> set[str]:
        """Return the ids in packs that begin with these hex digits."""
        return {id for pack in self.all(again=True) for id in pack.beginning(prefix)}

    def all(self, *, again: bool = False) -> list[PackFile]:
        """Return the open packs, the newest first, without damaged ones. With `again`, look for changes in any case."""
        try:
            about = os.stat(self.root)
        except (FileNotFoundError, NotADirectoryError):
            return []
        seen = about.st_ino, about.st_mtime_ns
        if again or seen != self._seen:
            there = names(self.root)
            self._open = {name: pack for name, pack in self._open.items() if name in there}
            for name in there:
                if name not in self._open:
                    with suppress(Damaged, FileNotFoundError):
                        self._open[name] = PackFile(self.root / name)
            self._seen = seen
        return [self._open[name] for name in sorted(self._open, reverse=True)]


def names(root: Path) -> list[str]:
    """Return the names of the pack files, oldest first."""
    return [name for name in disk.names(root, ".pack") if NAME.fullmatch(name)]
