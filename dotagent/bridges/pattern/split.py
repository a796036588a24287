"""Split a long text into parts that a transport accepts: at natural places, with code fences closed and reopened.

White space at a cut stays with the part before it. An open fence is closed at the end of the part (an LF and its
marker) and reopened in the next (its opening line); nothing else is added. The end of a part does not depend on later
text, so the parts stay the same while a text grows. Owns nothing on disk.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

from dotagent.text.lazy import dataclass

LEAST = 200  # units: a smaller limit has no room for fences
FENCE = 40  # characters; a longer line is not a fence, because it could not be repeated in every part

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([ -~]*)")
_BEGUN = re.compile(r" {0,3}(?:```|~~~|`{0,2}\Z|~{0,2}\Z)")
_SENTENCE = re.compile(r"[.!?…。!?][\"')\]”’»]*\s+|[。!?]")
_SPACE = re.compile(r"\s+")
_FLAGS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
_TOKEN = re.compile(r"<(?:[^<>\s]{0,99}|/[^<>\n]{0,99})\Z")  # begun before a cut: <@123>, <:name:1>, </name sub:1>
_BACK = 32  # the most characters that a cut moves back to keep a character whole


@dataclass(frozen=True)
class _Open:
    """An open fence: its marker and its opening line, both empty if none is open."""

    marker: str = ""
    line: str = ""

    @property
    def before(self) -> str:
        return f"{self.line}\n" if self.marker else ""

    @property
    def behind(self) -> str:
        return f"\n{self.marker}" if self.marker else ""


class _Line(NamedTuple):
    """A line of a view: its start and end, whether it has its LF, and the open fence before and after it."""

    start: int
    end: int
    whole: bool
    fenced: _Open
    then: _Open


def utf16(text: str) -> int:
    """Return the length in UTF-16 code units, which Telegram counts. Discord counts characters: `len`."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def split(text: str, limit: int, units: Callable[[str], int]) -> list[str]:
    """Split the text into parts of at most `limit` units: after a paragraph, otherwise after a line, a sentence or a
    word, otherwise anywhere except inside a character or a mention.

    `units` counts one for an ASCII character, and one or more for any other. A part may be blank, but not empty. Takes
    linear time. Raises ValueError for a limit below LEAST.
    """
    if limit < LEAST:
        raise ValueError(f"a limit of {limit} characters for one message is too small; the least is {LEAST}")
    parts = []
    start, fence, begun = 0, _Open(), 0
    while start < len(text):
        room = limit - units(fence.before)
        window = text[start : start + room + 1]  # a character has at least one unit
        if len(window) == len(text) - start and units(window) <= room:
            parts.append(fence.before + window)
            break
        size, then, line = _cut(window, room, units, fence, begun)
        parts.append(fence.before + text[start : start + size] + then.behind)
        start, fence, begun = start + size, then, line
    return parts


def _follow(fence: _Open, line: str) -> _Open:
    """Return the open fence after this line (without LF), by CommonMark 0.31 (4.5), for ASCII lines."""
    found = _FENCE.fullmatch(line) if len(line) <= FENCE else None
    if not found:
        return fence
    marker, info = found.groups()
    if fence.marker:
        return _Open() if marker.startswith(fence.marker) and not info.strip() else fence
    return fence if marker[0] == "`" and "`" in info else _Open(marker, line.strip())


def _cut(window: str, room: int, units: Callable[[str], int], fence: _Open, begun: int) -> tuple[int, _Open, int]:
    """Return how many characters the next part takes, the open fence after them, and the length of the incomplete line
    at their end. `begun` is that length for the previous part. Only one character beyond the limit is visible, so a
    growing text is always cut at the same places."""
    most = _fitting(window, room, units)
    view = window[:most]
    lines = list(_lines(view, fence, begun))
    ends = [(_rank(view, line), line) for line in reversed(lines) if line.end * 2 >= most]
    for rank, line in sorted(ends, key=lambda end: -end[0]):
        if rank and units(view[: line.end]) + len(line.then.behind) <= room:
            return line.end, line.then, 0
    fitting = _fitting(window, room - max(len(line.fenced.behind) for line in lines), units)
    size = _word(view, fitting) or _character(window, fitting)
    line = next(one for one in reversed(lines) if one.start < size)
    if size == line.end and line.whole:
        return size, line.then, 0
    before = begun if line.start == 0 else 0
    if not before and size - line.start <= FENCE and _BEGUN.match(view[line.start : line.start + 6]):
        if line.start:
            return line.start, line.fenced, 0  # it may be a fence, so it stays whole
        size = _character(window, fitting)
    return size, line.fenced, before + size - line.start


def _fitting(window: str, room: int, units: Callable[[str], int]) -> int:
    """Return how many characters of the window have at most `room` units."""
    return bisect_right(range(len(window) + 1), room, key=lambda size: units(window[:size])) - 1


def _lines(view: str, fence: _Open, begun: int) -> Iterator[_Line]:
    """Yield the lines of the view. If `begun`, the first continues a line of the previous part; it is not a fence,
    because possible fences are never cut."""
    start = 0
    while start < len(view):
        stop = view.find("\n", start)
        whole = stop >= 0
        then = _follow(fence, view[start:stop]) if whole and not (begun and start == 0) else fence
        end = stop + 1 if whole else len(view)
        yield _Line(start, end, whole, fence, then)
        start, fence = end, then


def _rank(view: str, line: _Line) -> int:
    """Rate this line as the end of a part: 3 ends a paragraph, 2 is outside of fences, 1 is inside, 0 is not allowed.

    A part must not end with a line before a blank line, a line that opens a fence, or the last line in a fence, because
    the next part would show an empty fence.
    """
    if not line.whole or view[line.end : line.end + 1] == "\n":
        return 0
    if not line.then.marker:
        return 2 if view[line.start : line.end].strip() else 3
    following = view[line.end : line.end + FENCE + 1].partition("\n")[0]
    return int(bool(line.fenced.marker and _follow(line.then, following).marker))


def _word(view: str, most: int) -> int:
    """Return the place after the last sentence in the right half, or after the last word, with following white space,
    or 0."""
    sentences = [match.end() for match in _SENTENCE.finditer(view, most // 2, most)]
    words = [match.end() for match in _SPACE.finditer(view, 0, most)]
    for size in (*sentences[-1:], *words[-1:]):
        token = _TOKEN.search(view, max(0, size - 101), size)
        found = token.start() if token else size
        if view[:found].strip():
            return found
    return 0


def _character(window: str, most: int) -> int:
    """Return the last place up to `most` at the end of a mention or a character, by a few Unicode properties."""
    token = _TOKEN.search(window, max(0, most - 101), most)
    if token and token.start() * 2 >= most:
        most = token.start()
    for size in range(most, max(1, most - _BACK), -1):
        if not _is_one_character(window, size):
            return size
    return most - 1 if _halves(window, most) else most


def _is_one_character(window: str, at: int) -> bool:
    """Return True if both sides form one visible character: marks, joiners, flags, surrogate pairs."""
    before, behind = window[at - 1], window[at]
    if "\U0001f1e6" <= behind <= "\U0001f1ff":
        return (at - len(window[:at].rstrip(_FLAGS))) % 2 == 1  # a flag is two of them
    tone = "\U0001f3fb" <= behind <= "\U0001f3ff"
    marked = unicodedata.category(behind) in ("Mn", "Me", "Mc") or behind == "\u200d" or tone
    return marked or before == "\u200d" or _halves(window, at) or (before == "\r" and behind == "\n")


def _halves(window: str, at: int) -> bool:
    return "\ud800" <= window[at - 1] < "\udc00" <= window[at] < "\ue000"
