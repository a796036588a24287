"""The context: what a life holds in mind, entry after entry, derived from its events and their blobs.

An entry has a number that never changes, its LIFE line in short, and its content while it is live. `context.md` shows
the same to a person, every line of content indented, so that it parses back exactly whatever bytes the entries hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from dotagent import extensions
from dotagent.life import events
from dotagent.life.events import Boot, Document, Faded, Faint, Recent, Reply, Result
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.log import DETAIL, GIST, Line
from dotagent.text import escape, reasoning
from dotagent.text.reference import reference, short
from dotagent.text.times import to_second

MEMORY = "MEMORY.md"
NOTES = 4  # shares that MEMORY may have, so that it is shown whole,
LARGE = 1000  # bytes: where a share is so large; in a context too small for that it is cut like all else


@dataclass(frozen=True)
class Entry:
    """One entry: the event it is made from, what of the event's detail its head shows, and its content or None.

    `whole` is whether the content is its blob's, byte for byte, `stripped` whether it is without what is only worth its
    place while it is new.
    """

    number: int
    line: Line
    detail: str
    content: bytes | None
    whole: bool = field(default=False, compare=False)
    stripped: bool = field(default=False, compare=False)

    @property
    def event(self) -> str:
        """The event's word."""
        return self.line.event

    @property
    def id(self) -> str:
        """Its blob's first digits, or empty."""
        return short(self.line.id)


def entry(line: Line, number: int, body: Callable[[str], bytes], share: int, *, stripped: bool = False) -> Entry | None:
    """The entry of an event, or None for one that makes none.

    `body` gives a blob's bytes; one that is missing or corrupt is named in place of its content. Content of more than
    `share` bytes is shown by its head and tail; a summary, which was held to its own budget, whole.
    """
    event = events.parse(line)
    if event is None or event.HEAD is None or (isinstance(event, Document) and event.name != MEMORY):
        return None
    detail = escape.one_line(" ".join(line.detail.split(" ")[: event.HEAD]), DETAIL) if event.HEAD else ""
    content, whole = None, False
    shown = event.summary if isinstance(event, Faded) else line.id
    if shown and not isinstance(event, Boot):
        try:
            full = body(shown)
            room = share * NOTES if isinstance(event, Document) and share >= LARGE else share
            content = full if isinstance(event, Faded) else cut(full, room, short(line.id))
            whole = content is full and not stripped
        except (BlobMissing, BlobCorrupt) as lost:
            content = f"({lost})".encode()
    if stripped and content is not None:
        content = reasoning.without(content) if isinstance(event, Reply) else None
    return Entry(number, line, detail, content, whole, stripped)


def can_be_stripped(entry: Entry) -> bool:
    """Whether the entry has something that is only worth its place while it is new: a reply's reasoning, a reminder,
    what was brought back and can be brought back again."""
    if entry.stripped or entry.content is None:
        return False
    if entry.event == Reply.WORD:
        return reasoning.without(entry.content) != entry.content
    return entry.event in (Faint.WORD, Recent.WORD) or is_reminder(entry)


def is_reminder(entry: Entry) -> bool:
    """Whether the entry is a result that only shows again what was there before."""
    tool, _, how = entry.detail.partition(" ")
    return entry.event == Result.WORD and how == "ok" and tool in extensions.tools().reminders


def cut(content: bytes, share: int, id: str) -> bytes:
    """The content, or its head and tail and how to read the rest when it is more than `share` bytes."""
    if len(content) <= share:
        return content
    size, room = len(content.decode("utf-8", "replace")), max(200, share - 200)
    more = f"{extensions.tools().original} {id} 1 shows them page by page"
    note = f"[… the first and the last of {size:,} characters; {more} …]"
    first, last = border(content, room * 2 // 3), border(content, len(content) - room // 3 + 3)
    # the tail goes on in the note's own line: wherever the cut falls, nothing in it can stand where a tag would
    return content[:first].rstrip() + b"\n" + note.encode() + b" " + content[last:].lstrip()


def border(content: bytes, at: int) -> int:
    """The nearest place before `at` at which no UTF-8 character is cut in two."""
    if at >= len(content):
        return len(content)
    return next((at - back for back in range(4) if content[at - back] & 0xC0 != 0x80), at)


def head(entry: Entry) -> str:
    """The entry's own line."""
    named = reference(entry.id, escape.one_line(entry.line.gist, GIST)) if entry.event == Faded.WORD else entry.id
    parts = [f"#{entry.number}", to_second(entry.line.at), entry.event, entry.detail, named]
    return " ".join(part for part in parts if part)


def render(entry: Entry) -> bytes:
    """The entry as it stands in context.md."""
    data = head(entry).encode("utf-8", "replace") + b"\n"
    if entry.content is not None:
        data += b"".join(b"  " + line + b"\n" for line in entry.content.split(b"\n"))
    return data
