"""Find lines that look like calls: fenced, marked up, among other text, or of a missing tool. Pure.

The definitions of a fence and of the beginning of a call are here, for the grammar, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from dotagent.text import lazy

FENCE = lazy.compile(r" {0,3}(`{3,}(?=[^`]*\Z)|~{3,})")
_MARKS = r"[\s>#]*(?:(?:[-*+•]|\d{1,3}[.)])\s+)?[*_`]{0,4}"  # Markdown before a line's words
_MISSING = lazy.compile(  # a short word in capitals may be an abbreviation, so its argument must not be plain words
    r"(?:[A-Z]{5,} (?=.*[^A-Z\W]).*|[A-Z]{3,} (?=.*(?:[\w/][./\\@=_+*:]\w|[\"'“<])).*|[A-Z]+(?:_[A-Z]+)+(?: .*)?)"
)
_LAST = lazy.compile(r"(?:[A-Z]{5,}|[A-Z]+(?:_[A-Z]+)+) [^\s\"'`]*[\w/]\.[a-z]\w{0,4}")  # with one file, below words
_SENTENCE = lazy.compile(r"[.!?…:;,。！？][\"'”’)*_`]*\Z")
_CONTENT = lazy.compile(r"<<[ \t]*['\"]?[A-Za-z_]\w*['\"]?\Z")
_IMAGE = lazy.compile(r"\s*(?:docker|container)", re.IGNORECASE)  # RUN in a fenced Dockerfile is not a call


@lru_cache(maxsize=16)
def head(names: frozenset[str]) -> re.Pattern[str]:
    """Return the pattern of the beginning of a call of one of these tools."""
    return re.compile(f"(?:{_alternatives(names)})(?= |\r?\\Z)")


@lru_cache(maxsize=16)
def _looks(names: frozenset[str]) -> re.Pattern[str]:
    """Return the pattern of a line that looks like a call of one of these tools."""
    return re.compile(rf"{_MARKS}(?:{_alternatives(names)})[*_`]{{0,4}}(?:[\s:(]|\Z)")


def _alternatives(names: Collection[str]) -> str:
    return "|".join(map(re.escape, sorted(names))) or "(?!)"


@lru_cache(maxsize=16)
def _name_or_capitals(names: frozenset[str]) -> re.Pattern[str]:
    """Return the pattern of a tool's name or capitals. Each call, and each line like a call, contains one."""
    capitals = "[A-Z][A-Z_]"
    others = [one for one in names if not re.search(capitals, one)]
    return re.compile("|".join([capitals, *map(re.escape, others)]))


def has_none(text: str, names: frozenset[str]) -> bool:
    """Return True if the text certainly has no call and no line that looks like one."""
    return _name_or_capitals(names).search(text) is None


def opened_fence(line: str) -> str:
    """Return the fence that the line opens, or ""."""
    opening = FENCE.match(line)
    return opening[1] if opening else ""


def is_closed_by(line: str, fence: str) -> bool:
    """Return True if the line closes this fence."""
    core = line.rstrip(" \t\r").lstrip(" ")
    return line.find(core) <= 3 and len(core) >= len(fence) and not core.strip(fence[0])


def find_unknown(lines: list[str]) -> tuple[str, ...]:
    """Return the lines of a text that has only calls to missing tools, such as `SUMMARISE shopping.md` or `LIST_FILES`,
    or the last line if it names a file. None is a sentence."""
    found = [line.strip() for line in lines if line.strip()]
    first = found[:1] if found and _CONTENT.search(found[0]) else found
    if all(_MISSING.fullmatch(line) and not _SENTENCE.search(line) for line in first):
        return tuple(first)
    return (found[-1],) if _LAST.fullmatch(found[-1]) and not any(map(FENCE.match, lines)) else ()


def find_lookalikes(lines: list[str], names: frozenset[str]) -> tuple[str, ...]:
    """Return the lines that look like a call: at their start, after marks, or in a fence that begins with one."""
    call, looks = head(names), _looks(names)
    found, before, fence, ours = list[str](), 0, "", True
    for line in lines:
        bare = line.strip()
        if not fence and (opening := FENCE.match(line)):
            before, fence, ours = len(found), opening[1], not _IMAGE.match(line, opening.end())
        elif fence and is_closed_by(line, fence):
            fence = ""
        elif ours and call.match(bare) if fence else looks.match(line):
            found.append(bare)
        elif bare and not bare.startswith("#"):
            ours = ours and len(found) > before
    return tuple(found) or find_unknown(lines)
