"""Rooms: chat as append-only files, one message after another, that people may write with any editor.

Owns `chats/`, with `<room>.wanted` while people wait there for an agent. An append takes the file's flock and is one
write; a reader takes what ends in LF. Further lines of a message are indented by two spaces, so no text can forge a
tag. A position is an offset and the hash of the line before it, so that a reader finds its place again when an editor
has saved the room anew.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from blake3 import blake3

from dotagent.errors import Misuse
from dotagent.store import disk, lines
from dotagent.text import names, tag

WANTED = ".wanted"
MOST = 1 << 20  # bytes of messages that one read returns, or one message that is larger
LINES = 1 << 20  # lines, and LARGEST bytes, before the end of a room written anew in which the place is looked for
LARGEST = 1 << 26  # bytes; a larger message is heard in pieces, and of a larger line its beginning

_NOTHING = b" \t\n\r\v\f\0"
_BEGUN = re.compile(rb".*\n(?=[^ \n])", re.DOTALL)  # up to the last line that begins neither blank nor indented


@dataclass(frozen=True)
class Message:
    """One message: `raw` is its bytes in the room, `end` the offset behind it; an untagged one has no kind or name."""

    kind: str
    name: str
    at: str
    raw: bytes
    end: int

    @property
    def text(self) -> str:
        """What it says, without its tag and indentation."""
        return tag.words(self.raw.decode("utf-8", "replace")).strip("\n")

    @property
    def mark(self) -> str:
        """The mark of its last line, behind which a reader goes on."""
        return mark(self.raw[:-1].rpartition(b"\n")[2])


@dataclass(frozen=True)
class Position:
    """How far a room was heard: a byte offset and the mark of the line that ends there ("" at the very start)."""

    offset: int = 0
    mark: str = ""


def create(path: Path, audience: str) -> bool:
    """Make the room with its heading, durably; False when it is there already."""
    return not os.path.lexists(path) and disk.create(path, f"# {path.stem} {audience}\n".encode(), path.parent)


def want(path: Path, since: int | None = None) -> None:
    """Note, in a file beside the room, that from its present end on, or since this byte, people wait for an agent to be
    born there, or to come."""
    size = since if since is not None else path.stat().st_size if path.exists() else 0
    disk.create(path.with_suffix(WANTED), str(size).encode(), path.parent)


def wanted(path: Path) -> int | None:
    """The offset from which on people wait for an agent; None when nobody does."""
    note = path.with_suffix(WANTED)
    found = disk.read(note).strip() if disk.is_file(note) else b""
    return int(found) if re.fullmatch(rb"[0-9]{1,18}", found) else None


def audience(path: Path, owner: str) -> str:
    """Who hears it: `private <person>`, `group` or `helper <one>`, by its heading; none means private to the owner."""
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
    """A message as it stands in a room: tagged, its further lines indented, ended by LF. Raises Misuse for a name that
    would make no tag: the line would be the owner's."""
    if not names.PERSON.fullmatch(name):
        raise Misuse(f"{name[:40]!r} cannot be a name: no spaces, colons or square brackets, at most 100 characters")
    return tag.render(kind, name, at, text).encode("utf-8", "replace")


def append(path: Path, message: bytes) -> None:
    """Append a message (see line_of) durably, after whatever is there, also a torn line."""
    with _held(path) as fd:
        disk.append_line(fd, message, path)
        disk.sync(fd, path)


def complete(path: Path, message: bytes, since: int | None = None) -> None:
    """Append a message whose writer may have died over it: nothing if it is there, only its rest if it is torn.

    It is there when its tag is. With `since`, the room's size before it was written, it is there when it stands behind
    that: it may be several messages then, and their tags need not be unique.
    """
    with _held(path) as fd:
        size = os.fstat(fd).st_size
        start = max(0, size - len(message) - 1) if since is None else since
        tail = b"\n" + os.pread(fd, max(0, size - start), start)
        pieces = (tail[found.end() :] for found in re.finditer(rb"\n", tail))
        torn = next((piece for piece in pieces if piece and message.startswith(piece)), b"")
        there = b"\n" + message in tail
        if torn and not there:
            disk.append(fd, message[len(torn) :], path)
        elif not there and not (since is None and holds(path, message.partition(b"] ")[0] + b"]")):
            disk.append_line(fd, message, path)
        disk.sync(fd, path)


@contextmanager
def _held(path: Path) -> Iterator[int]:
    """The room open for appending under its lock, once its name still means the file that was locked."""
    while True:
        with disk.opened(path, os.O_RDWR | os.O_APPEND) as fd, disk.locked(fd):
            if path.exists() and os.path.samestat(os.fstat(fd), os.stat(path)):
                yield fd
                return


def holds(path: Path, tag: bytes) -> bool:
    """Whether a message with exactly this tag, or that is exactly this, stands at the beginning of a line."""
    with disk.reading(path) as file:
        for start, data in lines.back(file.fileno(), file.seek(0, os.SEEK_END), len(tag)):
            if b"\n" + tag in data or (start == 0 and data.startswith(tag)):
                return True
    return False


def mark(line: bytes) -> str:
    """The mark of a line (without its LF): the first 12 hex digits of the BLAKE3 of at most its last MiB."""
    return str(blake3(line[-MOST:]).hexdigest())[:12]


def end(path: Path) -> Position:
    """The position behind the last whole line."""
    with disk.reading(path) as file:
        return _position(file.fileno(), lines.end_before(file.fileno(), file.seek(0, os.SEEK_END)))


def read(path: Path, position: Position, earlier: Iterable[str] = ()) -> tuple[list[Message], Position] | None:
    """The whole messages after a position, about 1 MiB at once, and the position behind them.

    When the position has moved, reading goes on after its line, or after the latest of the `earlier` marks that is
    still there. None when none of them is: the room was written anew.
    """
    with disk.reading(path) as file:
        fd = file.fileno()
        stop = os.fstat(fd).st_size
        if stop > position.offset:
            with disk.locked(fd, shared=True):  # who appends holds it: no message is seen half written
                stop = os.fstat(fd).st_size
        if not _stands(fd, position, stop):
            moved = _locate(file, stop, [position.mark, *earlier])
            if moved is None:
                return None
            position = moved
        messages, start, more = list[Message](), position.offset, True
        while more and not messages:
            data, behind = _read_lines(fd, start, stop)
            messages = list(_messages(data, start, behind, _speaker(fd, start) if data[:2] == b"  " else None))
            start, more = behind, behind > start
        return messages, _position(fd, start) if start > position.offset else position


def last(path: Path, count: int, stop: int) -> list[Message]:
    """The last `count` messages that end at or before the offset `stop`, from at most the last MiB."""
    with disk.reading(path) as file:
        start = max(0, stop - MOST)
        data = os.pread(file.fileno(), stop - start, start)
    if start:
        cut = data.find(b"\n") + 1
        while data[cut : cut + 2] == b"  ":  # the rest of a message whose beginning is out of reach
            cut = data.find(b"\n", cut) + 1
        start, data = start + cut, data[cut:]
    return list(_messages(data, start, start + len(data)))[-count:]


def _position(fd: int, stop: int) -> Position:
    """The position behind the last line before `stop` that is not blank: blank ones are too alike to be found again."""
    offset = lines.text_end(fd, stop)
    return Position(offset, mark(lines.last(fd, offset, MOST))) if offset else Position()


def _stands(fd: int, position: Position, stop: int) -> bool:
    at = position.offset
    if at and not (0 < at <= stop and os.pread(fd, 1, at - 1) == b"\n"):
        return False
    return not at or mark(lines.last(fd, at, MOST)) == position.mark


def _locate(file: BinaryIO, stop: int, marks: list[str]) -> Position | None:
    """The position after the last line with the first of these marks that is there at all, not too far from the end:
    of older ones as many lines are looked at as a second or two allow."""
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
    """Where to begin to look for a line that has moved: so many bytes or lines before the end."""
    count = 0
    for start, data in lines.back(fd, stop):
        count += data.count(b"\n")
        if count > LINES or stop - start > LARGEST:
            return lines.end_after(fd, start, stop)
    return 0


def _read_lines(fd: int, start: int, stop: int) -> tuple[bytes, int]:
    """Whole lines from `start` on, about MOST bytes of them but at least one message, and the offset behind them."""
    want = min(MOST, stop - start)
    while True:
        data = os.pread(fd, want, start)
        if want >= stop - start:
            cut = data.rfind(b"\n") + 1
            return data[:cut], start + cut
        begun = _BEGUN.match(data)  # more follows: leave a message that may go on for the next read
        cut = begun.end() if begun else data.rfind(b"\n") + 1 if want >= LARGEST else 0
        if cut:
            return data[:cut], start + cut
        if want >= LARGEST:
            break
        want = min(want * 4, stop - start)
    behind = lines.end_after(fd, start + want, stop)
    if not behind:
        return b"", start
    note = f" [… this line has {behind - start:,} bytes: here are its first {MOST:,}, the rest stands in the room …]\n"
    return data[:MOST] + note.encode(), behind


def _speaker(fd: int, stop: int) -> re.Match[bytes] | None:
    """The tag of the message that lines from `stop` on continue; None when it has none."""
    for start, data in lines.back(fd, stop - 1, 1000):
        found = len(data)
        while (found := data.rfind(b"\n", 0, found)) >= 0 or start == 0:
            if data[found + 1 : found + 3] != b"  ":
                return tag.BYTES.match(data[found + 1 : found + 1001].partition(b"\n")[0])
            if found < 0:
                return None
    return None


def _messages(data: bytes, start: int, behind: int, before: re.Match[bytes] | None = None) -> Iterator[Message]:
    """The messages in whole lines that stand from the offset `start` to `behind`; the heading is none, nor are blank
    lines. Indented lines at their beginning go on a message with the tag `before`."""
    group, tagged, offset = list[bytes](), before, start
    for line in data.split(b"\n")[:-1]:
        heading = offset == 0 and line.removeprefix(codecs.BOM_UTF8).startswith(b"# ")
        match = tag.BYTES.match(line)
        if group and (heading or match or (tagged and not line.startswith(b"  "))):
            yield from _message(group, tagged, offset)
            group, tagged = [], None
        offset += len(line) + 1
        tagged = match or tagged
        if not heading:
            group.append(line)
    yield from _message(group, tagged, behind)


def _message(group: list[bytes], tagged: re.Match[bytes] | None, end: int) -> Iterator[Message]:
    """The message in these lines, which end at the offset `end`; blank lines around an untagged one are not its own,
    and one of NULs is what a power cut may leave."""
    while group and not tagged and not group[-1].strip():
        end -= len(group.pop()) + 1
    while group and not group[0].strip():
        group.pop(0)
    raw = b"".join(line + b"\n" for line in group)
    if not raw.strip(_NOTHING):
        return
    kind, name, at = (part.decode("utf-8", "replace") for part in tagged.groups()) if tagged else ("", "", "")
    yield Message(kind, re.sub(r"\s", "_", name), at, raw, end)
