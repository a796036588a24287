"""Estimate sizes in tokens from bytes, which costs nothing; of a long text, only from parts of it. Sizes reported by
providers correct the estimates. Pure."""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Iterator

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
_TIMES = (0, 7, 2, 5, 2, 5, 4, 5, 2, 4, 8, 0)
_FIRST = bytes(_TIMES[sum(code >= start for start in _STARTS)] for code in range(256))
_THAI = _FIRST[:0xE0] + b"\3" + _FIRST[0xE1:]
_BEYOND = bytes(range(128, 256))
LONGEST = 16  # bytes: no token of the estimate is longer, not even of blanks
_PIECE = 4096  # bytes that one step examines: they fit into the processor's cache
_COMPLETE, _PART = 32 * 1024, 4  # bytes that are read completely; later, only the first fourth of each piece
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
    length = bits = above = 0
    for piece, many in _pieces(data):
        if not piece.isascii():
            above += many * _sum_above(piece)
            piece = piece.translate(None, _BEYOND)
        codes = int.from_bytes(piece.translate(_CODES), "little")  # Python counts the bits of one number fastest
        bits += many * (codes & _COSTS | (codes ^ codes >> 8) & _EDGES).bit_count()
        length += many * len(piece)
    return _LENGTH * length + _STEP * bits, _ABOVE * above


def _pieces(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield the pieces of the data, each with the number of times that its tokens count."""
    for at in range(0, len(data), _PIECE):
        if at < _COMPLETE or at + _PIECE > len(data):
            yield data[at : at + _PIECE], 1
        else:
            yield data[at : at + _PIECE // _PART], _PART


def _sum_above(piece: bytes) -> int:
    """Add up the costs of the characters outside ASCII: the lower half of this checksum is 1 more than the sum of the
    bytes. A Thai letter begins as one of India and costs a bit less, so the first such letter decides for all."""
    first = piece.find(0xE0) + 1
    table = _THAI if first and piece[first : first + 1] in (b"\xb8", b"\xb9") else _FIRST
    return (zlib.adler32(piece.translate(table)) & 0xFFFF) - 1


def fits(data: bytes, most: int) -> bool:
    """Return True if the data has at most `most` tokens."""
    return len(data) <= most // 2 or (len(data) <= most * LONGEST and estimate(data) <= most)


def measure(data: bytes, most: int, *, end: bool = False) -> int:
    """Return how many bytes at the beginning of the data, or at its end, have `most` tokens."""
    size = min(len(data), most * LONGEST)
    return bisect_right(range(1, size + 1), most, key=lambda n: estimate(data[-n:] if end else data[:n]))


def window(limit: int) -> int:
    """Return the tokens that prompt and answer may have together, for this context limit."""
    return int(MOST * limit) + HEAD + REPLY


def limit(window: int) -> int:
    """Return the context limit, in tokens, that leaves room for everything else in the window."""
    return max(LEAST, int((window - min(REPLY, window // 4) - HEAD) / MOST))
