"""The context: the numbered entries that an agent's prompt is made from, derived from its events and their blobs.

An entry has a permanent number, a short form of its LIFE line, and its content until it fades. `context.md` shows the
entries to people. Each line of content is indented, so that the file can be parsed whatever bytes the entries contain.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from dotagent import extensions
from dotagent.life import events
from dotagent.life.event import FORMS, STANDING
from dotagent.life.events import Boot, Daily, Document, Faded, Hear, Join, Recent, Reply, Result
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.log import DETAIL, GIST, Line
from dotagent.text import escape, reasoning, tokens
from dotagent.text.lazy import dataclass, field, replace
from dotagent.text.reference import reference, short
from dotagent.text.times import to_second

if TYPE_CHECKING:  # many agents see no media
    from dotagent.text.media import Media
    from dotagent.text.senses import Senses

MEMORY, SKILLS, RULES, PROFILE = "MEMORY.md", "SKILLS", "RULES", "PROFILE"
ENTRIES = (MEMORY, SKILLS, RULES, PROFILE)  # documents that become entries
EXAMPLE = "EXAMPLE.md"
SHOWN = ("SEGMENT.md", "SUMMARISE.md", EXAMPLE)  # documents with a version in the prompt's head
NOTES = 4  # shares of the context for MEMORY and for standing instructions, so that they are shown whole
LARGE = 250  # tokens; below this share they are cut like all other entries
REMARK = 50  # tokens that the note about a cut may take


@dataclass(frozen=True)
class Entry:
    """An entry: its event, the part of the event's detail that its head shows, and its content or None.

    `whole` means that the content equals its blob byte for byte. `stripped` means that parts useful only while new were
    removed. `media` are blobs that the model sees after the entry if it can. `weight` is their size in tokens for the
    present model, and `other` its factor outside ASCII. A `lost` content is forgotten or damaged: a remark replaces it.
    """

    number: int
    line: Line
    detail: str
    content: bytes | None
    whole: bool = field(default=False, compare=False)
    stripped: bool = field(default=False, compare=False)
    media: tuple[Media, ...] = field(default=(), compare=False)
    weight: int = field(default=0, compare=False)
    other: float = field(default=1.0, compare=False)
    lost: bool = field(default=False, compare=False)

    @property
    def event(self) -> str:
        """Return the event's word."""
        return self.line.event

    @property
    def id(self) -> str:
        """Return the first digits of the blob's id, or ""."""
        return short(self.line.id)

    @cached_property
    def tokens(self) -> int:
        """Return the estimated tokens of the entry in a prompt, including its media."""
        return int(self._parts[0] + self.rest) + 1 + self.weight

    @property
    def rest(self) -> float:
        """Return how many of its tokens stand for characters outside ASCII."""
        return self.other * self._parts[1]

    @cached_property
    def _parts(self) -> tuple[float, float]:
        return tokens.parts(render(self))

    def weighed(self, sight: Senses | None, other: float) -> Entry:
        """Return the entry with the tokens that a model counts for it. Without `sight`, media keep their size."""
        weight = sum(map(sight.tokens, self.media)) if sight else self.weight
        return self if (weight, other) == (self.weight, self.other) else replace(self, weight=weight, other=other)


def entry(line: Line, number: int, body: Callable[[str], bytes], share: int, *, stripped: bool = False) -> Entry | None:
    """Return the entry of an event, or None if the event makes no entry.

    `body` returns a blob's bytes; the message about a missing or corrupt blob replaces its content. Content over
    `share` tokens is cut to its head and tail. Summaries stay whole, because they have their own limit.
    """
    event, form = events.parse(line), FORMS.get(line.event)
    if event is None or form is None or form.head is None or (form.blob and not line.id):
        return None
    if isinstance(event, Document) and event.name not in ENTRIES:
        return None
    detail = escape.one_line(" ".join(line.detail.split(" ")[: form.head]), DETAIL) if form.head else ""
    content, whole, gone = None, False, False
    shown = event.summary if isinstance(event, Faded) else line.id
    seen: tuple[Media, ...] = ()
    if isinstance(event, Hear | Join | Result) and event.media and not stripped:
        from dotagent.text import media

        seen = media.parsed(event.media)
    if isinstance(event, Result) and line.id and event.media.startswith(line.id):
        content = described(line.gist, line.id)
    elif shown and not isinstance(event, Boot):
        try:
            full = body(shown)[event.since if isinstance(event, Document) else 0 :]
            text = full if full.isascii() else full.decode("utf-8", "replace").encode()  # the model sees it so
            room = share * NOTES if line.event in (Document.WORD, STANDING) and share >= LARGE else share
            content = text if isinstance(event, Faded) else cut(text, room, short(line.id))
            whole = content == full and not stripped
        except (BlobMissing, BlobCorrupt) as lost:
            content, gone = f"({lost})".encode(), True
    if stripped and content is not None:
        content = reasoning.remove_bytes(content) if isinstance(event, Reply) else None
    return Entry(number, line, detail, content, whole, stripped, seen, lost=gone)


def tokens_of(entries: Iterable[Entry]) -> int:
    """Return the estimated tokens of these entries in a prompt, including their media."""
    return sum(entry.tokens for entry in entries)


def described(gist: str, id: str) -> bytes:
    """Return the text for a picture, PDF or sound of a tool. Nothing else remains if the model cannot see it, or after
    it faded."""
    again = f"{extensions.tools().original} {short(id)} shows it again"
    return f"{gist} (it follows if you can see or hear such files; {again})".encode()


def pick(entries: Sequence[Entry], numbers: Collection[int]) -> list[Entry]:
    """Return the entries with these numbers, in their order. The search begins at the newest entry."""
    left, found = set(numbers), list[Entry]()
    for entry in reversed(entries):
        if not left:
            break
        if entry.number in left:
            left.remove(entry.number)
            found.append(entry)
    return found[::-1]


def in_prompt_order(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries in the order of a prompt. A swap may repeat MEMORY, standing instructions and recent events
    while a message waits. These entries go before that message, because a model answers the last text that it reads."""
    found = list[Entry]()
    waits: int | None = None  # the index of the first waiting message
    for entry in entries:
        if entry.event == Hear.WORD and not (found and found[-1].event == Hear.WORD):
            waits = len(found)
        start = len(found)
        while start and found[start - 1].event in (Daily.WORD, Document.WORD, STANDING):
            start -= 1
        over = start == 0 or found[start - 1].event == Reply.WORD  # an unfinished turn ends with a tool's result
        if entry.event == Recent.WORD and not entry.stripped and waits is not None and not over:
            found[waits:] = [*found[start:], entry, *found[waits:start]]
            waits += len(found) - start
        else:
            found.append(entry)
    return found


def cut(content: bytes, share: int, id: str) -> bytes:
    """Return this UTF-8; if it has more than `share` tokens by the estimate without learned factors, its head and tail
    with a note on how to read the rest."""
    if tokens.fits(content, share):
        return content
    size, room = len(content.decode()), max(REMARK, share - REMARK)
    more = f"{extensions.tools().original} {id} 1 shows them page by page"
    note = f"[… the first and the last of {size:,} characters; {more} …]"
    head, tail = tokens.measure(content, room * 2 // 3), tokens.measure(content, room // 3, end=True)
    first, last = border(content, head), border(content, len(content) - tail + 3)
    # the tail follows the note on the same line, so that no part of it can be at the place of a tag
    return content[:first].rstrip() + b"\n" + note.encode() + b" " + content[last:].lstrip()


def border(content: bytes, at: int) -> int:
    """Return the nearest offset at or before `at` that does not split a UTF-8 character."""
    if at >= len(content):
        return len(content)
    return next((at - back for back in range(4) if content[at - back] & 0xC0 != 0x80), at)


def head(entry: Entry) -> str:
    """Return the entry's head line in context.md; a prompt has a shorter one (heads.py)."""
    named = reference(entry.id, escape.one_line(entry.line.gist, GIST)) if entry.event == Faded.WORD else entry.id
    parts = [f"#{entry.number}", to_second(entry.line.at), entry.event, entry.detail, named]
    return " ".join(part for part in parts if part)


def render(entry: Entry) -> bytes:
    """Return the entry in the format of context.md."""
    data = head(entry).encode("utf-8", "replace") + b"\n"
    if entry.content is not None:
        data += b"".join(b"  " + line + b"\n" for line in entry.content.split(b"\n"))
    return data
