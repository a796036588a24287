"""Rooms: chat as append-only files, one message after another, that people may write with any editor.

Owns `chats/`. An append takes the file's flock and is one write; a reader takes what ends in LF. Further lines of a
message are indented by two spaces, so no text can forge a tag. A position is an offset and the hash of the line
before it, so that a reader finds its place again when an editor has saved the room anew.
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from blake3 import blake3

from dotagent import disk

MOST = 1 << 20  # bytes of messages that one read returns, or one message that is larger
CHUNK = 1 << 16

_TAG = re.compile(rb"\[(USER|AGENT):([^\s\[\]:]{1,100}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z)\](?: |$)")
NAME = re.compile(r"[^\s\[\]:]{1,100}")


@dataclass(frozen=True)
class Message:
    """One message: `raw` is its bytes in the room, `end` the offset behind it; an untagged one has no kind or name."""

    kind: str
    name: str
    at: str
    raw: bytes
    end: int


@dataclass(frozen=True)
class Position:
    """How far a room was heard: a byte offset and the mark of the line that ends there ("" at the very start)."""

    offset: int = 0
    mark: str = ""


def create(path: Path, audience: str) -> bool:
    """Make the room with its heading, durably; False when it is there already."""
    if path.exists():
        return False
    aside = disk.write_aside(path.parent, f"# {path.stem} {audience}\n".encode(), durable=True)
    try:
        os.link(aside, path)
    except FileExistsError:
        return False
    finally:
        os.unlink(aside)
    disk.sync_dir(path.parent)
    return True


def audience(path: Path, owner: str) -> str:
    """Who hears the room: `private <person>` or `group`, by its heading; none means private to the owner."""
    with open(path, "rb") as file:
        first = file.readline(4096).decode("utf-8", "replace").rstrip()
    words = first.split()
    if len(words) < 2 or words[0] != "#":
        return f"private {owner}"
    if len(words) < 3:
        return f"private {owner}"
    if words[2] != "private":
        return "group"
    return f"private {words[3] if len(words) > 3 else owner}"


def line_of(kind: str, name: str, at: str, text: str) -> bytes:
    """A message as it stands in a room: tagged, its further lines indented, ended by LF."""
    body = text.replace("\r\n", "\n").replace("\n", "\n  ")
    return f"[{kind}:{name} {at}] {body}\n".encode("utf-8", "replace")


def append(path: Path, message: bytes) -> None:
    """Append a message (see line_of) durably, after whatever is there, also a torn line."""
    with _held(path) as fd:
        size = os.fstat(fd).st_size
        torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
        disk.append(fd, b"\n" + message if torn else message, path)
        disk.sync(fd, path)


def complete(path: Path, message: bytes) -> None:
    """Append a message whose writer may have died over it: nothing if it is there, only its rest if it is torn."""
    with _held(path) as fd:
        size = os.fstat(fd).st_size
        tail = os.pread(fd, len(message), max(0, size - len(message)))
        starts = [found.end() for found in re.finditer(rb"\n" if size > len(message) else rb"\A|\n", tail)]
        rests = [message[len(tail) - start :] for start in starts if tail[start:] and message.startswith(tail[start:])]
        if rests:
            disk.append(fd, rests[0], path)
        elif not holds(path, message.partition(b"] ")[0] + b"]"):
            disk.append(fd, message if tail.endswith(b"\n") else b"\n" + message, path)
        disk.sync(fd, path)


@contextmanager
def _held(path: Path) -> Iterator[int]:
    """The room open for appending under its lock, once its name still means the file that was locked."""
    while True:
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
        try:
            with disk.locked(fd):
                there = os.fstat(fd)
                if path.exists() and os.path.samestat(there, os.stat(path)):
                    yield fd
                    return
        finally:
            os.close(fd)


def size(path: Path) -> int:
    """The room's size in bytes."""
    return path.stat().st_size


def holds(path: Path, tag: bytes) -> bool:
    """Whether a message with exactly this tag stands at the beginning of a line."""
    with open(path, "rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
            return view.rfind(b"\n" + tag) >= 0 or view[: len(tag)] == tag


def mark(line: bytes) -> str:
    """The mark of a line (without its LF): the first 12 hex digits of its BLAKE3."""
    return str(blake3(line).hexdigest())[:12]


def end(path: Path) -> Position:
    """The position behind the last whole line."""
    with open(path, "rb") as file:
        stop = _whole_end(file.fileno(), file.seek(0, os.SEEK_END))
        return Position(stop, mark(_line_before(file.fileno(), stop)) if stop else "")


def read(path: Path, position: Position, earlier: Iterable[str] = ()) -> tuple[list[Message], Position] | None:
    """The whole messages after a position, about 1 MiB at once, and the position behind them.

    When the position has moved, reading goes on after its line, or after the latest of the `earlier` marks that is
    still there. None when none of them is: the room was written anew.
    """
    with open(path, "rb") as file:
        fd = file.fileno()
        if os.fstat(fd).st_size > position.offset:
            with disk.locked(fd, shared=True):  # who appends holds it: no message is seen half written
                stop = os.fstat(fd).st_size
        else:
            stop = os.fstat(fd).st_size
        if not _stands(fd, position, stop):
            moved = _locate(path, [position.mark, *earlier])
            if moved is None:
                return None
            position = moved
        data = _read_lines(fd, position.offset, stop)
    messages = list(_messages(data, position.offset))
    if not data:
        return [], position
    offset = position.offset + len(data)
    return messages, Position(offset, mark(data[:-1].rpartition(b"\n")[2]))


def last(path: Path, count: int, stop: int) -> list[Message]:
    """The last `count` messages that end at or before the offset `stop`, from at most the last MiB."""
    with open(path, "rb") as file:
        start = max(0, stop - MOST)
        data = os.pread(file.fileno(), stop - start, start)
    if start:
        cut = data.find(b"\n") + 1
        start, data = start + cut, data[cut:]
    return list(_messages(data, start))[-count:]


def _stands(fd: int, position: Position, stop: int) -> bool:
    if position.offset == 0:
        return True
    if position.offset > stop or os.pread(fd, 1, position.offset - 1) != b"\n":
        return False
    return mark(_line_before(fd, position.offset)) == position.mark


def _line_before(fd: int, offset: int) -> bytes:
    """The line that ends at the offset, without its LF."""
    data, start = b"", offset - 1
    while start > 0:
        step = min(CHUNK, start)
        start -= step
        data = os.pread(fd, step, start) + data
        found = data.rfind(b"\n")
        if found >= 0:
            return data[found + 1 :]
    return data


def _locate(path: Path, marks: list[str]) -> Position | None:
    """The position after the last line with the first of these marks that is there at all."""
    found: dict[str, int] = {}
    wanted = set(marks) - {""}
    offset = 0
    with open(path, "rb") as file:
        for raw in file:
            offset += len(raw)
            if raw.endswith(b"\n") and (this := mark(raw[:-1])) in wanted:
                found[this] = offset
    return next((Position(found[one], one) for one in marks if one in found), None)


def _whole_end(fd: int, stop: int) -> int:
    while stop > 0:
        step = min(CHUNK, stop)
        found = os.pread(fd, step, stop - step).rfind(b"\n")
        if found >= 0:
            return stop - step + found + 1
        stop -= step
    return 0


def _read_lines(fd: int, start: int, stop: int) -> bytes:
    """Whole lines from `start` on, about MOST bytes of them but at least one message; b"" when there is none."""
    want = min(MOST, stop - start)
    while True:
        data = os.pread(fd, want, start)
        if want < stop - start:  # more follows: leave a message that may go on for the next read
            cut = max((m.start() + 1 for m in re.finditer(rb"\n(?=[^ \n])", data)), default=0)
        else:
            cut = data.rfind(b"\n") + 1
        if cut or want >= stop - start:
            return data[:cut]
        want = min(want * 4, stop - start)


def _messages(data: bytes, start: int) -> Iterator[Message]:
    """The messages in whole lines that begin at the offset `start`; the heading is none, nor are blank lines."""
    group: list[bytes] = []
    offset = start
    for line in data.split(b"\n")[:-1]:
        heading = offset == 0 and line.startswith(b"# ")
        if group and (heading or not _goes_on(group, line)):
            yield from _message(group, offset)
            group = []
        offset += len(line) + 1
        if not heading:
            group.append(line)
    yield from _message(group, offset)


def _goes_on(group: list[bytes], line: bytes) -> bool:
    if _TAG.match(line):
        return False
    return line.startswith(b"  ") or not _TAG.match(group[0])


def _message(group: list[bytes], end: int) -> Iterator[Message]:
    raw = b"".join(line + b"\n" for line in group)
    if not raw.strip():
        return
    tag = _TAG.match(group[0])
    if tag:
        kind, name, at = (part.decode("utf-8", "replace") for part in tag.groups())
        yield Message(kind, name, at, raw, end)
    else:
        yield Message("", "", "", raw, end)
