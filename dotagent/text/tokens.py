"""Estimate sizes in tokens from bytes, which costs nothing. Sizes reported by providers correct the estimates. Pure."""

from __future__ import annotations

from dotagent.text import lazy

MOST = 1.5  # maximum size of the context, as a multiple of the limit
HEAD, REPLY = 2000, 4096  # tokens of a window before the context, and for the answer
LEAST = 500  # tokens that the context's limit has at least, even in a small window
OVERFULL = 1.4  # times the context's limit: above it the oldest entries fade at once

BYTES_A_TOKEN = 3.6  # for prose and code mixed

# A token of cl100k is about 4.6 bytes of words and blanks, 1.35 of digits, hex and punctuation (the heads of entries
# are half of these), and of a random string, as in base64. Then how many tokens a character costs, by the first byte
# that UTF-8 gives it. An accented letter is a sign of a language whose words cost more than English ones.
_WORDS, _MARKS = 4.6, 1.35
_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ \n"
_LONG = lazy.compile(rb"[A-Za-z0-9+/_-]{24,}")
_KINDS = bytes.maketrans(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", b"A" * 26 + b"a" * 26 + b"0" * 10
)
_ABOVE = bytes(range(0x80, 0x100))
_FIRST = {
    bytes(range(0xC3, 0xC8)): 2.0,  # Latin
    bytes(range(0xD0, 0xD4)): 0.5,  # Cyrillic
    bytes(range(0xD8, 0xDC)): 0.85,  # Arabic
    bytes(range(0xF0, 0xF5)): 2.7,  # emoji
    bytes({*range(0xC0, 0xF0)} - {*range(0xC3, 0xC8), *range(0xD0, 0xD4), *range(0xD8, 0xDC)}): 1.12,
}


def estimate(text: str | bytes) -> int:
    """Estimate the number of tokens in `text` from its bytes, without a tokenizer."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    size = 0.0
    if not data.isascii():
        size = sum(each * _count(data, first) for first, each in _FIRST.items())
        data = data.translate(None, _ABOVE)
    words = _count(data, _LETTERS)
    strange = sum(_count(run, _LETTERS) for run in _LONG.findall(data) if _is_random(run)) if _is_random(data) else 0
    return int(size + (words - strange) / _WORDS + (len(data) - words + strange) / _MARKS) + 1


def _is_random(data: bytes) -> bool:
    """Return True if a digit is between a small and a capital letter, which is rare in people's texts."""
    kinds = data.translate(_KINDS)
    return b"a0A" in kinds or b"A0a" in kinds


def _count(data: bytes, these: bytes) -> int:
    return len(data) - len(data.translate(None, these))


def window(limit: int) -> int:
    """Return the tokens that prompt and answer may have together, for this context limit."""
    return int(MOST * limit) + HEAD + REPLY


def limit(window: int) -> int:
    """Return the context limit, in tokens, that leaves room for everything else in the window."""
    return max(LEAST, int((window - min(REPLY, window // 4) - HEAD) / MOST))
