"""Find lines in large files from either end. Readers remember the offset after a line.

Only LF ends a line. Every function reads chunks with pread(2) and keeps none, so large rooms or logs cost time but no
memory. Owns nothing on disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO

NEAR, CHUNK = 1 << 12, 1 << 16  # bytes: most searches end within NEAR


def complete_lines(file: BinaryIO, most: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield each complete line from the file's position on: its offset, the offset after it, and its bytes without LF.

    A longer line is cut to its first `most` bytes.
    """
    begin = end = file.tell()
    line = b""
    while piece := file.readline(most + 1):
        end += len(piece)
        line = line or piece
        if piece.endswith(b"\n"):
            yield begin, end, line[:most].removesuffix(b"\n")
            begin, line = end, b""


def back(fd: int, stop: int, overlap: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, bytes) of chunks before `stop`, last first, each with `overlap` bytes of the next one."""
    start, step = stop, NEAR
    while start > 0:
        behind, start, step = min(start + overlap, stop), max(0, start - step), max(CHUNK, overlap)
        yield start, os.pread(fd, behind - start, start)


def backwards(fd: int, stop: int, most: int) -> Iterator[tuple[int, bytes]]:
    """Yield the lines before `stop`, last first: the offset after each, and its bytes without LF, at most the last
    `most`. A line must end at `stop`."""
    end, rest, cut = stop, b"", 0  # the unfinished line, and the number of its bytes already dropped
    for _, data in back(fd, stop - 1):
        first, *lines = (data + rest).split(b"\n")
        for line in reversed(lines):
            yield end, line[-most:]
            end, cut = end - len(line) - cut - 1, 0
        rest = first[-most:]
        cut += len(first) - len(rest)
    if stop > 0:
        yield end, rest


def count_before(fd: int, stop: int, count: int) -> int:
    """Return the offset at which the last `count` lines before `stop` begin. A line must end at `stop`."""
    for start, data in back(fd, stop):
        found = data.count(b"\n")
        if found > count:
            at = len(data)
            for _ in range(count + 1):
                at = data.rindex(b"\n", 0, at)
            return start + at + 1
        count -= found
    return 0


def end_before(fd: int, stop: int) -> int:
    """Return the offset after the last LF before `stop`, or 0."""
    for start, data in back(fd, stop):
        found = data.rfind(b"\n")
        if found >= 0:
            return start + found + 1
    return 0


def end_after(fd: int, start: int, stop: int) -> int:
    """Return the offset after the first LF from `start` on, or 0 if there is none before `stop`."""
    step = NEAR
    while start < stop:
        data = os.pread(fd, min(step, stop - start), start)
        found = data.find(b"\n")
        if found >= 0:
            return start + found + 1
        start, step = start + (len(data) or stop), CHUNK  # the file was truncated meanwhile
    return 0


def last(fd: int, end: int, most: int) -> bytes:
    """Return the line that ends at offset `end`, without LF, at most its last `most` bytes."""
    found = b""
    for start, data in back(fd, end - 1):
        at = data.rfind(b"\n")
        found = data[at + 1 :] + found
        if at >= 0 or end - 1 - start >= most:
            break
    return found[-most:]


def text_end(fd: int, stop: int) -> int:
    """Return the offset after the last nonblank line before `stop`, or 0. A line must end at `stop`."""
    for start, data in back(fd, stop):
        kept = len(data.rstrip())
        if kept:
            return end_after(fd, start + kept, stop)
    return 0
