"""Lines of a reply that look like calls and are none: fenced, marked up, or of a tool that is not there. Pure; what a
fence is, and how a call's line begins, is told here for the grammar, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from difflib import get_close_matches
from functools import lru_cache

FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*\Z)|~{3,})")
_MARKS = r"[\s>#]*(?:(?:[-*+•]|\d{1,3}[.)])\s+)?[*_`]{0,4}"  # what Markdown puts before a line's words
_MEANT = re.compile(r"([A-Z]+(?:_[A-Z]+)*)(?= |\Z)([^\n]*)")  # a line that begins with a word like a tool's name
_IMAGE = re.compile(r"\s*(?:docker|container)", re.IGNORECASE)  # a fenced Dockerfile's RUN is not meant for us


@lru_cache(maxsize=16)
def head(names: frozenset[str]) -> re.Pattern[str]:
    """What a call of one of these tools begins with, at its line's start."""
    return re.compile(f"(?:{_any(names)})(?= |\r?\\Z)")


def _any(names: Collection[str]) -> str:
    return "|".join(map(re.escape, sorted(names))) or "(?!)"


def opens(line: str) -> str:
    """The marks of the fence that the line opens, or empty."""
    opening = FENCE.match(line)
    return opening[1] if opening else ""


def closes(line: str, fence: str) -> bool:
    """Whether the line closes a fence of these marks."""
    core = line.rstrip(" \t\r").lstrip(" ")
    return line.find(core) <= 3 and len(core) >= len(fence) and not core.strip(fence[0])


def unknown(lines: list[str], names: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    """Of lines beside calls those that are meant as one, of a tool that is not there (`READFILE a`):
    that word, what follows it, and what is to be said of it."""
    fence = ""
    for line in lines:
        if fence or opens(line):
            fence = "" if fence and closes(line, fence) else fence or opens(line)
        elif (meant := _MEANT.match(line)) and ("_" in meant[1] or get_close_matches(meant[1], names, 1, 0.7)):
            why = f"there is no tool {meant[1]}: there are {', '.join(sorted(names))}"
            yield meant[1], meant[2].strip(), why


def lost(lines: list[str], names: frozenset[str]) -> tuple[str, ...]:
    """The lines that look like a call: marked up at the line's start, or in a fence that begins with one."""
    call, looks = head(names), re.compile(rf"{_MARKS}(?:{_any(names)})[*_`]{{0,4}}(?:[\s:(]|\Z)")
    found: list[str] = []
    before, fence, ours = 0, "", True
    for line in lines:
        bare = line.strip()
        if not fence and (opening := FENCE.match(line)):
            before, fence, ours = len(found), opening[1], not _IMAGE.match(line, opening.end())
        elif fence and closes(line, fence):
            fence = ""
        elif ours and call.match(bare) if fence else looks.match(line):
            found.append(bare)
        elif bare and not bare.startswith("#"):
            ours = ours and len(found) > before
    return tuple(found)
