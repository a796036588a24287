"""Words in a message that its sender did not write: quoted lines, repeated text of a reply, and lines that name files.

Bridges and chat.py mark them, rooms keep the marks, and agents read them. Owns nothing on disk.
"""

from __future__ import annotations

import re

from dotagent.text import lazy

QUOTED = lazy.compile(r"(?:^\([^\n]*\)\n)?^[^\S\n]*[>＞] ?([^\n]*)", re.MULTILINE)
"""A quoted line, with the line above it that names who wrote it. Mail programs and other keyboards indent or write the
mark differently."""
REPEATED = lazy.compile(r'\(in reply to you: "(.*)"\) ?')
"""The agent's text, as bridges repeat it above a reply: it may contain words of others."""
_LABELLED = lazy.compile(r"^\([^\n]*\)\n {0,3}>", re.MULTILINE)
_ENDS = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")  # line ends of any reader
LEAST = 100  # letters of its first line that a quote of a text must have: bridges repeat no more of a long one
ATTACHED = lazy.compile(r"^\(file .* shows it\)$", re.MULTILINE)  # as store/attachments.py names a file


def quote(text: str) -> str:
    """Return the text with `> ` before each line, for any kind of line end."""
    return "\n".join(f"> {line}" for line in _ENDS.split(text))


def own_text(text: str) -> str:
    """Return the sender's own text, without quotes and without the lines that name attached files."""
    return ATTACHED.sub("", REPEATED.sub("", QUOTED.sub("", text))).strip("\n")


def quoted_words(text: str) -> str:
    """Return the words that a message repeats of others."""
    return "\n".join([*REPEATED.findall(text), *QUOTED.findall(text)])


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
