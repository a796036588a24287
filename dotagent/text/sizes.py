"""Sizes for people: a number of bytes, or of things, as a few words."""

from __future__ import annotations

UNITS = ("B", "kB", "MB", "GB", "TB")


def amount(size: float) -> str:
    """Bytes as `512 B`, `1.2 kB`, `34 MB` (powers of 1,000)."""
    unit = 0
    while size >= 999.5 and unit < len(UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.1f} {UNITS[unit]}" if unit and size < 9.95 else f"{size:.0f} {UNITS[unit]}"


def plural(count: int, word: str, words: str = "") -> str:
    """`1 room`, `1,234 rooms`; `words` where an s does not make it."""
    return f"{count:,} {word if count == 1 else words or word + 's'}"
