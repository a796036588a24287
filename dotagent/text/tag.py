"""The tag of a message in a room: `[USER:ana 2026-11-21T20:17:20Z] ` says who speaks, and when.

Further lines of a message are indented, so no text can forge a tag. Rooms are read as bytes and prompts as text: both
patterns are made from one source. Owns nothing on disk.
"""

from __future__ import annotations

import re

from dotagent.text import escape, lazy, times

_FORM = r"\[(?P<kind>USER|AGENT):(?P<name>%s) (?P<at>%s)\]"
_TAG = _FORM % (r"[^\s\[\]:]{1,400}", times.STAMP.pattern) + r"(?: |\r?$)"  # a name: 100 characters, 400 bytes
TEXT = lazy.compile(_TAG, re.ASCII | re.MULTILINE)
BYTES = lazy.compile(_TAG.encode(), re.MULTILINE)
_IMITATED = lazy.compile(r"\A\s*" + _FORM % (r"\w+", r"[\dTZ:.-]+") + " ?")


def render(kind: str, name: str, at: str, text: str) -> str:
    """Return a message in room format: a tag, indented continuation lines, a final LF."""
    body = text.replace("\r\n", "\n").replace("\n", f"\n{escape.INDENT}")
    return f"[{kind}:{name} {at}] {body}\n"


def words(raw: str) -> str:
    """Return a message's text without tag and indentation. A piece may begin in the middle of a message."""
    tag = TEXT.match(raw)
    if not tag:
        return escape.unindent(raw)
    first, end, further = raw[tag.end() :].partition("\n")
    return first + end + escape.unindent(further)


def remove_imitated(text: str) -> str:
    """Return the text without a tag at its beginning, because models learn to imitate tags."""
    return _IMITATED.sub("", text, count=1)
