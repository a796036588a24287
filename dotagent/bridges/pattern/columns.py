"""Format a table as lines of aligned columns, for networks that show code in a fixed width but no tables. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from wcwidth import wcswidth


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return the rows as lines, with a rule after the first. All rows must have the same number of cells."""
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(_pad, row, widths)).rstrip() for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def _width(text: str) -> int:
    return max(0, wcswidth(text))


def _pad(cell: str, width: int) -> str:
    return cell + " " * (width - _width(cell))
