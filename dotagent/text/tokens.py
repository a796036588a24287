"""Sizes in tokens, estimated from bytes: that costs nothing, and the sizes that providers report correct it."""

from __future__ import annotations

MOST = 1.5  # times the limit: what the context may grow to
HEAD, REPLY = 2000, 4096  # tokens of a window that are not the context's: what is before it, and the answer
LEAST = 500  # tokens that the context's limit has at least, however small the window

BYTES_A_TOKEN = 3.6  # of plain prose and code together

# What a token of cl100k is on average: 4.6 bytes of words and blanks, 1.35 of digits, hex and punctuation (the heads of
# entries are half of these), 2.6 of what is not ASCII. Within a tenth on prose, code, Markdown, heads and Chinese.
_WORDS, _MARKS, _REST = 4.6, 1.35, 2.6
_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ \n"
_ASCII = bytes(range(128))


def estimate(text: str | bytes) -> int:
    """About how many tokens the text is, from the kinds of its bytes alone."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    other = len(data.translate(None, _LETTERS))
    rest = 0 if text.isascii() else len(data.translate(None, _ASCII))
    return int((len(data) - other) / _WORDS + (other - rest) / _MARKS + rest / _REST) + 1


def window(limit: int) -> int:
    """Tokens that prompt and answer may have together where the context's limit is this many."""
    return int(MOST * limit) + HEAD + REPLY


def limit(window: int) -> int:
    """The context's limit, in tokens, that leaves room for all else in such a window."""
    return max(LEAST, int((window - min(REPLY, window // 4) - HEAD) / MOST))
