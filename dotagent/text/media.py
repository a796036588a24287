"""Pictures, PDFs and sound: what bytes are, by their own first bytes, how large, and how many tokens a model counts.

Nothing is decoded here, only headers are read, of whatever anybody sent: what does not fit its form is none of them.
Pure.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import ceil, sqrt

PICTURE, PDF, SOUND = "image", "pdf", "sound"
KINDS = (PICTURE, PDF, SOUND)
"""What a model may see or hear, as settings and models.toml name it."""
MOST = 16  # of one message
LARGE = 100_000  # pixels of an edge, pages, seconds: what has more is none
_TYPES = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/gif": "GIF",
    "image/webp": "WebP",
    "image/bmp": "BMP",
    "application/pdf": "PDF",
    "audio/wav": "WAV",
    "audio/mpeg": "MP3",
    "audio/ogg": "Ogg",
    "audio/flac": "FLAC",
}
_STORED = re.compile(r"([0-9a-f]{32}):([a-z/]+):([0-9]{1,6})(?:x([0-9]{1,6}))?")
_RATES = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)  # MPEG 1, layer III, kbit/s
_SLOWER = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)  # MPEG 2 and 2.5
_PAGE = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")
_PAGES = re.compile(rb"/Count\s+(\d{1,5})")
_A_PAGE = 50_000  # bytes of a PDF whose pages cannot be counted without reading it


@dataclass(frozen=True)
class Media:
    """A blob that is a picture, a PDF or a sound: `size` is its width and height, its pages, or its seconds."""

    id: str
    type: str
    size: tuple[int, ...]

    @property
    def kind(self) -> str:
        """One of KINDS."""
        return kind(self.type)

    def __str__(self) -> str:
        """As it stands in LIFE and in a request."""
        return f"{self.id}:{self.type}:{'x'.join(map(str, self.size))}"


@dataclass(frozen=True)
class Senses:
    """What of these a model takes, and how many tokens it counts for each.

    A picture is scaled to an `edge` and a `short` one at most; each square of `unit` pixels is `each` tokens, beside
    `base`, and there are no more squares than `most`: it is scaled until they fit. 0 is no such limit, and without a
    `unit` a picture is `base` tokens. A `page` and a `second` are so many tokens.
    """

    kinds: tuple[str, ...] = ()
    edge: int = 1568
    short: int = 0
    unit: int = 28
    each: int = 1
    base: int = 0
    most: int = 1568
    page: int = 1500
    second: int = 32

    def fitted(self, size: Sequence[int]) -> tuple[int, int]:
        """The width and height to which a picture of this size is scaled; never a larger one."""
        wide, high = size
        scale = min(1.0, self.edge / max(wide, high) if self.edge else 1.0)
        scale = min(scale, self.short / min(wide, high) if self.short else 1.0)
        if self.most and self.unit and self._squares(wide * scale, high * scale) > self.most:
            scale = min(scale, sqrt(self.most * self.unit**2 / (wide * high)))
            across, down = wide * scale / self.unit, high * scale / self.unit
            scale *= min(max(1, int(across)) / across, max(1, int(down)) / down, 1.0)
            while self._squares(wide * scale, high * scale) > self.most and scale > 1e-4:
                scale *= 0.98
        return max(1, int(wide * scale)), max(1, int(high * scale))

    def tokens(self, one: Media) -> int:
        """How many tokens it is; 0 for what the model is not shown."""
        if one.kind not in self.kinds:
            return 0
        if one.kind == PICTURE:
            return self.base + self.each * (self._squares(*self.fitted(one.size)) if self.unit else 0)
        return one.size[0] * (self.page if one.kind == PDF else self.second)

    def _squares(self, wide: float, high: float) -> int:
        return ceil(int(wide) / self.unit) * ceil(int(high) / self.unit)

    def published(self) -> dict[str, object]:
        """As a table, which `sight` reads."""
        return {one.name: getattr(self, one.name) for one in fields(self)} | {"kinds": list(self.kinds)}


def sight(told: object) -> Senses:
    """The Senses of a table; what is no such thing there is as usual, and what has no kinds is shown nothing."""
    table: Mapping[str, object] = told if isinstance(told, Mapping) else {}
    numbers = {name: it for name, it in table.items() if type(it) is int and 0 <= it <= LARGE}
    kinds = table.get("kinds")
    known = {one.name for one in fields(Senses)} - {"kinds"}
    found = {name: it for name, it in numbers.items() if name in known}
    seen = tuple(one for one in KINDS if isinstance(kinds, list) and one in kinds)
    return replace(Senses(seen), **found)  # type: ignore[arg-type]


def kind(type: str) -> str:
    """Which of KINDS a media type is; "" for none."""
    return PDF if type == "application/pdf" else {"image": PICTURE, "audio": SOUND}.get(type.partition("/")[0], "")


def listed(many: Iterable[Media]) -> str:
    """Several, as they stand in LIFE and in a request."""
    return ",".join(map(str, many))


def parsed(text: str) -> tuple[Media, ...]:
    """What `listed` made; what is none of them is left out."""
    found = list[Media]()
    for one in text.split(",")[:MOST] if text else ():
        part = _STORED.fullmatch(one)
        if not part or part[2] not in _TYPES or (kind(part[2]) == PICTURE) != bool(part[4]):
            continue
        size = (int(part[3]), int(part[4])) if part[4] else (int(part[3]),)
        if all(0 < it <= LARGE for it in size):
            found.append(Media(part[1], part[2], size))
    return tuple(found)


def words(one: Media) -> str:
    """What it is: `a picture (PNG, 800×600)`."""
    if one.kind == PICTURE:
        return f"a picture ({_TYPES[one.type]}, {one.size[0]}×{one.size[1]})"
    count = f"{one.size[0]:,} {'page' if one.kind == PDF else 'second'}{'s' * (one.size[0] != 1)}"
    return f"a PDF ({count})" if one.kind == PDF else f"a sound ({_TYPES[one.type]}, {count})"


def look(data: bytes, id: str = "") -> Media | None:
    """What the bytes are; None for anything else, and for what has no sound header."""
    try:
        found = _look(data)
    except (struct.error, IndexError, ValueError):
        return None
    return Media(id, found[0], found[1:]) if found and all(0 < one <= LARGE for one in found[1:]) else None


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
    """The size stands in the frame's header, behind segments that each tell their length."""
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
