"""The context: what a life holds in mind, entry after entry, derived from its events and their blobs.

An entry has a number that never changes, its LIFE line in short, and its content while it is live. `context.md` shows
the same to a person, every line of content indented, so that it parses back exactly whatever bytes the entries hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from dotagent import extensions
from dotagent.life import events
from dotagent.life.events import Boot, Daily, Document, Faded, Faint, Hear, Join, Recent, Reply, Result, Wishes
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.log import DETAIL, GIST, Line
from dotagent.text import escape, media, reasoning
from dotagent.text.media import Media, Senses
from dotagent.text.reference import reference, short
from dotagent.text.times import to_second

MEMORY, SKILLS, RULES, PROFILE = "MEMORY.md", "SKILLS", "RULES", "PROFILE"
ENTRIES = (MEMORY, SKILLS, RULES, PROFILE)  # the documents that are entries
EXAMPLE = "EXAMPLE.md"
SHOWN = ("SEGMENT.md", "SUMMARISE.md", EXAMPLE)  # of these the prompt's head shows, or names, a version
NOTES = 4  # shares that MEMORY, and what stands, may have, so that it is shown whole,
LARGE = 1000  # bytes: where a share is so large; in a context too small for that it is cut like all else


@dataclass(frozen=True)
class Entry:
    """One entry: the event it is made from, what of the event's detail its head shows, and its content or None.

    `whole` is whether the content is its blob's, byte for byte, `stripped` whether it is without what is only worth its
    place while it is new. `media` are the blobs that a model is shown behind it if it can see them, `weight` the tokens
    that the model which answers now counts for them.
    """

    number: int
    line: Line
    detail: str
    content: bytes | None
    whole: bool = field(default=False, compare=False)
    stripped: bool = field(default=False, compare=False)
    media: tuple[Media, ...] = field(default=(), compare=False)
    weight: int = field(default=0, compare=False)

    @property
    def event(self) -> str:
        """The event's word."""
        return self.line.event

    @property
    def id(self) -> str:
        """Its blob's first digits, or empty."""
        return short(self.line.id)


def weighed(entries: Iterable[Entry], sight: Senses) -> list[Entry]:
    """The entries with the tokens that a model of this sight counts for what it is shown behind them."""
    return [replace(one, weight=sum(map(sight.tokens, one.media))) if one.media else one for one in entries]


def entry(line: Line, number: int, body: Callable[[str], bytes], share: int, *, stripped: bool = False) -> Entry | None:
    """The entry of an event, or None for one that makes none.

    `body` gives a blob's bytes; one that is missing or corrupt is named in place of its content. Content of more than
    `share` bytes is shown by its head and tail; a summary, which was held to its own budget, whole.
    """
    event = events.parse(line)
    if event is None or event.HEAD is None or (isinstance(event, Document) and event.name not in ENTRIES):
        return None
    if isinstance(event, Daily) and not line.id:
        return None
    detail = escape.one_line(" ".join(line.detail.split(" ")[: event.HEAD]), DETAIL) if event.HEAD else ""
    content, whole = None, False
    shown = event.summary if isinstance(event, Faded) else line.id
    seen = media.parsed(event.media) if isinstance(event, Hear | Join | Result) and event.media and not stripped else ()
    if isinstance(event, Result) and event.media:
        content = described(line)
    elif shown and not isinstance(event, Boot):
        try:
            full = body(shown)[event.since if isinstance(event, Document) else 0 :]
            room = share * NOTES if isinstance(event, Document | Wishes) and share >= LARGE else share
            content = full if isinstance(event, Faded) else cut(full, room, short(line.id))
            whole = content is full and not stripped
        except (BlobMissing, BlobCorrupt) as lost:
            content = f"({lost})".encode()
    if stripped and content is not None:
        content = reasoning.without(content) if isinstance(event, Reply) else None
    return Entry(number, line, detail, content, whole, stripped, seen)


def described(line: Line) -> bytes:
    """What stands in the context for a picture, PDF or sound that a tool showed: all that a model reads which cannot
    see it, or which has forgotten it."""
    again = f"{extensions.tools().original} {short(line.id)} shows it again"
    return f"{line.gist} (it follows, if you can see or hear such; {again})".encode()


def can_be_stripped(entry: Entry) -> bool:
    """Whether the entry has something that is only worth its place while it is new: a reply's reasoning, a reminder,
    what was brought back and can be brought back again."""
    if entry.stripped or entry.content is None:
        return False
    if entry.event == Reply.WORD:
        return reasoning.without(entry.content) != entry.content
    return entry.event in (Faint.WORD, Recent.WORD, Wishes.WORD) or is_reminder(entry)


def is_reminder(entry: Entry) -> bool:
    """Whether the entry is a result that only shows again what was there before."""
    tool, _, how = entry.detail.partition(" ")
    return entry.event == Result.WORD and how == "ok" and tool in extensions.tools().reminders


def shown(entries: Iterable[Entry]) -> list[Entry]:
    """The entries in the order in which a prompt shows them: what a swap says again while a message waits, MEMORY,
    what stands and LIFE's last lines, stands before that message, for a model answers what it read last."""
    found = list[Entry]()
    waits: int | None = None  # where the last messages begin
    for entry in entries:
        if entry.event == Hear.WORD and not (found and found[-1].event == Hear.WORD):
            waits = len(found)
        start = len(found)
        while start and found[start - 1].event in (Daily.WORD, Document.WORD, Wishes.WORD):
            start -= 1
        over = start == 0 or found[start - 1].event == Reply.WORD  # a turn that goes on ends with what a tool told
        if entry.event == Recent.WORD and not entry.stripped and waits is not None and not over:
            found[waits:] = [*found[start:], entry, *found[waits:start]]
            waits += len(found) - start
        else:
            found.append(entry)
    return found


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
    """The entry's own line in context.md; in a prompt it has a lighter one (heads.py)."""
    named = reference(entry.id, escape.one_line(entry.line.gist, GIST)) if entry.event == Faded.WORD else entry.id
    parts = [f"#{entry.number}", to_second(entry.line.at), entry.event, entry.detail, named]
    return " ".join(part for part in parts if part)


def render(entry: Entry) -> bytes:
    """The entry as it stands in context.md."""
    data = head(entry).encode("utf-8", "replace") + b"\n"
    if entry.content is not None:
        data += b"".join(b"  " + line + b"\n" for line in entry.content.split(b"\n"))
    return data
