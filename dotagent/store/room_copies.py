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
_COPY = lazy.compile(  # ownCloud; most programs; rclone, git
    rf"({names.FILE}?)(?:{names.CONFLICT}\.md|([_-]?[^a-z0-9_-].*\.md|\.md(?:\.\.path[12]|\.conflict\d+|~[\w-]+)))"
)
_CONFLICT = lazy.compile(  # ownCloud; Synology; Syncthing, unison, clouds
    rf"(.+?)(?:{names.CONFLICT}\Z|_[^_]+_[^_]*_(?:case)?conflict\Z|[ .(][^/]*conflict)", re.IGNORECASE
)


def find(where: Home) -> list[tuple[Path, str]]:
    """Return the copies in chats/, each with the name of its room, also if that room is missing. A copy has the name of
    a room and more, so that the name is no room's."""
    named = [match for name in disk.names(where.chats) if (match := _COPY.fullmatch(name))]
    rooms = sorted((path.stem for path in where.rooms()), key=len, reverse=True) if named else []
    found = list[tuple[Path, str]]()
    for match in named:
        known = (one for one in rooms if match[2] and re.match(rf"{one}[^a-z0-9]", match[0]))
        found.append((where.chats / match[0], next(known, match[1])))
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
