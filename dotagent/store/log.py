"""LIFE.md: an agent's append-only event log. All other state of the agent is derived from it.

One event a line: `<ISO time> <EVENT> <detail> <reference if any>`. Times strictly increase. Owns
`agents/<self>/LIFE.md`. A process that appends has the file's flock, so only one process runs an agent.
"""

from __future__ import annotations

import itertools
import mmap
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dotagent import installed
from dotagent.errors import Trouble
from dotagent.store import disk
from dotagent.store import lines as ends
from dotagent.text import escape, lazy, secrets, times
from dotagent.text.lazy import dataclass, field, replace
from dotagent.text.reference import reference

DETAIL, GIST = 2000, 400  # the longest detail and gist, in characters
LONGEST = 16 * 1024  # bytes: a longer line is not an event

_HEAD = r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) ([A-Z]+)"
_REFERENCE = r"(?: ◱hash=([0-9a-f]{32}) gist=([^◱◲\n]*)◲)?"
_LINE = lazy.compile(f"{_HEAD}(?: ([^◱\n]*))?{_REFERENCE}", re.ASCII)
_STRANGE = lazy.compile(f"{_HEAD}(?: (.*?))??{_REFERENCE}", re.ASCII)  # slow: its detail may contain a reference's sign


class Busy(Trouble):
    """Raised when another process is already running this agent."""


@dataclass(frozen=True)
class Line:
    """An event. `end` is the byte offset after it; `id` and `gist` belong to its reference, or are empty."""

    at: str
    event: str
    detail: str
    id: str
    gist: str
    end: int = field(default=0, compare=False)


def parse(raw: bytes, end: int = 0) -> Line | None:
    """Parse one line, given without its newline. Return None if it is not a valid event."""
    if len(raw) > LONGEST:
        return None
    text = raw.decode("utf-8", "replace")
    found = _LINE.fullmatch(text) or _STRANGE.fullmatch(text)
    return Line(found[1], found[2], found[3] or "", found[4] or "", found[5] or "", end) if found else None


def render(line: Line) -> str:
    """Format the line as in the file, without its newline."""
    parts = [line.at, line.event, line.detail, reference(line.id, line.gist) if line.id else ""]
    return " ".join(part for part in parts if part)


class Log:
    """An agent's LIFE opened for appending. An incomplete last line is moved to a separate file.

    Raises Busy if another process has it open, and Trouble if no valid time can follow the last event's.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.torn: Path | None = None
        self._fd = _open_locked(path)
        try:
            whole = ends.end_before(self._fd, os.fstat(self._fd).st_size)
            if whole < os.fstat(self._fd).st_size:
                self.cut(whole)
            self.last = next(backwards(path), None)
        except (Trouble, OSError):
            self.close()
            raise
        try:
            times.next_stamp(self.last.at if self.last else "")
        except (ValueError, OverflowError):
            self.close()
            at = self.last.at if self.last else ""
            raise Trouble(
                f"{path}: no event can follow the last event, because its time is {at}; correct the time in this line"
            ) from None
        self._dirty = False
        self._next = ""

    def append(self, event: str, detail: str = "", id: str = "", gist: str = "") -> Line:
        """Append one event and return it. It is durable only after the next `sync`.

        `detail` and `gist` are reduced to one printable line, and secrets in `gist` are masked, so that the returned
        Line equals the Line that a reader parses.
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
        """Return the time that the next event will have, for an event that must contain it."""
        self._next = self._next or times.next_stamp(self.last.at if self.last else "")
        return self._next

    def sync(self) -> None:
        """Sync every event appended so far."""
        if self._dirty:
            disk.sync(self._fd, self.path)
            self._dirty = False

    def close(self) -> None:
        """Close the file, so that another process may run the agent."""
        os.close(self._fd)

    def cut(self, begin: int) -> None:
        """Move everything from this byte on to a separate file."""
        size = os.fstat(self._fd).st_size
        if size - begin > disk.MOST:
            raise Trouble(
                f"{self.path}: the last {size - begin:,} bytes are not an event; restore this file from a backup"
            )
        self.torn = self.path.with_name(f"LIFE.torn-{times.now().replace(':', '')}")
        disk.replace(self.torn, os.pread(self._fd, size - begin, begin))
        os.ftruncate(self._fd, begin)
        self.last = next(backwards(self.path), None)


def _open_locked(path: Path) -> int:
    """Open and lock the file. Reopens it if `forget` replaced the file before the lock was taken: nothing reads the old
    one. Raises Busy."""
    while True:
        fd = disk.open_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        if not disk.try_lock(fd, disk.PROBED):
            os.close(fd)
            who = path.parent.name[:12]
            raise Busy(
                f"agent {who} is already running; it can have only one process (see `{installed.program('agents')}`)"
            )
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(fd), os.stat(path)):
                return fd
        os.close(fd)


def tail(path: Path, count: int) -> list[Line]:
    """Return the last `count` events, oldest first, in time independent of the file's length."""
    return list(itertools.islice(backwards(path), count))[::-1]


def backwards(path: Path, until: int | None = None) -> Iterator[Line]:
    """Yield the events back from the last one, or from the last one before this offset. Lines that are not events are
    skipped."""
    with disk.reading(path) as file:
        fd, size = file.fileno(), file.seek(0, os.SEEK_END)
        stop = ends.end_before(fd, size if until is None else min(until, size))
        for end, raw in ends.backwards(fd, stop, LONGEST + 1):
            if line := parse(raw, end):
                yield line


def begin(path: Path, line: Line) -> int:
    """Return the byte offset at which the line begins."""
    with disk.open_regular(path) as fd:
        return ends.end_before(fd, line.end - 1)


def lines(path: Path, start: int = 0) -> Iterator[Line]:
    """Yield the events from a byte offset on. Lines that are not events are skipped."""
    return (line for line in read(path, start) if isinstance(line, Line))


def read(path: Path, start: int = 0) -> Iterator[Line | int]:
    """Yield every complete line from a byte offset on: an event, or the offset of a line that is not an event."""
    with disk.reading(path) as file:
        file.seek(start)
        for begin, end, raw in ends.complete_lines(file, LONGEST + 1):
            line = parse(raw, end)
            yield begin if line is None else line


def last_offset(path: Path, event: str, before: int | None = None) -> int | None:
    """Return the offset of the last line with this event, searching back from the end or from `before`, or None."""
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
