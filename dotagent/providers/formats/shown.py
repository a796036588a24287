"""Messages that hold more than text: their pieces in order, whatever a format calls each of them. Pure."""

from __future__ import annotations

from dotagent.providers import Exhibit, Prompt


def placed(prompt: Prompt, number: int) -> list[tuple[int, str | Exhibit]]:
    """The pieces of a message, each with how many characters of its content stand before it; the texts, joined, are
    the content."""
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
    """The pieces of a message, in order; of one without anything shown its text."""
    return [one for _, one in placed(prompt, number)]
