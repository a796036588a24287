"""LIFE.md: an agent's append-only event log, the record from which everything else about it is derived.

One event a line, ended by LF: `<ISO time> <EVENT> <detail> <reference if any>`; times strictly increase. Owns
`agents/<self>/LIFE.md`; whoever has it open for appending holds its flock, so one hash is lived once at a time.
"""

from __future__ import annotations

import itertools
import mmap
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from dotagent import installed
from dotagent.errors import Trouble
from dotagent.store import disk
from dotagent.store import lines as ends
from dotagent.text import escape, secrets, times
from dotagent.text.reference import reference

DETAIL, GIST = 2000, 400  # characters that an event's detail and gist have at most
_WORD = len("2026-11-21T20:17:20.123456Z ")  # where an event's word begins in its line
LONGEST = 16 * 1024  # bytes: a longer line is none of ours

_LINE = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) ([A-Z]+)(?: (.*?))??(?: ◱hash=([0-9a-f]{32}) gist=([^◱◲\n]*)◲)?",
    re.ASCII,
)


class Busy(Trouble):
    """Another process lives this life."""


@dataclass(frozen=True)
class Line:
    """One event. `end` is the byte offset just behind it; `id` and `gist` are its reference's, or empty."""

    at: str
    event: str
    detail: str
    id: str
    gist: str
    end: int = field(default=0, compare=False)


def parse(raw: bytes, end: int = 0) -> Line | None:
    """Read one line without its LF; None when it is not one of ours."""
    found = _LINE.fullmatch(raw.decode("utf-8", "replace")) if len(raw) <= LONGEST else None
    return Line(found[1], found[2], found[3] or "", found[4] or "", found[5] or "", end) if found else None


def render(line: Line) -> str:
    """The line as it stands in the file, without its LF."""
    parts = [line.at, line.event, line.detail, reference(line.id, line.gist) if line.id else ""]
    return " ".join(part for part in parts if part)


class Log:
    """A life opened for appending; a torn last line is set aside by name.

    Raises Busy when it is lived already, Trouble when its last event has no time that another could follow.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.torn: Path | None = None
        self._fd = disk.open_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        if not disk.try_lock(self._fd, disk.PROBED):
            os.close(self._fd)
            who = path.parent.name[:12]
            raise Busy(f"agent {who} is running already: one process a life (see `{installed.typed('agents')}`)")
        try:
            whole = ends.end_before(self._fd, os.fstat(self._fd).st_size)
            if whole < os.fstat(self._fd).st_size:
                self.cut(whole)
            self.last = next(backwards(path), None)
        except (Trouble, OSError):
            self.close()
            raise
        try:
            times.after(self.last.at if self.last else "")
        except (ValueError, OverflowError):
            self.close()
            at = self.last.at if self.last else ""
            raise Trouble(f"{path}: its last event says {at}, and nothing can come after that: mend the line") from None
        self._dirty = False
        self._next = ""

    def append(self, event: str, detail: str = "", id: str = "", gist: str = "") -> Line:
        """Append one event; it is durable after the next sync.

        Detail and gist become one clean line each, so that what is returned is what reading the file gives.
        """
        line = Line(
            self.next(),
            event,
            escape.one_line(detail, DETAIL),
            id,
            escape.one_line(secrets.masked(gist), GIST) if id else "",
        )
        disk.append(self._fd, render(line).encode() + b"\n", self.path)
        self.last = replace(line, end=os.fstat(self._fd).st_size)
        self._next, self._dirty = "", True
        return self.last

    def next(self) -> str:
        """The time that the next event will have, for an event that must tell it."""
        self._next = self._next or times.after(self.last.at if self.last else "")
        return self._next

    def sync(self) -> None:
        """Make every event appended so far durable."""
        if self._dirty:
            disk.sync(self._fd, self.path)
            self._dirty = False

    def close(self) -> None:
        """Let go of the life; another process may take it up."""
        os.close(self._fd)

    def cut(self, begin: int) -> None:
        """Set aside, in a file of its own, what stands from this byte on."""
        size = os.fstat(self._fd).st_size
        if size - begin > disk.MOST:
            raise Trouble(f"{self.path}: its last {size - begin:,} bytes are no line: bring it back from a backup")
        self.torn = self.path.with_name(f"LIFE.torn-{times.now().replace(':', '')}")
        disk.replace(self.torn, os.pread(self._fd, size - begin, begin))
        os.ftruncate(self._fd, begin)
        self.last = next(backwards(self.path), None)


def tail(path: Path, count: int) -> list[Line]:
    """The last `count` events, oldest first, in time independent of the file's length."""
    return list(itertools.islice(backwards(path), count))[::-1]


def backwards(path: Path) -> Iterator[Line]:
    """The events from the last one back, as far as they are whole; what is not an event is passed over."""
    with disk.reading(path) as file:
        fd = file.fileno()
        stop = ends.end_before(fd, file.seek(0, os.SEEK_END))
        while stop > 0:
            raw = ends.last(fd, stop, LONGEST + 1)
            begin = ends.end_before(fd, stop - 1)
            if line := parse(raw, stop):
                yield line
            stop = begin


def begin(path: Path, line: Line) -> int:
    """The byte offset at which the line begins."""
    with disk.opened(path) as fd:
        return ends.end_before(fd, line.end - 1)


def lines(path: Path, start: int = 0) -> Iterator[Line]:
    """The events from a byte offset on, as far as they are whole; what is not an event is passed over."""
    return (line for line in read(path, start) if isinstance(line, Line))


def read(path: Path, start: int = 0) -> Iterator[Line | int]:
    """Every whole line from a byte offset on: an event, or the offset at which one begins that is none."""
    with disk.reading(path) as file:
        file.seek(start)
        for begin, end, raw in ends.whole(file, LONGEST + 1):
            line = parse(raw, end)
            yield begin if line is None else line


def picked(path: Path, start: int, events: Collection[str]) -> Iterator[tuple[int, Line | None]]:
    """Every whole line from a byte offset on, by the offset behind it; the event only where it is one of these, since
    reading the others costs much more than passing them over."""
    words = {event.encode() for event in events}
    with disk.reading(path) as file:
        file.seek(start)
        for _, end, raw in ends.whole(file, LONGEST + 1):
            yield end, parse(raw, end) if raw[_WORD:].partition(b" ")[0] in words else None


def since(path: Path, day: str) -> int:
    """The byte offset of a line before which nothing happened on this day (`2026-11-21`, UTC) or later, and not long
    before which something did: events stand in the order of their times."""
    with disk.opened(path) as fd:
        low, high = 0, ends.end_before(fd, os.fstat(fd).st_size)
        while high - low > ends.CHUNK:
            half = (low + high) // 2
            middle = ends.end_after(fd, half, high)
            if middle and os.pread(fd, len(day), middle) < day.encode():
                low = middle
            else:
                high = half
        return low


def last_offset(path: Path, event: str, before: int | None = None) -> int | None:
    """The byte offset at which the last line of this event begins, searched from the end, or from `before`, back."""
    needle = f"Z {event}".encode()
    with disk.reading(path) as file:
        if file.seek(0, os.SEEK_END) == 0:
            return None
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
            found = len(view) if before is None else before
            while (found := view.rfind(needle, 0, found)) >= 0:
                begin = view.rfind(b"\n", 0, found) + 1
                stop = view.find(b"\n", found)
                line = parse(view[begin:stop]) if stop >= 0 else None
                if line and line.event == event:
                    return begin
    return None
