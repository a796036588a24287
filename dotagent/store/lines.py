"""Lines of large files, found from either end with little memory: an offset behind a line is where readers stand.

Only LF ends a line. Every function reads an open file's bytes in chunks with pread(2) and keeps none of them; so a room
or a LIFE of any size, with lines of any length, costs time but no memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO

NEAR, CHUNK = 1 << 12, 1 << 16  # bytes: what is looked for is mostly near


def whole(file: BinaryIO, most: int) -> Iterator[tuple[int, int, bytes]]:
    """The lines that end in LF, from where the file stands on: where each begins, the offset behind it, and its bytes
    without its LF, of a longer one the first `most`."""
    begin = end = file.tell()
    line = b""
    while piece := file.readline(most + 1):
        end += len(piece)
        line = line or piece
        if piece.endswith(b"\n"):
            yield begin, end, line[:most].removesuffix(b"\n")
            begin, line = end, b""


def back(fd: int, stop: int, overlap: int = 0) -> Iterator[tuple[int, bytes]]:
    """The bytes before `stop` in chunks, the last one first, each with some of the one behind it: (offset, bytes)."""
    start, step = stop, NEAR
    while start > 0:
        behind, start, step = min(start + overlap, stop), max(0, start - step), max(CHUNK, overlap)
        yield start, os.pread(fd, behind - start, start)


def end_before(fd: int, stop: int) -> int:
    """The offset behind the last LF before `stop`, 0 when there is none."""
    for start, data in back(fd, stop):
        found = data.rfind(b"\n")
        if found >= 0:
            return start + found + 1
    return 0


def end_after(fd: int, start: int, stop: int) -> int:
    """The offset behind the first LF from `start` on, 0 when there is none before `stop`."""
    step = NEAR
    while start < stop:
        data = os.pread(fd, min(step, stop - start), start)
        found = data.find(b"\n")
        if found >= 0:
            return start + found + 1
        start, step = start + (len(data) or stop), CHUNK  # a file that was cut meanwhile ends here
    return 0


def last(fd: int, end: int, most: int) -> bytes:
    """The line that ends at the offset `end`, without its LF; of a longer one its last `most` bytes."""
    found = b""
    for start, data in back(fd, end - 1):
        at = data.rfind(b"\n")
        found = data[at + 1 :] + found
        if at >= 0 or end - 1 - start >= most:
            break
    return found[-most:]


def text_end(fd: int, stop: int) -> int:
    """The offset behind the last line before `stop` that is not blank, 0 when there is none; `stop` ends a line."""
    for start, data in back(fd, stop):
        kept = len(data.rstrip())
        if kept:
            return end_after(fd, start + kept, stop)
    return 0
