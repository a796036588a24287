"""Format a number of bytes or things for people."""

from __future__ import annotations

UNITS = ("B", "kB", "MB", "GB", "TB")


def amount(size: float) -> str:
    """Format bytes as `512 B`, `1.2 kB`, `34 MB` (powers of 1,000)."""
    unit = 0
    while size >= 999.5 and unit < len(UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.1f} {UNITS[unit]}" if unit and size < 9.95 else f"{size:.0f} {UNITS[unit]}"


def plural(count: int, word: str, words: str = "") -> str:
    """Format a count as `1 room` or `1,234 rooms`. `words` is an irregular plural."""
    return f"{count:,} {word if count == 1 else words or word + 's'}"
