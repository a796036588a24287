"""What tests of forgetting for good share: to forget, and to look for a trace in every byte of a home."""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import zstandard

from dotagent.forgetting import finding, sweep
from dotagent.store.home import Home


def forget(where: Home, asked: str) -> list[str]:
    """Forget all that tells of it; the sentences."""
    found = [one.words for one in finding.find(where, asked)]
    sweep.announce(where, found, "ana")
    assert sweep.finish(where)
    return found


def traces(root: Path, words: str) -> list[str]:
    """The files below the root in which these words stand, whatever stands between them, also in what is packed."""
    between = rb"(?:[^\w]|_|\\n)+"
    form = re.compile(between.join(re.escape(word.encode()) for word in words.split()), re.IGNORECASE)
    return sorted({str(path.relative_to(root)) for path, data in _contents(root) if form.search(data)})


def _rows(path: Path) -> bytes:
    """What the tables of an index hold."""
    told = list[object]()
    with closing(sqlite3.connect(path)) as base:
        for (table,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            with suppress(sqlite3.OperationalError):  # a virtual table's rows stand in those behind it
                told += base.execute(f'SELECT * FROM "{table}"').fetchall()
    return repr(told).encode("utf-8", "replace")


def _contents(root: Path) -> Iterator[tuple[Path, bytes]]:
    for path in sorted(root.rglob("*")):
        if not path.is_file() or path.is_symlink():
            continue
        data = path.read_bytes()
        yield path, data
        if data.startswith(b"SQLite format 3"):
            yield path, _rows(path)
        elif data[:1] == b"x":  # git's objects
            with suppress(zlib.error):
                yield path, zlib.decompress(data)
        elif data[:4] == b"\x28\xb5\x2f\xfd":
            yield path, zstandard.ZstdDecompressor().stream_reader(data).read()
