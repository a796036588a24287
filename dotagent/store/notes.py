"""The daily notes of a life, `memory/<day>.md` in its directory: Markdown that a person reads and edits, to which lines
are appended, each under the heading of its section.

Whoever appends holds the file's `flock` meanwhile, so that of many writers no line is lost or torn; one that is there
is not written twice, since a death may have come between it and what was done next. Owns `memory/<day>.md`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dotagent.store import disk

FOLDER = "memory"
DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_SECTION = re.compile(rb"^## +(.*?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Appended:
    """How long a note was and is, in bytes; `new` is whether the line was not there before."""

    before: int
    after: int
    new: bool


def path(directory: Path, day: str) -> Path:
    """The note of a day."""
    return directory / FOLDER / f"{day}.md"


def read(directory: Path, day: str) -> bytes:
    """What the note says; nothing where there is none. Raises OSError."""
    return disk.read(path(directory, day), missing=b"")


def append(directory: Path, day: str, section: str, line: str) -> Appended:
    """Append a line (one, without its end) under the section, durably, unless it is there. Raises OSError."""
    where = path(directory, day)
    disk.make_dir(where.parent)
    with _held(where) as fd:
        data = disk.read(where)
        new, held = f"{line}\n".encode("utf-8", "replace"), b"\n" + data
        if b"\n" + new in held:
            return Appended(len(data), len(data), False)
        heads = _SECTION.findall(data)
        if not heads or heads[-1] != section.encode():
            title = b"" if data else f"# {day}\n".encode()
            new = title + f"\n## {section}\n".encode() + new
        disk.append_line(fd, new, where)
        disk.sync(fd, where)
        if not data:
            disk.sync_dir(where.parent)
        return Appended(len(data), os.fstat(fd).st_size, True)


@contextmanager
def _held(where: Path) -> Iterator[int]:
    """The note, open to be appended to and locked; the one that has the name once the lock is had, for an editor may
    have put another in its place meanwhile."""
    while True:
        fd = disk.open_file(where, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            with disk.locked(fd):
                if os.path.lexists(where) and os.path.samestat(os.fstat(fd), os.lstat(where)):
                    yield fd
                    return
        finally:
            os.close(fd)
