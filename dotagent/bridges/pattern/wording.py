"""The text of incoming messages in a room: edits, deletions, replies, files and background messages are described in
words.

Pure. A line's tag names its author, and no text can imitate a tag, because rooms indent continuation lines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dotagent.bridges import Attachment, Incoming
from dotagent.bridges.pattern import marks
from dotagent.store import rooms
from dotagent.store.blobs import content_id
from dotagent.text import escape, quotes, times

LATE = 60.0  # seconds before the connection within which a message counts as new
FIRST = 40  # characters that identify a message
ANSWERED = 200  # characters of the agent's own message repeated in a reply


def first(text: str) -> str:
    """Return the first words of a message, which identify it later, without words of others."""
    return escape.one_line(quotes.own_text(text), FIRST)


def mark(message: Incoming) -> str:
    """Return a mark of the message's words and files. It stays the same after an edit that changes neither, such as one
    for a link preview."""
    files = [f"{one.kind} {one.name} {one.size}" for one in message.attachments]
    told = "\n".join([" ".join([*message.text.split(), *message.quoted.split()]), *files])
    return content_id(told.encode("utf-8", "replace"))[:12]


def words(message: Incoming, before: str, files: Sequence[str], single: bool = False) -> str:
    """Return the text after the tag, or "".

    `before` is the beginning of an edited or deleted message. `files` has a line for each attachment. `single` means
    that only one agent has ever spoken there, so a message of the bot is its own.
    """
    if message.kind == "deleted":
        return f'(deleted "{before}")'
    text = "\n".join(part for part in (message.text, message.quoted, *files) if part.strip())
    if not text:
        return ""
    if message.kind == "edited":
        return marks.text_after(f'(edited "{before}")', text)
    return _reply(message, text, single) if message.answers.strip() else text


def _reply(message: Incoming, text: str, single: bool) -> str:
    """Return the text of a reply with a quote of the original message. A message of the agent or of the same person
    needs no long quote, unless that person passed on words of others in it."""
    if message.answered_by == "bot" and single:
        return marks.text_after(f'(in reply to you: "{escape.one_line(message.answers, ANSWERED)}")', text)
    if message.answered_by == "person" and not quotes.passes_on(message.answers):
        return marks.text_after(f'(in reply to their own "{escape.one_line(message.answers, ANSWERED)}")', text)
    return marks.marked(f"in reply to {marks.name(message.answered)}", message.answers) + "\n" + text


def file(given: Attachment, line: Callable[[str], str]) -> str:
    """Return the lines for an attachment: its name as a quote, because others may have chosen it, and `line` for a file
    of this name."""
    return f"{marks.quote(given.name)}\n{line('of that name')}" if given.name.strip() else line(given.kind or "here")


def no_file(why: str) -> Callable[[str], str]:
    """Return a function that returns the line for an attachment that is not stored."""
    return lambda name: f"(file {name}: {escape.one_line(why)})"


def is_late(at: str, since: str) -> bool:
    """Return True if a message was written well before the connection that delivered it."""
    try:
        return (times.parse(since) - times.parse(at)).total_seconds() > LATE
    except ValueError:
        return False


def late(bridge: str, since: str) -> bytes:
    """Return the line before messages that an outage delayed. The tag is the bridge's own, which no person can have."""
    connected = times.format_day(times.parse(stamp(since)))
    text = (
        f"(background) The messages below were written while this bridge was not connected; it has been "
        f"connected since {connected}."
    )
    return line(bridge, since, text)


def line(name: str, at: str, text: str) -> bytes:
    """Return a person's message in room format, with the time when it was written, to the second."""
    return rooms.line_of("USER", name, stamp(at), text)


def stamp(at: str) -> str:
    """Return a message's time to the second, or the present if it is invalid."""
    try:
        times.parse(at)
    except ValueError:
        at = times.now()
    return times.to_second(at)
