"""Copies of rooms and other files: a program that syncs a home leaves one if both sides have changed a file. Owns
nothing on disk."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from dotagent.store import disk
from dotagent.store.home import Home
from dotagent.text import lazy, names

MOST = 1 << 26  # bytes of a copy that is compared
_COPY = lazy.compile(
    rf"({names.FILE})(?:[ .(].*\.md|(?:\.md)?\.\.path[12]"  # Syncthing, unison, most clouds; rclone
    rf"|{names.CONFLICT}\.md|_[^_]+_[A-Z][a-z]\S*_Conflict\.md"  # ownCloud; Synology
    r"|-(?=[A-Z0-9-]*[A-Z])[A-Z0-9-]+\.md)"  # OneDrive, with the name of the machine
)

_CONFLICT = lazy.compile(r"(.+?)[ .(][^/]*conflict", re.IGNORECASE)  # Syncthing, unison, clouds


def find(where: Home) -> list[tuple[Path, str]]:
    """Return the copies in chats/, each with the name of its room, also if that room is missing."""
    named = ((name, _COPY.fullmatch(name)) for name in disk.names(where.chats))
    found = [(where.chats / name, match[1]) for name, match in named if match]
    return [(path, room) for path, room in found if disk.is_file(path)]


def without(paths: Collection[Path]) -> Iterator[Path]:
    """Yield the paths, but no copy whose file is among them, because both would count."""
    there = {path.name for path in paths}
    for path in paths:
        copy = _CONFLICT.match(path.stem)
        if not (copy and f"{copy[1]}{path.suffix}" in there):
            yield path


def missing_lines(copy: Path, room: Path) -> list[bytes]:
    """Return the lines of a copy that its room lacks. Raises OSError."""
    there = {line.rstrip() for line in disk.read(room, MOST, missing=b"").split(b"\n")}
    return [line for line in disk.read(copy, MOST).split(b"\n") if line.rstrip() not in there and line.strip()]
