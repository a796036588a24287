"""The context: what a life holds in mind, entry after entry, derived from its events and their blobs.

An entry has a number that never changes, its LIFE line in short, and its content while it is live. `context.md` shows
the same to a person, every line of content indented, so that it parses back exactly whatever bytes the entries hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from dotagent.blobs import BlobCorrupt, BlobMissing
from dotagent.life import Line
from dotagent.text import escape
from dotagent.text.reference import short
from dotagent.text.times import to_second

# What an entry's head says of each event's detail: the first words. Events not named here make no entry.
DETAIL = {
    "BOOT": 2,
    "RESUME": 0,
    "JOIN": 1,
    "LEAVE": 1,
    "HEAR": 1,
    "PAPER": 1,
    "REPLY": 0,
    "FAIL": 1,
    "TOOL": 2,
    "NOTE": 1,
    "TORN": 1,
}

_HEAD = re.compile(r"#(\d+) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) ([A-Z]+)(?: ([^\n]*?))??(?: ([0-9a-f]{12}))?")


@dataclass(frozen=True)
class Entry:
    """One entry: `at` to the second, `id` its blob's first 12 digits or empty, `content` None where there is none."""

    number: int
    at: str
    event: str
    detail: str
    id: str
    content: bytes | None


def entry(line: Line, number: int, body: Callable[[str], bytes], share: int) -> Entry | None:
    """The entry of an event, or None for one that makes none.

    `body` gives a blob's bytes; one that is missing or corrupt is named in place of its content. Content of more than
    `share` bytes is shown by its head and tail.
    """
    words = DETAIL.get(line.event)
    if words is None or (line.event == "PAPER" and line.detail != "MEMORY.md"):
        return None
    detail = " ".join(line.detail.split(" ")[:words]) if words else ""
    content = None
    if line.id and line.event != "BOOT":
        try:
            content = cut(body(line.id), share, short(line.id))
        except (BlobMissing, BlobCorrupt) as lost:
            content = f"({lost})".encode()
    return Entry(number, to_second(line.at), line.event, detail, short(line.id), content)


def cut(content: bytes, share: int, id: str) -> bytes:
    """The content, or its head and tail and how to read the rest when it is more than `share` bytes."""
    if len(content) <= share:
        return content
    text = content.decode("utf-8", "replace")
    note = f"[… the first and the last of {len(text):,} characters; UNCOMPACT {id} 1 shows them page by page …]"
    return escape.head_and_tail(text, max(200, share - 200), note).encode("utf-8", "replace")


def head(entry: Entry) -> str:
    """The entry's own line."""
    parts = [f"#{entry.number}", entry.at, entry.event, entry.detail, entry.id]
    return " ".join(part for part in parts if part)


def render(entry: Entry) -> bytes:
    """The entry as it stands in context.md."""
    data = head(entry).encode("utf-8", "replace") + b"\n"
    if entry.content is not None:
        data += b"".join(b"  " + line + b"\n" for line in entry.content.split(b"\n"))
    return data


def parse(data: bytes) -> list[Entry]:
    """The entries of a context.md. Raises ValueError, naming the line, for what is none of ours."""
    entries: list[Entry] = []
    lines: list[bytes] = []
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        if line.startswith(b"  ") and entries:
            lines.append(line[2:])
            continue
        found = _HEAD.fullmatch(line.decode("utf-8", "replace"))
        if not found:
            raise ValueError(f"line {number} is neither an entry's head nor its content")
        _close(entries, lines)
        entries.append(Entry(int(found[1]), found[2], found[3], found[4] or "", found[5] or "", None))
    _close(entries, lines)
    return entries


def _close(entries: list[Entry], lines: list[bytes]) -> None:
    if lines:
        last = entries.pop()
        entries.append(Entry(last.number, last.at, last.event, last.detail, last.id, b"\n".join(lines)))
        lines.clear()
