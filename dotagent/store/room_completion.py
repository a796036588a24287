"""Change a room in other ways than an append: complete a message whose writer may have crashed, end a line that a
person wrote with an editor, or replace the room's content. rooms.py describes the files in `chats/`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from dotagent.store import disk, lines
from dotagent.store.rooms import LARGEST, open_locked


def complete(path: Path, message: bytes, since: int | None = None) -> None:
    """Append a message whose writer may have crashed: the whole, only its rest if it is incomplete, or nothing if it
    exists.

    By default it exists if its tag does. With `since`, the room's size before it was written, it exists if it is found
    after that offset. This also works for several messages whose tags are not unique.
    """
    with open_locked(path) as fd:
        size = os.fstat(fd).st_size
        start = max(0, size - len(message) - 1) if since is None else since
        tail = b"\n" + os.pread(fd, max(0, size - start), start)
        pieces = (tail[found.end() :] for found in re.finditer(rb"\n", tail))
        torn = next((piece for piece in pieces if piece and message.startswith(piece)), b"")
        there = b"\n" + message in tail
        if torn and not there:
            disk.append(fd, message[len(torn) :], path)
        elif not there and not (since is None and contains_tag(path, message.partition(b"] ")[0] + b"]")):
            disk.append_line(fd, message, path)
        disk.sync(fd, path)


def contains_tag(path: Path, tag: bytes) -> bool:
    """Return True if this tag or message is at the beginning of a line."""
    with disk.reading(path) as file:
        for start, data in lines.back(file.fileno(), file.seek(0, os.SEEK_END), len(tag)):
            if b"\n" + tag in data or (start == 0 and data.startswith(tag)):
                return True
    return False


def rewrite(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Replace the content of a room under its lock. Raises Held."""
    with open_locked(path):
        before = disk.read(path, LARGEST)
        if (after := change(before)) != before:
            disk.replace(path, after, keep=True)


def finish(path: Path) -> None:
    """End the last line. Raises Held."""
    with open_locked(path) as fd:
        disk.append_line(fd, b"", path)
        disk.sync(fd, path)
