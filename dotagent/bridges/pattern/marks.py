"""Mark text that the author of a message did not write: a label with the origin, then lines that begin with `> `.

An agent treats a message with such lines as containing others' words. Pure.
"""

from __future__ import annotations

from typing import NamedTuple

from dotagent.text import escape
from dotagent.text.quotes import passes_on
from dotagent.text.quotes import quote as quote

LONGEST = 60  # characters of a name in the label
NOTHING = "(no words)"


class Content(NamedTuple):
    """`own` is the sender's text; `quoted` contains lines about the rest, with others' words marked."""

    own: str
    quoted: str

    @property
    def whole(self) -> str:
        """Return both, for a quote of the message."""
        return "\n".join(part for part in self if part)


def marked(label: str, text: str) -> str:
    """Return the label in brackets and the text below it as a quote. There is always a quote, because the label may
    contain someone's name."""
    return f"({label})\n{quote(text.strip() or NOTHING)}"


def name(text: str) -> str:
    """Return a name on one line, for a label."""
    return escape.one_line(text, LONGEST) or "somebody"


def text_after(mark: str, text: str) -> str:
    """Return the text after a mark. Words of others stay at the beginning of a line, where quotes.py finds them."""
    return f"{mark}{chr(10) if passes_on(text) else ' '}{text}"
