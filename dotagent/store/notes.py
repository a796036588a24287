"""An agent's daily notes, `memory/<day>.md`: Markdown that people edit and agents append to, in sections.

A writer locks the file, so no line of several writers is lost or torn. A line that exists is not written again, because
a crash may follow the first write. Owns `memory/<day>.md`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from dotagent.store import disk, reserved_names
from dotagent.text import encoding, lazy
from dotagent.text.encoding import NotText
from dotagent.text.lazy import dataclass

FOLDER = reserved_names.MEMORY
DAY = lazy.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_SECTION = lazy.compile(rb"^## +(.*?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Appended:
    """A note's length in bytes before and after; `new` is False if the line existed."""

    before: int
    after: int
    new: bool


def path(directory: Path, day: str) -> Path:
    """Return the path of a day's note."""
    return directory / FOLDER / f"{day}.md"


def read(directory: Path, day: str) -> bytes:
    """Return the note's content, empty if there is no note. Raises OSError."""
    return disk.read(path(directory, day), missing=b"")


def append(directory: Path, day: str, section: str, line: str) -> Appended:
    """Append one line, given without its newline, to the section, durably, unless it exists. Raises OSError."""
    where = path(directory, day)
    disk.make_dir(where.parent)
    with _lock_note(where) as fd:
        data = disk.read(where)
        new, held = f"{_encode_line(line, data)}\n".encode(), encoding.to_utf8(data)
        if b"\n" + new in b"\n" + held:
            return Appended(len(data), len(data), False)
        heads = _SECTION.findall(held)
        if not heads or heads[-1] != section.encode():
            title = b"" if data else f"# {day}\n".encode()
            new = title + f"\n## {section}\n".encode() + new
        _add(fd, data, new, where)
        disk.sync(fd, where)
        if not data:
            disk.sync_dir(where.parent)
        return Appended(len(data), os.fstat(fd).st_size, True)


def keep(directory: Path, name: str, lines: Sequence[str]) -> None:
    """Append the lines that the note lacks, durably. Raises OSError."""
    where = path(directory, name)
    disk.make_dir(where.parent)
    with _lock_note(where) as fd:
        data = disk.read(where)
        known = encoding.to_utf8(data).split(b"\n")
        new = [raw for raw in (_encode_line(line, data).encode() for line in lines) if raw not in known]
        if new:
            _add(fd, data, b"".join(raw + b"\n" for raw in new), where)
        disk.sync(fd, where)
        disk.sync_dir(where.parent)


def _encode_line(line: str, data: bytes) -> str:
    """Return the line in the encoding of the note; characters that it lacks become numeric references."""
    codec = "utf-8"
    with suppress(NotText):
        codec = encoding.decode(data)[1].codec
    told = line.encode("utf-8", "replace").decode()
    return told.encode(codec, "xmlcharrefreplace").decode(codec)


def _add(fd: int, data: bytes, new: bytes, where: Path) -> None:
    """Append complete lines to a note in its own encoding and line ends. Raises OSError."""
    try:
        text, form = encoding.decode(data)
    except NotText:  # the encoding is unknown, so its bytes stay
        disk.append_line(fd, new, where)
        return
    torn = form.end if text and not text.endswith(("\n", "\r")) else ""
    disk.append(fd, (torn + form.ended(new.decode())).encode(form.codec), where)


@contextmanager
def _lock_note(where: Path) -> Iterator[int]:
    """Open and lock the note. Reopens it if an editor replaced the file before the lock was taken."""
    while True:
        fd = disk.open_file(where, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        try:
            with disk.locked(fd):
                if os.path.lexists(where) and os.path.samestat(os.fstat(fd), os.lstat(where)):
                    yield fd
                    return
        finally:
            os.close(fd)
