"""Recognise pictures, PDFs and sounds by their first bytes, and read their size.

Only headers are parsed, nothing is decoded, because anyone may have sent the bytes. Malformed data is not recognised.
Pure.
"""

from __future__ import annotations

import struct

from dotagent.text import lazy

_RATES = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)  # MPEG 1, layer III, kbit/s
_SLOWER = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)  # MPEG 2 and 2.5
_PAGE = lazy.compile(rb"/Type\s*/Page(?![a-zA-Z])")
_PAGES = lazy.compile(rb"/Count\s+(\d{1,5})")
_A_PAGE = 50_000  # bytes for each page of a PDF whose pages cannot be counted in its bytes


def read(data: bytes) -> tuple[str, *tuple[int, ...]] | None:
    """Return the media type and its width and height, pages, or seconds. Return None for anything else, or for a broken
    header."""
    try:
        return _look(data)
    except (struct.error, IndexError, ValueError):
        return None


def _look(data: bytes) -> tuple[str, *tuple[int, ...]] | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR":
        return "image/png", *struct.unpack(">II", data[16:24])
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif", *struct.unpack("<HH", data[6:10])
    if data.startswith(b"\xff\xd8\xff"):
        return _jpeg(data)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _webp(data)
    if data.startswith(b"BM") and data[6:10] == bytes(4) and data[15:18] == bytes(3):
        wide, high = struct.unpack("<ii", data[18:26])
        return "image/bmp", wide, abs(high)
    if data.startswith(b"%PDF-"):
        pages = len(_PAGE.findall(data)) or max(map(int, _PAGES.findall(data)), default=0)
        return "application/pdf", pages or len(data) // _A_PAGE + 1
    return _sound(data)


def _jpeg(data: bytes) -> tuple[str, int, int] | None:
    """Return the size in the frame header, which follows segments that each state their length."""
    at = 2
    while at < len(data):
        if data[at] != 0xFF:
            return None
        mark = data[at + 1]
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            high, wide = struct.unpack(">HH", data[at + 5 : at + 9])
            return "image/jpeg", wide, high
        at += 1 if mark == 0xFF else 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
    return None


def _webp(data: bytes) -> tuple[str, int, int] | None:
    form = data[12:16]
    if form == b"VP8 ":
        wide, high = struct.unpack("<HH", data[26:30])
        return "image/webp", wide & 0x3FFF, high & 0x3FFF
    if form == b"VP8L":
        bits = struct.unpack("<I", data[21:25])[0]
        return "image/webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if form == b"VP8X":
        wide, high = (int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27))
        return "image/webp", wide, high
    return None


def _sound(data: bytes) -> tuple[str, int] | None:
    if data.startswith(b"RIFF") and data[8:12] == b"WAVE":
        at = data.find(b"fmt ", 12, 4096)
        return ("audio/wav", _seconds(len(data), struct.unpack("<I", data[at + 16 : at + 20])[0])) if at > 0 else None
    if data.startswith(b"fLaC"):
        rate, samples = int.from_bytes(data[18:21], "big") >> 4, int.from_bytes(data[21:26], "big") & 0xFFFFFFFFF
        return "audio/flac", _seconds(samples, rate)
    if data.startswith(b"OggS"):
        opus, last = b"OpusHead" in data[:64], data.rfind(b"OggS")
        rate = 48_000 if opus else struct.unpack("<I", data[40:44])[0] if b"vorbis" in data[:64] else 0
        return ("audio/ogg", _seconds(struct.unpack("<q", data[last + 6 : last + 14])[0], rate)) if rate else None
    start = 0
    if data.startswith(b"ID3"):
        start = 10 + sum((one & 0x7F) << shift for one, shift in zip(data[6:10], (21, 14, 7, 0), strict=True))
    first, second, third = data[start : start + 3]
    if first != 0xFF or second & 0xE6 != 0xE2:  # a frame of layer III
        return None
    rate = (_RATES if second & 0x18 == 0x18 else _SLOWER)[third >> 4] * 125
    return ("audio/mpeg", _seconds(len(data) - start, rate)) if rate else None


def _seconds(size: int, rate: int) -> int:
    return max(1, round(size / rate)) if rate else 0
