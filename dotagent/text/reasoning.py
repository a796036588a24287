"""The reasoning block: what a model thought, in tags, before what it said.

A reply's blob and the stream of an answer begin with it, and nothing else knows how it is written. Owns nothing on
disk.
"""

from __future__ import annotations

import re

OPEN, CLOSE = "<reasoning>\n", "\n</reasoning>\n\n"
_FORM = r"\A\s*<reasoning>.*?</reasoning>\s*"
_TEXT, _BYTES = re.compile(_FORM, re.DOTALL), re.compile(_FORM.encode(), re.DOTALL)


def wrap(reasoning: str, text: str) -> str:
    """A whole reply: the reasoning in its block, if there is any, and the text after it."""
    return f"{OPEN}{reasoning}{CLOSE}{text}" if reasoning else text


def strip(reply: str) -> str:
    """The reply without the block that it begins with; one that is not closed is no block."""
    return _TEXT.sub("", reply)


def without(reply: bytes) -> bytes:
    """As `strip`, of bytes, which need not be text."""
    return _BYTES.sub(b"", reply)
