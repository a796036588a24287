"""Rooms: chats as append-only files that people may also write with an editor.

Owns `chats/`, with `<room>.wanted` while people wait there for an agent. An append is a single write under the file's
flock, and readers use only lines that end in LF. Continuation lines are indented by two spaces, so no text can forge a
tag. A position is an offset and the hash of the line before it, so that a reader finds its place again after an editor
has rewritten the room.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from blake3 import blake3

from dotagent.errors import Misuse
from dotagent.store import disk, lines
from dotagent.text import lazy, names, tag
from dotagent.text.lazy import dataclass

WANTED = ".wanted"
MOST = 1 << 20  # bytes of messages that one read returns, or one message that is larger
LINES = 1 << 20  # lines and bytes to search, from the end of a rewritten room, for a reader's place
READING, WRITING = 0.3, 5.0  # seconds that a reader and a writer wait for the lock of a room
NEAR = 1 << 14  # bytes at the end of a room that most readers of its last messages need
LARGEST = 1 << 26  # bytes; a larger message is read in pieces, and of a larger line only the beginning

GONE = "(room: messages are gone from this file: "  # the beginning of an agent's line about removed messages
NOTHING = b" \t\n\r\v\f\0\x1a"  # the last: the end of a file in DOS
_REST = lazy.compile(rb"(?:[^\n]*\n(?:  [^\n]*\n)*)?")  # for a message that begins above
_BEGUN = lazy.compile(rb".*\n(?=[^ \n])", re.DOTALL)  # up to the last line that is not blank or indented


@dataclass(frozen=True)
class Message:
    """A message: `raw` is its bytes in the room, `end` the offset after it. Without a tag, kind and name are empty."""

    kind: str
    name: str
    at: str
    raw: bytes
    end: int

    @property
    def text(self) -> str:
        """Return the text without the tag and indentation."""
        return tag.words(self.raw.decode("utf-8", "replace")).strip("\n")

    @property
    def mark(self) -> str:
        """Return the mark of its last line, after which a reader continues."""
        return mark(self.raw[:-1].rpartition(b"\n")[2])


@dataclass(frozen=True)
class Position:
    """How far a room was read: a byte offset, and the mark of the line that ends there ("" at the start)."""

    offset: int = 0
    mark: str = ""


def create(path: Path, audience: str) -> bool:
    """Create the room file with its heading and sync it. Return False if the room exists."""
    return not os.path.lexists(path) and disk.create(path, f"# {path.stem} {audience}\n".encode())


def want(path: Path, since: int | None = None) -> None:
    """Record, next to the room, that people wait for an agent from byte `since` on (default: the room's end)."""
    size = since if since is not None else path.stat().st_size if path.exists() else 0
    disk.create(path.with_suffix(WANTED), str(size).encode())


def waiting_since(path: Path) -> int | None:
    """Return the offset from which people wait for an agent, or None."""
    note = path.with_suffix(WANTED)
    found = disk.read(note).strip() if disk.is_file(note) else b""
    return int(found) if re.fullmatch(rb"[0-9]{1,18}", found) else None


def audience(path: Path, owner: str) -> str:
    """Return the audience in the room's heading: `private <person>`, `group` or `helper <name>`. Without a heading, it
    is private to the owner."""
    with disk.reading(path) as file:
        words = file.readline(4096).decode("utf-8-sig", "replace").split()
    if len(words) < 3 or words[0] != "#":
        return f"private {owner}"
    if words[2] == "helper" and len(words) == 4 and path.stem == f"helper-{words[3]}":
        return f"helper {words[3]}"
    if words[2] != "private":
        return "group"
    return f"private {words[3] if len(words) > 3 else owner}"


def line_of(kind: str, name: str, at: str, text: str) -> bytes:
    """Return a message in room format: a tag, indented continuation lines, a final newline.

    Raises Misuse if `name` cannot be part of a tag, because readers attribute an untagged line to the owner.
    """
    if not names.PERSON.fullmatch(name):
        raise Misuse(
            f"{name[:40]!r} cannot be a name in a room; use at most 100 characters, without spaces, colons "
            f"and square brackets"
        )
    return tag.render(kind, name, at, text).encode("utf-8", "replace")


def append(path: Path, message: bytes) -> int:
    """Append a message (see line_of) durably, even after an incomplete line. Return the offset after it."""
    with open_locked(path) as fd:
        disk.append_line(fd, message, path)
        end = os.fstat(fd).st_size
        disk.sync(fd, path)
    return end


@contextmanager
def open_locked(path: Path) -> Iterator[int]:
    """Open the room for appending under its lock, after making sure that its name still means the locked file. Raises
    Held."""
    while True:
        with disk.open_regular(path, os.O_RDWR | os.O_APPEND) as fd, disk.briefly_locked(fd, path, WRITING):
            if path.exists() and os.path.samestat(os.fstat(fd), os.stat(path)):
                yield fd
                return


def mark(line: bytes) -> str:
    """Return the mark of a line without LF: the first 12 hex digits of the BLAKE3 of its last MiB at most."""
    return str(blake3(line[-MOST:]).hexdigest())[:12]


def position_after(path: Path, offset: int) -> Position:
    """Return the position after the line that ends at this offset, or the beginning for 0."""
    with disk.reading(path) as file:
        return Position(offset, mark(lines.last(file.fileno(), offset, MOST))) if offset else Position()


def end(path: Path, stop: int | None = None) -> Position:
    """Return the position after the last complete line, or after the last that ends at or before offset `stop`."""
    with disk.reading(path) as file:
        size = file.seek(0, os.SEEK_END)
        last = lines.end_before(file.fileno(), size if stop is None else min(stop, size))
        return position_before(file.fileno(), last)


def read(
    path: Path, position: Position, earlier: Iterable[str] = (), *, exact: bool = False
) -> tuple[list[Message], Position] | None:
    """Return the complete messages after a position, about 1 MiB at once, and the position after them.

    If the line has moved, reading continues after it, or after the latest of the `earlier` marks that still exists.
    Returns None if none exists, because the room was then rewritten. While another process keeps the lock, it waits a
    moment, then reads without it. With `exact` it returns None for every line that has moved, and raises Held.
    """
    with disk.reading(path) as file:
        fd = file.fileno()
        stop = os.fstat(fd).st_size
        if stop > position.offset:
            if not disk.try_lock(fd, READING, shared=True) and exact:  # a writer keeps it while it writes a message
                raise disk.held(path)
            stop = os.fstat(fd).st_size
            disk.unlock(fd)
        if not _stands(fd, position, stop):
            moved = None if exact else _locate(file, stop, [position.mark, *earlier])
            if moved is None:
                return None
            position = moved
        messages, start, more = list[Message](), position.offset, True
        while more and not messages:
            data, behind = _read_lines(fd, start, stop)
            messages = parse(fd, data, start, behind)
            start, more = behind, behind > start
        return messages, position_before(fd, start) if start > position.offset else position


def is_unfinished(path: Path) -> bool:
    """Return True if the last line has no end and a person wrote it with an editor: it is untagged, or has a person's
    tag. Other writers complete their lines themselves."""
    with disk.reading(path) as file:
        fd, stop = file.fileno(), file.seek(0, os.SEEK_END)
        begin = lines.end_before(fd, stop)
        line = os.pread(fd, stop - begin, begin)
        who = _speaker(fd, begin) if line.startswith(b"  ") and begin else tag.BYTES.match(line)
    person = not who or (who["kind"] == b"USER" and not names.is_bridged(who["name"].decode("utf-8", "replace")))
    return person and bool(line.strip(NOTHING))


def last(path: Path, count: int, stop: int) -> list[Message]:
    """Return the last `count` messages that end at or before offset `stop`, from the last MiB at most."""
    return [*islice(back(path, stop), count)][::-1]


def back(path: Path, stop: int) -> Iterator[Message]:
    """Yield the messages that end at or before offset `stop`, last first, from the last MiB at most. Read no more of
    the room than the messages that are used need."""
    with disk.reading(path) as file:
        first, size = max(0, stop - MOST), NEAR
        while stop > first:
            start, size = max(first, stop - size), 4 * size
            data = os.pread(file.fileno(), stop - start, start)
            cut = _REST.match(data).end() if start else 0  # type: ignore[union-attr]
            data = data[cut : data.rfind(b"\n") + 1]
            found = list(_messages(data, start + cut, start + cut + len(data)))
            if start > first and found and not found[0].kind:
                del found[0]  # its beginning may be above
            yield from reversed(found)
            if start == first:
                return
            stop = found[0].end - len(found[0].raw) if found else stop


def position_before(fd: int, stop: int) -> Position:
    """Return the position after the last nonblank line before `stop`. Blank lines are too similar to be found again."""
    offset = lines.text_end(fd, stop)
    return Position(offset, mark(lines.last(fd, offset, MOST))) if offset else Position()


def _stands(fd: int, position: Position, stop: int) -> bool:
    at = position.offset
    if not at:
        return True
    return 0 < at <= stop and os.pread(fd, 1, at - 1) == b"\n" and mark(lines.last(fd, at, MOST)) == position.mark


def _locate(file: BinaryIO, stop: int, marks: list[str]) -> Position | None:
    """Return the position after the last line with the first of these marks that is found. Only the end of a large room
    is searched, which takes a second or two."""
    found, wanted = dict[str, int](), set(marks) - {""}
    offset, line = _reach(file.fileno(), stop), b""
    file.seek(offset)
    while offset < stop and (piece := file.readline(MOST)):
        offset += len(piece)
        line = (line + piece)[-MOST - 1 :] if line else piece
        if piece.endswith(b"\n"):
            if (this := mark(line[:-1])) in wanted:
                found[this] = offset
            line = b""
    return next((Position(found[one], one) for one in marks if one in found), None)


def _reach(fd: int, stop: int) -> int:
    """Return where the search for a moved line begins: LINES lines or LARGEST bytes before the end."""
    count = 0
    for start, data in lines.back(fd, stop):
        count += data.count(b"\n")
        if count > LINES or stop - start > LARGEST:
            return lines.end_after(fd, start, stop)
    return 0


def _read_lines(fd: int, start: int, stop: int) -> tuple[bytes, int]:
    """Return complete lines from `start` on, about MOST bytes but at least one message, and the offset after them."""
    want = min(MOST, stop - start)
    while True:
        data = os.pread(fd, want, start)
        if want >= stop - start:
            cut = data.rfind(b"\n") + 1
            return data[:cut], start + cut
        begun = _BEGUN.match(data)  # more follows: leave a message that may continue to the next read
        cut = begun.end() if begun else data.rfind(b"\n") + 1 if want >= LARGEST else 0
        if cut:
            return data[:cut], start + cut
        if want >= LARGEST:
            break
        want = min(want * 4, stop - start)
    behind = lines.end_after(fd, start + want, stop)
    if not behind:
        return b"", start
    note = (
        f" [… this line has {behind - start:,} bytes; only its first {MOST:,} are shown, and the room's file in "
        f"chats/ contains the rest …]\n"
    )
    return data[:MOST] + note.encode(), behind


def _speaker(fd: int, stop: int) -> re.Match[bytes] | None:
    """Return the tag of the message that the lines from `stop` on continue, or None."""
    for start, data in lines.back(fd, stop - 1, 1000):
        found = len(data)
        while (found := data.rfind(b"\n", 0, found)) >= 0 or start == 0:
            if data[found + 1 : found + 3] != b"  ":
                return tag.BYTES.match(data[found + 1 : found + 1001].partition(b"\n")[0])
            if found < 0:
                return None
    return None


def _messages(data: bytes, start: int, behind: int, before: re.Match[bytes] | None = None) -> Iterator[Message]:
    """Yield the messages in complete lines from offset `start` to `behind`, without the heading and blank lines.
    Indented lines at the beginning continue a message with the tag `before`."""
    group, tagged, offset = list[bytes](), before, start
    for line in data.split(b"\n")[:-1]:
        heading = is_heading(line, offset)
        match = tag.BYTES.match(line)
        if group and (heading or match or (tagged and not line.startswith(b"  "))):
            yield from _message(group, tagged, offset)
            group, tagged = [], None
        offset += len(line) + 1
        tagged = match or tagged
        if not heading:
            group.append(line)
    yield from _message(group, tagged, behind)


def is_heading(line: bytes, offset: int) -> bool:
    """Return True for the first line of a room, if it is a heading."""
    return offset == 0 and line.removeprefix(codecs.BOM_UTF8).startswith(b"# ")


def parse(fd: int, data: bytes, start: int, stop: int) -> list[Message]:
    """Return the messages in the complete lines between two offsets of an open room."""
    return list(_messages(data, start, stop, _speaker(fd, start) if data[:2] == b"  " else None))


def _message(group: list[bytes], tagged: re.Match[bytes] | None, end: int) -> Iterator[Message]:
    """Yield the message in these lines, which end at offset `end`. Blank lines around an untagged message are removed,
    and lines of NULs, left by a power cut, are dropped."""
    while group and not tagged and not group[-1].strip():
        end -= len(group.pop()) + 1
    while group and not group[0].strip():
        group.pop(0)
    raw = b"".join(line + b"\n" for line in group)
    if not raw.strip(NOTHING):
        return
    kind, name, at = (part.decode("utf-8", "replace") for part in tagged.groups()) if tagged else ("", "", "")
    yield Message(kind, re.sub(r"\s", "_", name), at, raw, end)
