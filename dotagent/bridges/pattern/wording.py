"""How what came reads in a room: edits, deletions, replies, files and background say what they are, in words.

Pure. A line's tag names who wrote it, and nothing that anybody writes can look like one: rooms indent further lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from dotagent.bridges import Incoming
from dotagent.store import rooms
from dotagent.text import escape, times

LATE = 60.0  # seconds before the connection was made in which a message counts as just written
FIRST = 40  # characters by which a message is named


def first(text: str) -> str:
    """The first words of a message, by which it is named later."""
    return escape.one_line(text, FIRST)


def words(message: Incoming, before: str, files: Sequence[str]) -> str:
    """What stands behind the tag, or nothing. `before` are the first words of the message that is edited or deleted,
    `files` a line for each attachment."""
    if message.kind == "deleted":
        return f'(deleted "{before}")'
    text = "\n".join([message.text, *files] if message.text.strip() else files)
    if not text.strip():
        return ""
    if message.kind == "edited":
        return f'(edited "{before}") {text}'
    return f'(answering "{first(message.answers)}") {text}' if message.answers.strip() else text


def no_file(name: str, why: str) -> str:
    """The line for an attachment that is not kept."""
    return f"(file {escape.one_line(name)}: {why})"


def is_late(at: str, since: str) -> bool:
    """Whether a message was written well before the connection was made by which it came."""
    try:
        return (times.parse(since) - times.parse(at)).total_seconds() > LATE
    except ValueError:
        return False


def late(bridge: str, since: str) -> bytes:
    """The line before messages that an outage held up; the tag is the bridge's own, which no person there can have."""
    text = f"(background) What follows was written while this bridge was not connected; it is since {stamp(since)}."
    return line(bridge, since, text)


def line(name: str, at: str, text: str) -> bytes:
    """A message of a person as it stands in the room; its time is when it was written there, to the second."""
    return rooms.line_of("USER", name, stamp(at), text)


def stamp(at: str) -> str:
    """The time of a message, or the present when it is none."""
    try:
        times.parse(at)
    except ValueError:
        at = times.now()
    return times.to_second(at)
