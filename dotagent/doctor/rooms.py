"""The rooms: each is a plain file with a heading, and its last message is whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from dotagent.doctor import Finding, entries, open_to_others, told, warning
from dotagent.errors import Misuse
from dotagent.store import disk, lines
from dotagent.store import rooms as room_files
from dotagent.store.home import Home
from dotagent.text.sizes import amount, plural


def rooms(where: Home) -> Iterator[Finding]:
    """Every file among the rooms is one, and only its owner reads it."""
    found = entries(where.chats)
    wrong = [finding for entry in found for finding in _room(where, entry)]
    wrong += open_to_others([Path(entry.path) for entry in found], "chats")
    size = sum(entry.stat(follow_symlinks=False).st_size for entry in found)
    yield from told(wrong, "chats", lambda: f"{plural(len(found), 'room')}, {amount(size)}")


def _room(where: Home, entry: os.DirEntry[str]) -> Iterator[Finding]:
    place = f"chats/{entry.name}"
    if entry.name.endswith(room_files.WANTED):
        return
    try:
        fits = entry.name.endswith(".md") and where.room(entry.name[:-3]).name == entry.name
    except Misuse:
        fits = False
    if not fits:
        yield warning("is no room", place, "a room is NAME.md, NAME of a-z, 0-9, _ and -; rename it or move it away")
        return
    if not entry.is_file(follow_symlinks=False):
        yield warning("is no file", place, "move it away: nobody can talk there")
        return
    with disk.reading(Path(entry.path)) as file:
        first, size = file.readline(4096), os.fstat(file.fileno()).st_size
        torn = size - lines.end_before(file.fileno(), size)
    if not first.removeprefix(b"\xef\xbb\xbf").startswith(b"# "):
        yield warning("has no heading, so it is private to the owner", place, "write `# NAME private` above it")
    if torn:
        yield warning(f"ends in {torn:,} bytes without a line end", place, "the next message goes on a line of its own")
