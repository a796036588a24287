"""Compare the quote in a message with a text that it may quote. Pure."""

from __future__ import annotations

import re

from dotagent.text import lazy
from dotagent.text.quotes import quoted_words

_LABELLED = lazy.compile(r"^\([^\n]*\)\n {0,3}>", re.MULTILINE)
LEAST = 100  # letters of its first line that a quote of a text must have: bridges repeat no more of a long one


def repeats(message: str, text: str) -> bool:
    """Return True if the quote in a message begins the text, and has LEAST letters or all of the first line. Only
    letters and digits count, because chat networks change the rest.

    A quote with a label must be the whole text, because the label names a writer who may have copied a part of it.
    """
    quote, whole = _letters(quoted_words(message)), _letters(text)
    least = len(whole) if _LABELLED.search(message) else min(LEAST, len(_letters(text.partition("\n")[0])))
    return whole.startswith(quote) and len(quote) >= least > 0


def is_quoted_in(message: str, text: str) -> bool:
    """Return True if the text contains the quote in a message. As above, only letters and digits count."""
    quote = _letters(quoted_words(message))
    return bool(quote) and quote in _letters(text)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))
