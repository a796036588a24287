"""The rooms: each is a regular file with a heading, and its last message is complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from dotagent import installed
from dotagent.doctor import Finding, entries, limit_findings, open_to_others, warning
from dotagent.errors import Misuse
from dotagent.store import disk, lines, room_copies
from dotagent.store import rooms as room_files
from dotagent.store.home import Home
from dotagent.text import lazy
from dotagent.text.sizes import amount, plural

_LEFT = lazy.compile(r"\..+|.+~|#.+#|4913")  # dev.md~, .dev.md.swp, .#dev.md, #dev.md#


def rooms(where: Home) -> Iterator[Finding]:
    """Check that every entry of the rooms' folder is a room that only its owner can read."""
    found = entries(where.chats)
    wrong = [finding for entry in found for finding in _room(where, entry)]
    wrong += open_to_others([Path(entry.path) for entry in found if not entry.is_symlink()], "chats")
    size = sum(entry.stat(follow_symlinks=False).st_size for entry in found)
    yield from limit_findings(wrong, "chats", lambda: f"{plural(len(found), 'room')}, {amount(size)}")


def _room(where: Home, entry: os.DirEntry[str]) -> Iterator[Finding]:
    place = f"chats/{entry.name}"
    if entry.name.endswith(room_files.WANTED):
        return
    try:
        fits = entry.name.endswith(".md") and where.room(entry.name[:-3]).name == entry.name
    except Misuse:
        fits = False
    if room := next((room for path, room in room_copies.find(where) if path.name == entry.name), ""):
        count = len(room_copies.missing_lines(Path(entry.path), where.room(room)))
        yield warning(
            f"a program that syncs files left this copy of the room {room}, with {plural(count, 'line')} that the room "
            "lacks",
            place,
            f"run `{installed.program('room')} repair {room}`, which adds them and moves the copy away",
        )
        return
    if _LEFT.fullmatch(entry.name):  # an editor's backup, swap file or lock, which no agent reads
        return
    if not fits:
        yield warning(
            "the file's name cannot be the name of a room",
            place,
            "rename the file to NAME.md (a-z, 0-9, _ and -), or move it away",
        )
        return
    if not entry.is_file(follow_symlinks=False):
        yield warning(
            "the room's file is a link, a directory or a device",
            place,
            "move it away; until then, no one can use this room",
        )
        return
    with disk.reading(Path(entry.path)) as file:
        first, size = file.readline(4096), os.fstat(file.fileno()).st_size
        torn = size - lines.end_before(file.fileno(), size)
    if not first.removeprefix(b"\xef\xbb\xbf").startswith(b"# "):
        yield warning(
            "the room has no heading, so it is private to the owner",
            place,
            "no action needed if the room must stay private; otherwise write a heading such as `# NAME group`",
        )
    if torn:
        yield warning(
            f"the last line of the room's file is incomplete: {torn:,} bytes without a newline",
            place,
            "no action needed: the next message starts a new line",
        )
