"""Find out whether a message in the midst of a turn adds something to it, or only asks something. Pure."""

from __future__ import annotations

from dotagent.text.standing_instructions import asks, sentences


def is_addition(text: str) -> bool:
    """Return True if a message in the midst of a turn adds something to it. A command adds nothing, and neither does a
    message whose sentences all end with a question mark."""
    said = [one for one in sentences(text) if any(map(str.isalpha, one))]  # no number of a list, no emoji
    return bool(text.strip()) and not text.startswith("/") and not (said and all(map(asks, said)))
