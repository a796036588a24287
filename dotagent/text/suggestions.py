"""Suggestions in error messages about unknown words. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Iterable


def hint(word: str, known: Iterable[str]) -> str:
    """Return `: did you mean status?` for the nearest known word, or "." if none is near."""
    import difflib  # takes longer to load than many a command takes

    bare = {one.strip("-"): one for one in known}  # the dashes of options do not count as similar
    found = difflib.get_close_matches(word.strip("-"), list(bare), 1)
    return f": did you mean {bare[found[0]]}?" if found else "."


def suggest_all(word: str, known: Iterable[str]) -> str:
    """Return the same, followed by all known words."""
    there = list(known)
    return f"{hint(word, there)} Possible names: {', '.join(there) or 'none'}"
