"""Tables for people: one heading, aligned columns, no line wider than a screen. Pure; owns nothing on disk.

It counts what a terminal counts, columns: a CJK character is two, an accent that joins a letter none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from dotagent.text import escape

WIDTH = 100  # columns
LEAST = 8  # columns that a cell keeps, if it has as many, when others need room
GAP = "  "


def table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, wrap: bool = False, width: int = WIDTH
) -> Iterator[str]:
    """The lines of a table. A column whose head begins with > is aligned right, as numbers are.

    What is too wide is cut, in the widest column first; but in the last one, with `wrap`, it goes on below.
    """
    right = [head.startswith(">") for head in heads]
    cells = [[head.removeprefix(">") for head in heads], *([escape.row(cell) for cell in row] for row in rows)]
    widths = [max(columns(row[at]) for row in cells) for at in range(len(heads))]
    over = sum(widths) + len(GAP) * (len(widths) - 1) - width
    while over > 0:
        widest = len(widths) - 1 if wrap and widths[-1] > width // 3 else widths.index(max(widths))
        cut = min(over, max(1, widths[widest] - (width // 3 if wrap and widest == len(widths) - 1 else LEAST)))
        widths[widest], over = widths[widest] - cut, over - cut
    left = sum(widths[:-1]) + len(GAP) * (len(widths) - 1)
    for row in cells:
        *first, last = row
        more = wrapped(last, widths[-1]) if wrap else [cut_to(last, widths[-1])]
        line = [_aligned(cut_to(cell, widths[at]), widths[at], right[at]) for at, cell in enumerate(first)]
        yield GAP.join([*line, _aligned(more[0], widths[-1], right[-1])]).rstrip()
        yield from (" " * left + rest for rest in more[1:])


def columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    unseen = ("Mn", "Me", "Cf")
    return sum(
        0 if unicodedata.category(one) in unseen else 2 if unicodedata.east_asian_width(one) in "WF" else 1
        for one in text
    )


def cut_to(text: str, width: int) -> str:
    """As much of the text as the columns hold; where some is left out, an … stands last."""
    if columns(text) <= width:
        return text
    return _begin(text, width - 1).rstrip() + "…"


def wrapped(text: str, width: int = WIDTH) -> list[str]:
    """The text in lines of at most so many columns, broken at spaces where there are some."""
    lines = list[str]()
    while columns(text) > width:
        begin = _begin(text, width)
        at = begin.rfind(" ") if text[len(begin)] != " " else len(begin)
        at = at if at > width // 2 else len(begin)
        lines.append(text[:at].rstrip())
        text = text[at:].lstrip(" ")
    return [*lines, text]


def _begin(text: str, width: int) -> str:
    """The longest beginning that the columns hold, but one character at the least."""
    taken = 0
    for at, one in enumerate(text):
        taken += columns(one)
        if taken > width and at:
            return text[:at]
    return text


def _aligned(cell: str, width: int, right: bool) -> str:
    space = " " * (width - columns(cell))
    return space + cell if right else cell + space
