"""What a person may have meant by a word that is nothing here. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Iterable


def hint(word: str, known: Iterable[str]) -> str:
    """`: did you mean status?` for the word that is nearest, "." when none is near."""
    import difflib  # takes longer to load than many a command takes

    found = difflib.get_close_matches(word, list(known), 1)
    return f": did you mean {found[0]}?" if found else "."
