"""How an entry looks in a prompt: a light head and its words. `#7 20:18 dev ana: Which seat?` is all of a message.

The number names the entry to every tool. The minute is told when it is another than the last one shown, the date when
the day is; so a head depends on the entries before it and on nothing else. What an entry holds stands behind its head
when it is one line, else below it, indented: nothing in it can stand where a head stands. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dotagent import extensions
from dotagent.life import events
from dotagent.life.context import Entry
from dotagent.life.events import (
    Daily,
    Document,
    Faded,
    Faint,
    Hear,
    Join,
    Recent,
    Reply,
    Result,
    Resume,
    Returned,
    Wishes,
)
from dotagent.text import escape, tag, times
from dotagent.text.reference import short
from dotagent.text.tag import TEXT as TAG

BARE = (Reply.WORD, Resume.WORD)  # what has no head
AGAIN = (
    Daily.WORD,
    Document.WORD,
    Wishes.WORD,
    Recent.WORD,
)  # what is said again after each swap: once it is stripped it is not shown at all
EMPTY = "(empty)"
ME = "me"  # who spoke an agent's own words, where these are listed
OWNER = "owner"  # whose the untagged lines of a room are
NAME = 100  # characters of a speaker's name
_ENDS = {
    "turns": "stopped at its limit of turns",
    "tokens": "stopped at its limit of tokens",
    "seconds": "stopped at its limit of seconds",
    "failed": "no model answered it",
    "died": "its process died again and again",
}  # how a helper came to rest, in words
LATE = 120.0  # seconds from a message's being said to its being heard that need no word


def shown(entries: Sequence[Entry], start: int = 0) -> Iterator[tuple[Entry, str]]:
    """The entries from `start` on, each as its text in a prompt; a reply has no head, and stands for itself. That a
    process took the life up is nothing to a model, and has no text."""
    known = next((one.line.at for one in reversed(entries[:start]) if not _bare(one)), "")
    for one in entries[start:]:
        yield one, text(one, known)
        known = known if _bare(one) else one.line.at


def _bare(entry: Entry) -> bool:
    """Whether the entry has no head in a prompt."""
    return entry.event in BARE or (entry.stripped and entry.event in AGAIN)


def told(entries: Sequence[Entry]) -> str:
    """The last of these entries in a list of such: as in a prompt, but the agent's own words have a head, too."""
    *before, last = entries
    if last.event != Reply.WORD:
        return next(text for _, text in shown(entries, len(before)))
    return _joined(f"#{last.number} {ME}", _words(last))


def text(entry: Entry, known: str = "") -> str:
    """The entry as it stands in a prompt, after one of the time `known`."""
    words = _words(entry)
    if _bare(entry):
        return words or ""
    clock = times.since(known, entry.line.at)
    head = " ".join(filter(None, (f"#{entry.number}", clock, _name(entry))))
    return _joined(head, words, below=entry.event == Faded.WORD)


def _joined(head: str, words: str | None, *, below: bool = False) -> str:
    if words is None:
        return head
    if below or "\n" in words:
        return f"{head}:\n{escape.indent(words)}"
    return f"{head}: {words or EMPTY}"


def _name(entry: Entry) -> str:
    """What the head says of the entry beside its number and time."""
    event = events.parse(entry.line)
    if isinstance(event, Hear):
        return f"{entry.detail} {speaker(event.who)}{_delay(entry)}"
    if isinstance(event, Returned):
        return f"{event.room} helper {short(event.life)} ({_ENDS.get(event.how, event.how)})"
    if isinstance(event, Result):
        return entry.detail.removesuffix(" ok")
    if isinstance(event, Join):  # not in the words of a call: small models take those up again
        return f"{event.room}: you are in this room now" + "; what was said before" * bool(entry.content)
    if isinstance(event, Document):
        return f"{event.name}, added" if event.since else event.name
    if isinstance(event, Daily):
        return f"memory/{entry.detail}.md"
    if isinstance(event, Faded):
        gist = escape.one_line(entry.line.gist, 400)
        back = f"{extensions.tools().original} {entry.number} brings it back"
        return f"{Faded.WORD} {event.span} ({back}): {gist}".rstrip(": ")
    return f"{entry.event} {entry.detail}".rstrip()


def speaker(who: str) -> str:
    """Who spoke, as a head names them."""
    kind, _, name = who.partition(":")
    name = escape.one_line(name, NAME)
    return OWNER if not name else name if kind == "USER" else f"agent {name}"


def _delay(entry: Entry) -> str:
    """When the message was said, where that is long before it was heard."""
    found = TAG.match((entry.content or b"")[:500].decode("utf-8", "replace"))
    if not found or not times.apart(found["at"], entry.line.at, LATE):
        return ""
    return f" ({times.since(entry.line.at, found['at'])})"


def _words(entry: Entry) -> str | None:
    """What the entry holds, made harmless; None for one that is all in its head."""
    if entry.content is None:
        return None
    content = entry.content.removesuffix(b"\n")
    if entry.event == Faint.WORD:  # the harness's own references; those in what it quotes were replaced before
        return escape.printable(content.decode("utf-8", "replace"))
    words = escape.outside(content)
    if entry.event == Hear.WORD:
        return tag.words(words).strip("\n")
    return _before(words) if entry.event == Join.WORD else words


def _before(words: str) -> str:
    """What was said in a room before, with heads as light: each message begins with who spoke, at the left edge."""
    known, lines = "", list[str]()
    for line in words.split("\n"):
        found = TAG.match(line)
        if found:
            clock, known = times.since(known, found["at"]), found["at"]
            line = " ".join(
                filter(None, (clock, f"{speaker(found['kind'] + ':' + found['name'])}:", line[found.end() :]))
            )
        elif line[:1].strip():
            line = f"{OWNER}: {line}"
        lines.append(line)
    return "\n".join(lines)
