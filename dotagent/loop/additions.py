"""Find out whether a message in the midst of a turn adds something to it, or only asks something. Pure."""

from __future__ import annotations

from dotagent.text.standing_instructions import asks, sentences


def is_addition(text: str) -> bool:
    """Return True if a message in the midst of a turn adds something to it. A command adds nothing, and neither does a
    message whose sentences all end with a question mark."""
    found = list(sentences(text))
    said = [one for one in found if any(map(str.isalpha, one))] or found  # no number of a list, no emoji
    return bool(text.strip()) and not text.startswith("/") and not all(map(asks, said))
