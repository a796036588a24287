"""The pieces of a message with media, in order and independent of the format. Pure."""

from __future__ import annotations

from dotagent.providers import Exhibit, Prompt


def place_parts(prompt: Prompt, number: int) -> list[tuple[int, str | Exhibit]]:
    """Return the pieces of a message, each with the number of characters before it. The texts, joined, are the
    content."""
    text, start = prompt.messages[number]["content"], 0
    found = list[tuple[int, str | Exhibit]]()
    for one in prompt.shown.get(number, ()):
        if one.at > start:
            found.append((start, text[start : one.at]))
            start = one.at
        found.append((one.at, one))
    if start < len(text) or not found:
        found.append((start, text[start:]))
    return found


def pieces(prompt: Prompt, number: int) -> list[str | Exhibit]:
    """Return the pieces of a message in order; without media, its text."""
    return [one for _, one in place_parts(prompt, number)]
