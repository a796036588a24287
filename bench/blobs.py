"""The store of blobs beside the bare file system: put and get of the same bytes, among few blobs and among many.

The bare side writes and reads files of the same bytes in the same directories, so that both see directories of one
size. They take turns in batches. Neither side is made durable but in the rows that say so.
"""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import common

from dotagent.store import blobs
from dotagent.store.blobs import Blobs
from dotagent.text import times

BATCH = 100
Work = Callable[[int], object]


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--blobs", type=int, nargs=2, default=(10_000, 300_000), help="in the store, few and many")
    parser.add_argument("--bytes", type=int, default=600, help="a blob's body")
    parser.add_argument("--count", type=int, default=3_000, help="operations measured of each kind")
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        for shard in range(256):
            (path / "blobs" / f"{shard:02x}").mkdir(parents=True)
        side = Side(path / "blobs", asked.bytes)
        rows = []
        for size in sorted(asked.blobs):
            began, there = time.perf_counter(), len(side.ids)
            side.fill(size)
            rate = max(0, size - there) / (time.perf_counter() - began)
            listed = side.listed()
            rows += _measure(side, asked.count, f"{size:,}")
            print(f"  {size:,} blobs: filled at {rate:,.0f} a second; to find one lists {listed:,} names", flush=True)
    heads = ["", "store, a second", "bare, a second", "store over bare"]
    common.table(f"Blobs of {asked.bytes} bytes", heads, rows)


def _measure(side: Side, count: int, size: str) -> list[list[str]]:
    pairs = {
        "put": (side.put, side.write),
        "get": (side.get, side.read),
        "put and sync": (side.put_durably, side.write_durably),
    }
    rows = []
    for name, (ours, bare) in pairs.items():
        batch, total = (BATCH // 10, count // 10) if "sync" in name else (BATCH, count)
        mine, theirs = _rates((ours, bare), batch, total // batch)
        rows.append([f"{name}, {size} blobs", f"{mine:,.0f}", f"{theirs:,.0f}", f"{mine / theirs:.2f}"])
    found, listed = _rates((side.find, side.list), BATCH, count // BATCH)
    rows.append([f"find by 12 digits, {size} blobs", f"{found:,.0f}", f"{listed:,.0f}", f"{found / listed:.2f}"])
    side.tidy()
    return rows


def _rates(works: Sequence[Work], batch: int, rounds: int) -> list[float]:
    """How many a second of each, by the median batch; the works take turns."""
    seconds: list[list[float]] = [[] for _ in works]
    for number in range(rounds):
        for work, found in zip(works, seconds, strict=True):
            began = time.perf_counter()
            for at in range(number * batch, (number + 1) * batch):
                work(at)
            found.append(time.perf_counter() - began)
    return [batch / statistics.median(found) for found in seconds]


class Side:
    """Both sides' operations on one directory, each by number."""

    def __init__(self, root: Path, size: int) -> None:
        self._root, self._store = root, Blobs(root)
        self._chance = random.Random(4)
        self._size = size
        self._bare: list[Path] = []
        self._picks: list[str] = []
        self.ids: list[str] = []

    def fill(self, count: int) -> None:
        """Put blobs until there are so many."""
        while len(self.ids) < count:
            self.ids.append(self._store.put(self._body(), at=times.now(), gist="a gist", durable=False))
        self._picks = self._chance.sample(self.ids, k=min(len(self.ids), 10_000))

    def put(self, number: int) -> None:
        """One blob more."""
        self.ids.append(self._store.put(self._body(), at=times.now(), gist="a gist", durable=False))

    def put_durably(self, number: int) -> None:
        """One blob more, on the disk itself."""
        self.ids.append(self._store.put(self._body(), at=times.now(), gist="a gist"))
        self._store.sync()

    def write(self, number: int) -> Path:
        """The same bytes to a bare file."""
        data = blobs.encode(self._body(), at=times.now(), gist="a gist")
        path = self._root / f"{self._chance.randrange(256):02x}" / f"bare-{len(self._bare)}"
        self._bare.append(path)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def write_durably(self, number: int) -> None:
        """The same bytes to a bare file, and its name, on the disk itself."""
        path = self.write(number)
        for name in (path, path.parent):
            fd = os.open(name, os.O_RDONLY)
            os.fsync(fd)
            os.close(fd)

    def get(self, number: int) -> None:
        """Any blob, verified."""
        self._store.get(self._picks[number % len(self._picks)])

    def read(self, number: int) -> bytes:
        """Any blob's bytes."""
        id = self._picks[number % len(self._picks)]
        with open(self._root / id[:2] / id, "rb") as file:
            return file.read()

    def find(self, number: int) -> None:
        """Any blob's id by its first 12 digits."""
        id = self._picks[number % len(self._picks)]
        if self._store.find(id[:12]) != id:
            raise common.Stuck(f"{id[:12]} was found to be another blob")

    def list(self, number: int) -> list[str]:
        """The names of any blob's shard."""
        return os.listdir(self._root / self._picks[number % len(self._picks)][:2])

    def listed(self) -> int:
        """How many names a lookup lists: counted, over some lookups."""
        seen = 0
        real = os.listdir

        def count(path: Path) -> list[str]:
            nonlocal seen
            names = real(path)
            seen += len(names)
            return names

        os.listdir = count  # type: ignore[assignment]
        try:
            for number in range(10):
                self.find(number)
        finally:
            os.listdir = real
        return seen // 10

    def tidy(self) -> None:
        """Remove the bare files."""
        for path in self._bare:
            path.unlink()
        self._bare.clear()

    def _body(self) -> bytes:
        return self._chance.randbytes(self._size)


if __name__ == "__main__":
    main()
