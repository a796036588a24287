"""Write pack files: move old blobs into them, remove forgotten ones, and give blobs their own files again.

A pack is written aside, synced and read back before it gets its name, and only then the blobs' own files go. So a crash
leaves a blob twice, never not at all. Every function needs the lock of `blobs/`. Owns nothing more than pack_files.
"""

from __future__ import annotations

import itertools
import os
import re
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from blake3 import blake3

from dotagent.store import disk, zstd
from dotagent.store.pack_files import CHUNK, END, FOLDER, LENGTH, MAGIC, MOST, ROW, Damaged, PackFile, PackFiles, names
from dotagent.text.lazy import dataclass
from dotagent.text.reference import ID

SHARD = re.compile(r"[0-9a-f]{2}")
ASIDE = re.compile(r"\.new-\d+-\d+", re.ASCII)
SIZE = 1 << 28  # bytes of blobs, before compression, after which the next pack begins
SMALL = 1 << 26  # bytes: a smaller newest pack is merged into the next one
LEVEL = 9  # zstd compression level
SAMPLES, SAMPLE = 4000, 1 << 14  # blobs for a dictionary at most, and bytes of each
FEW = 100  # blobs: fewer get no dictionary
DICTIONARY, SHARE = 112_640, 20  # bytes of a dictionary at most, also at most this part of the blobs


@dataclass(frozen=True)
class Packed:
    """The result of packing: the blobs moved, their bytes, and the bytes of the packs written."""

    blobs: int = 0
    size: int = 0
    packed: int = 0


def loose(blobs: Path, before: float) -> list[tuple[str, int]]:
    """Return the id and size in bytes of each blob whose file was last written before this time (seconds since 1970).
    Raises OSError."""
    found = list[tuple[str, int]]()
    for shard in disk.names(blobs):
        for id in disk.names(blobs / shard) if SHARD.fullmatch(shard) else ():
            about = os.lstat(blobs / shard / id)
            if ID.fullmatch(id) and stat.S_ISREG(about.st_mode) and about.st_mtime < before:
                found.append((id, about.st_size))
    return found


def write(blobs: Path, cold: Sequence[tuple[str, int]]) -> Packed:
    """Move these blobs into packs. A file whose content does not match its id, such as a tombstone, stays in its place.
    Raises OSError.
    """
    root = blobs / FOLDER
    disk.make_dir(root)
    _tidy(root)
    there = PackFiles(blobs).all()
    todo = [(id, size) for id, size in cold if not any(pack.has(id) for pack in there)]
    merged = there[0] if there and todo and there[0].size < SMALL and there[0].is_whole() else None
    more = [(id, 0) for id in (merged.ids() if merged else ())]  # without sizes: a small pack is merged as a whole

    def read(id: str) -> bytes | None:
        data = _read(blobs, id)
        return data if merged is None or (data and _is(id, data)) else merged.get(id)

    made = sum([_pack(root, part, read) for part in _parts([*more, *todo])])
    if merged:
        disk.remove(merged.path)
        disk.sync_dir(root)
    safe, moved, size = PackFiles(blobs).all(), 0, 0
    for id, length in cold:
        data = next((found for pack in safe if (found := pack.get(id)) is not None), b"")
        if _is(id, data) and _read(blobs, id) == data:
            disk.remove(blobs / id[:2] / id)
            moved, size = moved + 1, size + length
    return Packed(moved, size, made)


def drop(blobs: Path, ids: Collection[str]) -> int:
    """Rewrite the packs that contain one of these blobs, without them.
    Return the number of packs rewritten. Raises Damaged and OSError."""
    root, gone = blobs / FOLDER, set(ids)
    there = PackFiles(blobs).all()
    stale = [pack for pack in there if any(map(pack.has, gone))]
    kept = [pack for pack in there if pack not in stale]
    for pack in stale:
        left = [id for id in pack.ids() if id not in gone and not any(other.has(id) for other in kept)]
        if left:  # with a new dictionary, because the former one may contain parts of what must go
            _pack(root, left, pack.get)
            kept.append(PackFiles(blobs).all()[0])
        disk.remove(pack.path)
        disk.sync_dir(root)
    return len(stale)


def remove_blobs(blobs: Path, data: bytes, gone: Callable[[str], bool]) -> bytes:
    """Return the bytes of a pack file, for example of an earlier version in a backup, without these blobs. Bytes that
    are not a complete pack are returned as b"". Raises OSError."""
    disk.make_dir(root := blobs / FOLDER)
    before, after = _aside(root), _aside(root)
    try:
        with disk.open_regular(before, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as fd:
            disk.append(fd, data, before)
        pack = PackFile(before)
        left = [id for id in pack.ids() if not gone(id)]
        if len(left) == len(pack):
            return data
        _build(after, left, pack.get)
        return disk.read(after, 1 << 40)
    except Damaged:
        return b""
    finally:
        disk.remove(before)
        disk.remove(after)


def undo(blobs: Path) -> int:
    """Give each packed blob its own file again, and remove the packs. Return
    the number of blobs. Raises Damaged and OSError."""
    count = 0
    for pack in reversed(PackFiles(blobs).all()):
        written = list[Path]()
        for id in pack.ids():
            path, data = blobs / id[:2] / id, pack.get(id)
            if not path.exists() and data is not None:  # else its file is newer, or a tombstone
                disk.make_dir(path.parent)
                disk.move(disk.write_aside(blobs, data, durable=True), path)
                written.append(path)
        for shard in {path.parent for path in written}:
            disk.sync_dir(shard)
        disk.remove(pack.path)
        count += len(written)
    if (blobs / FOLDER).is_dir():
        _tidy(blobs / FOLDER)
        disk.sync_dir(blobs / FOLDER)
    return count


def _parts(sources: Sequence[tuple[str, int]]) -> Iterator[list[str]]:
    """Yield the ids in parts of about SIZE bytes."""
    part, size = list[str](), 0
    for id, length in sources:
        part.append(id)
        size += length
        if size >= SIZE:
            yield part
            part, size = [], 0
    if part:
        yield part


def _pack(root: Path, ids: Sequence[str], read: Callable[[str], bytes | None]) -> int:
    """Write one pack durably, check it, and give it the next name. Return its size, or 0 if no blob could be read."""
    aside = _aside(root)
    try:
        count, size = _build(aside, ids, read)
        if count:
            _check(aside, count)
            last = int((names(root) or ["000000.pack"])[-1][:6])
            disk.move(aside, root / f"{last + 1:06}.pack")
            disk.sync_dir(root)
        return size if count else 0
    finally:
        disk.remove(aside)


def _aside(root: Path) -> Path:
    return root / f".new-{os.getpid()}-{next(_asides)}"


def _build(path: Path, ids: Sequence[str], read: Callable[[str], bytes | None]) -> tuple[int, int]:
    """Write a pack of the blobs that can be read to a new file, and sync it. Return their number, and its size."""
    module: Any = zstd.load()
    dictionary = _dictionary(module, ids, read)
    options = {"level": LEVEL, "zstd_dict": dictionary.as_digested_dict} if dictionary else {"level": LEVEL}
    compressor, rows = module.ZstdCompressor(**options), list[bytes]()
    with disk.open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as fd:
        out = _Out(fd, path)
        words = dictionary.dict_content if dictionary else b""
        out.add(MAGIC + LENGTH.pack(len(words)) + words)
        for id in sorted(set(ids)):
            data = read(id)
            if data is not None and _is(id, data):
                frame = compressor.compress(data, compressor.FLUSH_FRAME)
                rows.append(ROW.pack(bytes.fromhex(id), out.size, len(frame)))
                out.add(frame)
        index = out.size
        for row in rows:
            out.add(row)
        out.end(END.pack(index, len(rows), out.hashed()))
        disk.sync(fd, path)
    return len(rows), out.size


class _Out:
    """A file that is written in large pieces, and hashed."""

    def __init__(self, fd: int, path: Path) -> None:
        self._fd, self._path, self._piece, self._hash = fd, path, bytearray(), blake3()
        self.size = 0

    def add(self, data: bytes) -> None:
        self._piece += data
        self.size += len(data)
        if len(self._piece) >= CHUNK:
            self._write()

    def hashed(self) -> bytes:
        """Return a hash of everything so far."""
        self._write()
        return self._hash.digest()[:16]

    def end(self, data: bytes) -> None:
        """Write the last bytes, which are not hashed."""
        disk.append(self._fd, data, self._path)
        self.size += len(data)

    def _write(self) -> None:
        self._hash.update(bytes(self._piece))
        disk.append(self._fd, bytes(self._piece), self._path)
        self._piece.clear()


def _dictionary(module: Any, ids: Sequence[str], read: Callable[[str], bytes | None]) -> Any:
    """Return a dictionary for these blobs, or None if they are too few or too different."""
    step = max(1, len(ids) // SAMPLES)
    samples = [data[:SAMPLE] for id in itertools.islice(ids, 0, None, step) if (data := read(id)) and _is(id, data)]
    size = min(DICTIONARY, sum(map(len, samples)) * step // SHARE)
    try:
        return module.train_dict(samples, size) if len(samples) >= FEW else None
    except module.ZstdError:
        return None


def _check(aside: Path, count: int) -> None:
    """Read a pack back. Raises Damaged if a blob does not have the content that its id promises."""
    pack = PackFile(aside)
    right = sum(_is(id, pack.get(id) or b"") for id in pack.ids())
    whole = pack.is_whole()
    pack.close()
    if right != count or not whole:
        raise Damaged(pack.place)


def _is(id: str, data: bytes) -> bool:
    return str(blake3(data).hexdigest())[:32] == id


def _read(blobs: Path, id: str) -> bytes | None:
    """Return the bytes of a blob's own file, or None without a readable file."""
    try:
        return disk.read(blobs / id[:2] / id, MOST)
    except OSError:
        return None


def _tidy(root: Path) -> None:
    """Remove what crashed processes have left."""
    for name in disk.names(root):
        if ASIDE.fullmatch(name):
            disk.remove(root / name)


_asides = itertools.count(1)
