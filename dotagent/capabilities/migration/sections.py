"""Split a Markdown text in two by its sections: each part has its headings above it, and no block is cut.

The text below a heading is about it: an allergy of Ana's under Bo's heading is a false note. So a section goes with
what is below it, or its heading is repeated. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dotagent.text import fences
from dotagent.text.lazy import dataclass, field

LEAST = 100  # characters: with less room, no section is begun
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:(=+)|-{2,})[ \t]*$")  # below a line, which is then a heading of level 1 or 2
_TITLED = re.compile(r"(?![-*+>|#\s]|\d+[.)] |[\w-]+: ).*\S.*\n?")  # such a line
_TABLE = re.compile(r"\|.*\n\|[-:| \t]*-[-:| \t]*\n")  # the first two lines of one
# A line that people use as a heading; in imported notes it is marked.
_BOLD = re.compile(r"(?:\[from [^\]\n]*\] )?(\*\*|__)[^*_\n]{1,80}\1[:：]?[ \t]*$")


@dataclass
class _Section:
    """A heading's line, the blocks right below it, and the sections below it. The whole text has level 0."""

    level: int
    heading: str = ""
    blocks: list[str] = field(default_factory=list)
    below: list[_Section] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join([self.heading, *self.blocks, *(one.text for one in self.below)])


class _Split:
    """The two parts as they grow, and the room that is left in the first."""

    def __init__(self, most: int) -> None:
        self.kept, self.rest = list[str](), list[str]()
        self._most = self._room = most
        self._above = list[str]()  # the headings above the end of the rest

    def place(self, one: _Section, above: list[str]) -> None:
        """Put a section where it fits: whole, or if it fits nowhere in pieces."""
        size = len(one.text)
        if size <= self._room:
            self._keep(one.text)
            return
        mine = [*above, one.heading] if one.heading else above
        room = self._room - len(one.heading)
        count = _fitting(one.blocks, room)
        part = ""
        if not count and one.blocks and len(one.blocks[0]) > self._most:
            part = _line(one.blocks[0], max(0, room))
        if size <= self._most or room < LEAST or not (count or part or one.below):
            self._leave(one.text, above)
            return
        self._keep("".join([one.heading, *one.blocks[:count], part]))
        head = _TABLE.match(one.blocks[count]) if part else None
        again = head[0] if head and len(head[0]) < len(part) else ""  # the rows of the rest need it, too
        self._leave(again + "".join(one.blocks[count:])[len(part) :], mine)
        for each in one.below:
            self.place(each, mine)

    def _keep(self, text: str) -> None:
        self.kept.append(text)
        self._room -= len(text)

    def _leave(self, text: str, above: list[str]) -> None:
        if not text:
            return
        same = next((n for n, pair in enumerate(zip(above, self._above, strict=False)) if pair[0] != pair[1]),
                    min(len(above), len(self._above)))  # fmt: skip
        ended = not self.rest or self.rest[-1].endswith("\n")
        self.rest += ["" if ended else "\n", *above[same:], text]
        self._above = above


def split(text: str, most: int) -> tuple[str, str]:
    """Return a part of at most `most` characters, the first sections that fit, and the rest."""
    made = _Split(most)
    made.place(_parse(text), [])
    return "".join(made.kept), "".join(made.rest)


def _parse(text: str) -> _Section:
    path = [_Section(0)]
    for block, level in _blocks(text):
        if level:
            while path[-1].level >= level:
                path.pop()
            path[-1].below.append(made := _Section(level, block))
            path.append(made)
        else:
            path[-1].blocks.append(block)
    return path[0]


def _blocks(text: str) -> Iterator[tuple[str, int]]:
    """Yield each block with its line ends, and the level of a heading, or 0. A fenced block, a comment, a table, and an
    item with what is indented below it are one block. Blank lines belong to the text before them."""
    held, level, fenced, table, passed, commented = "", 0, "", False, 0, False
    for line, fence in fences.marked(filter(None, re.split(r"(?<=\n)", text))):
        passed += len(line)
        if commented:  # which has no headings
            held, commented = held + line, "-->" not in line
            continue
        begun = line.rpartition("<!--") if not fence else ("", "", "")
        commented = bool(begun[1]) and "-->" not in begun[2] and text.find("-->", passed) >= 0
        under = None if fence or level else _UNDERLINE.match(line)
        if under and _TITLED.fullmatch(held):
            held, level = held + line, 1 if under[1] else 2
            continue
        heading = None if fence else _HEADING.match(line)
        bold = not fence and bool(_BOLD.match(line))
        goes_on = fenced if fence else not line.strip() or (table and line.startswith("|"))
        indented = line[0] in " \t" and not level
        if held and (heading or bold or not (goes_on or indented)):
            yield held, level
            held, level = "", 0
        held, level = held + line, len(heading[1]) if heading else 7 if bold else level
        table, fenced = not fence and line.startswith("|"), fence
    if held:
        yield held, level


def _fitting(blocks: list[str], room: int) -> int:
    """Return how many blocks fit, or 0 if these would be blank."""
    size = 0
    for count, one in enumerate(blocks):
        size += len(one)
        if size > room:
            return count if "".join(blocks[:count]).strip() else 0
    return len(blocks)


def _line(block: str, room: int) -> str:
    """Return the part that fits of a block that fits nowhere: whole lines, or the beginning of one line, which ends at
    a sentence or a word if that leaves much of it. A fenced block is never cut."""
    if any(fence for _, fence in fences.marked(block.split("\n"))):
        return ""
    head = block[:room]
    lines = head[: head.rfind("\n") + 1]
    ends = (head.rfind(mark) + len(mark) for mark in (". ", "。", " "))
    return lines or head[: next((end for end in ends if end > room / 2), room)]
