"""The marks of lines in notes: `[from notes/mail.txt]` before a line says that its words were read there. Pure.

A line without a mark is the person's own. `life/marks.py` decides which line gets a mark; this only reads marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dotagent.text import lazy

MARK = lazy.compile(r"\[from ([^\[\]\n]{1,120})\] ?")
KEY = r"(?:(?:\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'|[^\s:#'\"{\[-][^:\n]{0,60}): +)?"  # the key of a line of YAML
LINE = lazy.compile(
    r"(\s*(?:[-*+•]\s+|\d{1,3}[.)]\s+|#{1,6}\s+|\|\s*)?(?:\d\d:\d\d\s+)?"
    rf"(?:{KEY}\"(?=\[from ))?)(.*)",
    re.DOTALL,
)
"""A line of a note: a list's mark, a heading's, a time, or a key of YAML before a mark, and then its words."""


def without(line: str) -> str:
    """Return the line without its mark, and with whatever else in it looks like a mark made harmless."""
    found = MARK.match(line)
    return re.sub(r"\[(?=from\b)", "(", line[found.end() :] if found else line, flags=re.IGNORECASE)


def source_of(line: str) -> str:
    """Return the source that the line's mark names, or ""."""
    bare = LINE.fullmatch(line)
    found = MARK.match(bare[2]) if bare else None
    return found[1] if found else ""


def list_marked(text: str) -> Iterator[tuple[str, str]]:
    """Yield the source and the words of each marked line."""
    for row in text.split("\n") if "[from " in text else ():
        if name := source_of(row):
            yield name, without(LINE.sub(r"\2", row, count=1))


def names_source(mark: str, asked: str) -> bool:
    """Return True if one of the sources that a mark names is the one asked for: its whole name, or a whole part."""
    wanted = asked.casefold().strip()
    return bool(wanted) and bool(re.search(rf"(?<![\w]){re.escape(wanted)}(?![\w])", mark.casefold()))
