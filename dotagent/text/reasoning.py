"""The block in which a model's reasoning stands before its answer, in a reply's blob and while it is written."""

from __future__ import annotations

import re

OPEN, CLOSE = "<reasoning>\n", "\n</reasoning>\n\n"
_BLOCK = re.compile(rb"\A\s*<reasoning>.*?</reasoning>\s*", re.DOTALL)


def wrap(reasoning: str, text: str) -> str:
    """The reply as it is kept: the reasoning in its block, then the text."""
    return f"{OPEN}{reasoning}{CLOSE}{text}" if reasoning else text


def without(reply: bytes) -> bytes:
    """The reply without the block at its beginning."""
    return _BLOCK.sub(b"", reply)


def stands_in(reply: bytes) -> bool:
    """Whether the reply begins with a block."""
    return bool(_BLOCK.match(reply))


def answer(reply: str) -> str:
    """What follows the last block, wherever it stands."""
    return reply.rpartition(CLOSE.strip())[2]
