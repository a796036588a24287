"""Find events in a LIFE.md without parsing every line: by their words, a day, an offset, or a number of lines.

An agent reads its own LIFE once, from its last swap. Commands, checks and searches use this module, because they read a
LIFE often, or far back. Owns nothing on disk.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from dotagent.store import disk
from dotagent.store import lines as ends
from dotagent.store.log import LONGEST, Line, parse

_WORD = len("2026-11-21T20:17:20.123456Z ")  # offset of the event's word in a line
BLOCK = 1 << 20  # bytes searched at once


def line_offsets(path: Path, lines: Iterable[Line]) -> list[int]:
    """Return the byte offsets at which these lines begin."""
    with disk.open_regular(path) as fd:
        return [ends.end_before(fd, line.end - 1) for line in lines]


def picked(path: Path, events: Collection[str], start: int = 0, stop: int | None = None) -> Iterator[Line]:
    """Yield the events with these words between two byte offsets, or up to the last complete line. A line must begin at
    `start`."""
    return (line for _, raw, end in find_lines(path, events, start, stop) if (line := parse(raw, end)))


def find_lines(
    path: Path, events: Collection[str], start: int = 0, stop: int | None = None
) -> Iterator[tuple[str, bytes, int]]:
    """Yield the lines that `picked` would parse: the word of each, its bytes without LF, and the offset after it.

    It searches the bytes for the words, which costs a small part of parsing every line, and less for rare words.
    """
    marks = [f"Z {event}".encode() for event in events]
    words = b"|".join(event.encode() for event in events)
    wanted = re.compile(rb"\n([^\n]{%d}Z (%s)(?![A-Z])[^\n]*)" % (_WORD - 2, words))
    with disk.open_regular(path) as fd:
        stop = os.fstat(fd).st_size if stop is None else stop
        while start < stop and (data := os.pread(fd, min(BLOCK, stop - start), start)):
            last = data.rfind(b"\n")
            for begin, after in _find_candidates(data, last, marks):
                for one in wanted.finditer(b"\n" + data[begin:after]):
                    yield one[2].decode(), one[1], start + begin + one.end()
            start = start + last + 1 if last >= 0 else ends.end_after(fd, start + len(data), stop) or stop


def _find_candidates(data: bytes, last: int, marks: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Yield the begin and end of each line up to `last` that contains the mark. With several marks, these are all lines
    together, unless none contains one."""
    if len(marks) != 1:
        if any(mark in data for mark in marks):
            yield 0, max(0, last)
        return
    (mark,) = marks
    at = data.find(mark, 0, max(0, last))
    while at >= 0:
        after = data.find(b"\n", at, last)
        after = after if after >= 0 else last
        yield data.rfind(b"\n", 0, at) + 1, after
        at = data.find(mark, after, last)


def end(path: Path) -> int:
    """Return the byte offset after the last complete line."""
    with disk.open_regular(path) as fd:
        return ends.end_before(fd, os.fstat(fd).st_size)


def lately(path: Path, count: int) -> int:
    """Return the byte offset at which the last `count` lines begin."""
    with disk.open_regular(path) as fd:
        return ends.count_before(fd, ends.end_before(fd, os.fstat(fd).st_size), count)


def has_event_at(path: Path, end: int, at: str) -> bool:
    """Return True if an event with this time ends at this offset, so that earlier parsing is still valid."""
    with disk.open_regular(path) as fd:
        if not 0 < end <= os.fstat(fd).st_size or os.pread(fd, 1, end - 1) != b"\n":
            return False
        line = parse(ends.last(fd, end, LONGEST + 1))
        return line is not None and line.at == at


def offset_of_day(path: Path, day: str) -> int:
    """Return the offset of a line shortly before the first event of this day (`2026-11-21`, UTC) or later. It searches
    by bisection, because times increase."""
    with disk.open_regular(path) as fd:
        low, high = 0, ends.end_before(fd, os.fstat(fd).st_size)
        while high - low > ends.CHUNK:
            half = (low + high) // 2
            middle = ends.end_after(fd, half, high)
            if middle and os.pread(fd, len(day), middle) < day.encode():
                low = middle
            else:
                high = half
        return low
