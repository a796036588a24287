"""Format tables for people: one heading, aligned columns, no line wider than the screen. Pure; owns nothing on disk.

Widths are counted in terminal columns: a CJK character is two, a combining accent none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from dotagent.text import escape

WIDTH = 100  # columns
LEAST = 8  # columns that a longer cell keeps when others need room
GAP = "  "


def table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, wrap: bool = False, width: int = WIDTH
) -> Iterator[str]:
    """Yield the lines of a table. A heading that begins with > aligns its column right, for numbers.

    If the table is too wide, the widest column is cut first. With `wrap`, the last column is wrapped instead.
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
    """Return the number of terminal columns that the text needs."""
    if text.isascii():
        return len(text)
    unseen = ("Mn", "Me", "Cf")
    return sum(
        0 if unicodedata.category(one) in unseen else 2 if unicodedata.east_asian_width(one) in "WF" else 1
        for one in text
    )


def cut_to(text: str, width: int) -> str:
    """Return the text cut to `width` columns, with a final … if anything was cut."""
    if columns(text) <= width:
        return text
    return _begin(text, width - 1).rstrip() + "…"


def wrapped(text: str, width: int = WIDTH) -> list[str]:
    """Wrap the text into lines of at most `width` columns, at spaces if possible."""
    lines = list[str]()
    while columns(text) > width:
        begin = _begin(text, width)
        at = begin.rfind(" ") if text[len(begin)] != " " else len(begin)
        at = at if at > width // 2 else len(begin)
        lines.append(text[:at].rstrip())
        text = text[at:].lstrip(" ")
    return [*lines, text]


def _begin(text: str, width: int) -> str:
    """Return the longest prefix that fits, but at least one character."""
    taken = 0
    for at, one in enumerate(text):
        taken += columns(one)
        if taken > width and at:
            return text[:at]
    return text


def _aligned(cell: str, width: int, right: bool) -> str:
    space = " " * (width - columns(cell))
    return space + cell if right else cell + space
