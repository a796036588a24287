"""Estimate sizes in tokens from bytes, which costs nothing. Sizes reported by providers correct the estimates. Pure."""

from __future__ import annotations

from bisect import bisect_right

MOST = 1.5  # maximum size of the context, as a multiple of the limit
HEAD, REPLY = 2000, 4096  # tokens of a window before the context, and for the answer
LEAST = 500  # tokens that the context's limit has at least, even in a small window
OVERFULL = 1.4  # times the context's limit: above it the oldest entries fade at once

# Eleven numbers, fitted to the mean of twelve vocabularies. A byte of ASCII costs LENGTH, and STEP for each bit: a sign
# or a digit has one bit, a line break three, and each edge of a word one, and where cases and digits meet within it, as
# in base64. Another character costs ABOVE for each bit, by its first byte: Latin with marks; Greek, Cyrillic; Armenian,
# Hebrew; Arabic; Syriac; India; Georgian, Burmese; dashes, boxes; Chinese, kana, Hangul; pictures.
_LENGTH, _STEP, _ABOVE = 0.065, 0.43, 0.2
_SIGN, _DIGIT, _BREAK, _SMALL, _CAPITAL = 0b1, 0b1000_0001, 0b111, 0b0010_0000, 0b0100_0000
_CODES = bytes(
    _SMALL if sign.islower() else _CAPITAL if sign.isupper() else _DIGIT if sign.isdigit()
    else _BREAK if sign in "\t\n\r" else 0 if sign == " " else _SIGN
    for sign in map(chr, range(128))
) + bytes(128)  # fmt: skip
_STARTS = b"\xc2\xc9\xd4\xd8\xdc\xe0\xe1\xe2\xe3\xf0\xf5"
_BITS = (0, 7, 2, 5, 2, 5, 4, 5, 2, 4, 8, 0)
_FIRST = bytes((1 << _BITS[sum(code >= start for start in _STARTS)]) - 1 for code in range(256))
LONGEST = 16  # bytes: no token of the estimate is longer, not even of blanks
_PIECE = 8192  # bytes that are looked at together: they fit into the processor's cache
_EDGES = int.from_bytes(bytes([_SMALL | _CAPITAL | _DIGIT & ~_SIGN]) * _PIECE, "little")
_COSTS = int.from_bytes(bytes([_BREAK]) * _PIECE, "little")


def estimate(text: str | bytes, other: float = 1.0) -> int:
    """Estimate the number of tokens in `text` from its bytes, without a tokenizer. `other` is the factor for characters
    outside ASCII."""
    plain, rest = parts(text)
    return int(plain + other * rest) + 1


def parts(text: str | bytes) -> tuple[float, float]:
    """Return the estimated tokens of the characters of ASCII, and of the others."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    above = 0 if data.isascii() else sum(_whole(data, _FIRST, at).bit_count() for at in range(0, len(data), _PIECE))
    above -= (data.count(b"\xe0\xb8") + data.count(b"\xe0\xb9")) if above else 0  # Thai: a bit less than India
    data, bits = data.translate(None, bytes(range(128, 256))) if above else data, 0
    for at in range(0, len(data), _PIECE):
        codes = _whole(data, _CODES, at)
        bits += (codes & _COSTS | (codes ^ codes >> 8) & _EDGES).bit_count()
    return _LENGTH * len(data) + _STEP * bits, _ABOVE * above


def fits(data: bytes, most: int) -> bool:
    """Return True if the data has at most `most` tokens."""
    return len(data) <= most // 2 or (len(data) <= most * LONGEST and estimate(data) <= most)


def measure(data: bytes, most: int, *, end: bool = False) -> int:
    """Return how many bytes at the beginning of the data, or at its end, have `most` tokens."""
    size = min(len(data), most * LONGEST)
    return bisect_right(range(1, size + 1), most, key=lambda n: estimate(data[-n:] if end else data[:n]))


def _whole(data: bytes, table: bytes, at: int) -> int:
    """Translate bytes by the table and join them to one number: Python counts the bits of one number fastest."""
    return int.from_bytes(data[at : at + _PIECE].translate(table), "little")


def window(limit: int) -> int:
    """Return the tokens that prompt and answer may have together, for this context limit."""
    return int(MOST * limit) + HEAD + REPLY


def limit(window: int) -> int:
    """Return the context limit, in tokens, that leaves room for everything else in the window."""
    return max(LEAST, int((window - min(REPLY, window // 4) - HEAD) / MOST))
