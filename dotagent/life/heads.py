"""The form of an entry in a prompt: a short head and its text. A message is only `#7 20:18 dev ana: Which seat?`.

Tools use the number to name the entry. The head has the minute or the date only if it differs from the entry before, so
it depends only on earlier entries and the time zone. One line of content follows the head; more lines follow below,
indented, so that no content can look like a head. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dotagent import extensions
from dotagent.life import events
from dotagent.life.context import Entry
from dotagent.life.event import FAINT, RETURNED, STANDING
from dotagent.life.events import Daily, Document, Faded, Hear, Join, Recent, Reply, Result, Resume
from dotagent.text import escape, tag, times
from dotagent.text.tag import TEXT as TAG

BARE = (Reply.WORD, Resume.WORD)  # entries without a head
AGAIN = (Daily.WORD, Document.WORD, STANDING, Recent.WORD)
"""Entries that each swap repeats. A stripped one is not shown at all."""
EMPTY = "(empty)"
ME = "me"  # the speaker of the agent's own text, in lists
OWNER = "owner"  # the speaker of untagged lines in a room
NAME = 100  # characters of a speaker's name
MARKS = " ([from X]: X said it, not your person)"  # after the name of a document with such lines (marks.py)
LATE = 120.0  # seconds between sending and reading a message that need no remark


def render_entries(entries: Sequence[Entry], start: int = 0) -> Iterator[tuple[Entry, str]]:
    """Yield the entries from `start` on, each with its text in a prompt. A reply has no head. A restart of the process
    has no text, because it means nothing to a model."""
    before = find_head(entries, start)
    known = entries[before].line.at if start and not _has_no_head(entries[before]) else ""
    for one in entries[start:]:
        yield one, text(one, known)
        known = known if _has_no_head(one) else one.line.at


def find_head(entries: Sequence[Entry], stop: int) -> int:
    """Return the index of the last entry with a head before `stop`, or 0. No text after `stop` depends on an earlier
    entry."""
    return next((at for at in range(stop - 1, -1, -1) if not _has_no_head(entries[at])), 0)


def _has_no_head(entry: Entry) -> bool:
    """Return True if the entry has no head in a prompt."""
    return entry.event in BARE or (entry.stripped and entry.event in AGAIN)


def render_last(entries: Sequence[Entry]) -> str:
    """Return the text of the last of these entries for a list: as in a prompt, but with a head even for the agent's own
    text."""
    *before, last = entries
    if last.event != Reply.WORD:
        return next(text for _, text in render_entries(entries, len(before)))
    return _join_head(f"#{last.number} {ME}", _words(last))


def text(entry: Entry, known: str = "") -> str:
    """Return the entry's text in a prompt; `known` is the time of the entry before."""
    words = _words(entry)
    if _has_no_head(entry):
        return words or ""
    clock = times.format_since(known, entry.line.at)
    head = " ".join(filter(None, (f"#{entry.number}", clock, _name(entry))))
    return _join_head(head, words, below=entry.event == Faded.WORD)


def _join_head(head: str, words: str | None, *, below: bool = False) -> str:
    if words is None:
        return head
    if below or "\n" in words:
        return f"{head}:\n{escape.indent(words)}"
    return f"{head}: {words or EMPTY}"


def _name(entry: Entry) -> str:
    """Return the part of the head after number and time."""
    event = events.parse(entry.line)
    if isinstance(event, Hear):
        return f"{entry.detail} {speaker(event.who)}{_delay(entry)}"
    if event and event.WORD == RETURNED:
        from dotagent.life import background_events

        return background_events.head(event)
    if isinstance(event, Result):
        return entry.detail.removesuffix(" ok")
    if isinstance(event, Join):  # not in the form of a call, because small models imitate it
        return f"{event.room}: you joined this room" + "; its earlier messages" * bool(entry.content)
    if isinstance(event, Document):
        marked = MARKS if b"[from " in (entry.content or b"") else ""
        return f"{event.name}, added{marked}" if event.since else f"{event.name}{marked}"
    if isinstance(event, Daily):
        return f"memory/{entry.detail}.md"
    if isinstance(event, Faded):
        gist = escape.one_line(entry.line.gist, 400)
        back = f"{extensions.tools().original} {entry.number} brings it back"
        return f"{Faded.WORD} {event.span} ({back}): {gist}".rstrip(": ")
    told = times.STAMP.sub(lambda at: times.format_stamp(at[0], 19), entry.detail)
    return f"{entry.event} {told}".rstrip()


def speaker(who: str) -> str:
    """Return the speaker's name for a head."""
    kind, _, name = who.partition(":")
    name = escape.one_line(name, NAME)
    return OWNER if not name else name if kind == "USER" else f"agent {name}"


def _delay(entry: Entry) -> str:
    """Return the time at which a message was sent, if that was long before it was read; otherwise ""."""
    found = TAG.match((entry.content or b"")[:500].decode("utf-8", "replace"))
    if not found or not times.is_apart(found["at"], entry.line.at, LATE):
        return ""
    return f" ({times.format_since(entry.line.at, found['at'])})"


def _words(entry: Entry) -> str | None:
    """Return the entry's content in a safe form, or None if the head is everything."""
    if entry.content is None:
        return None
    content = entry.content.removesuffix(b"\n")
    if entry.event == FAINT:  # dotagent's own references; others in quoted text were replaced before
        return escape.printable(content.decode("utf-8", "replace"))
    words = escape.outside(content)
    if entry.event == Hear.WORD:
        return tag.words(words).strip("\n")
    return _format_earlier(words) if entry.event == Join.WORD else words


def _format_earlier(words: str) -> str:
    """Return the earlier messages of a room with heads of the same form: each begins with its speaker, not indented."""
    known, lines = "", list[str]()
    for line in words.split("\n"):
        found = TAG.match(line)
        if found:
            clock, known = times.format_since(known, found["at"]), found["at"]
            line = " ".join(
                filter(None, (clock, f"{speaker(found['kind'] + ':' + found['name'])}:", line[found.end() :]))
            )
        elif line[:1].strip():
            line = f"{OWNER}: {line}"
        lines.append(line)
    return "\n".join(lines)
