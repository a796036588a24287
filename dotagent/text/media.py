"""Pictures, PDFs and sounds: their kinds and sizes, as LIFE and requests name them. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from dotagent.text import lazy
from dotagent.text.lazy import dataclass

PICTURE, PDF, SOUND = "image", "pdf", "sound"
KINDS = (PICTURE, PDF, SOUND)
"""The kinds of media that a model accepts, as named in settings and models.toml."""
MOST = 16  # media of one message
LARGE = 100_000  # pixels of an edge, pages, or seconds: larger media are rejected
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
_STORED = lazy.compile(r"([0-9a-f]{32}):([a-z/]+):([0-9]{1,6})(?:x([0-9]{1,6}))?")


@dataclass(frozen=True)
class Media:
    """A blob that is a picture, a PDF or a sound: `size` is its width and height, its pages, or its seconds."""

    id: str
    type: str
    size: tuple[int, ...]

    @property
    def kind(self) -> str:
        """Return its kind, one of KINDS."""
        return kind(self.type)

    def __str__(self) -> str:
        """Format it as in LIFE and in requests."""
        return f"{self.id}:{self.type}:{'x'.join(map(str, self.size))}"


def kind(type: str) -> str:
    """Return the kind of a media type, or ""."""
    return PDF if type == "application/pdf" else {"image": PICTURE, "audio": SOUND}.get(type.partition("/")[0], "")


def format_media(many: Iterable[Media]) -> str:
    """Format several media as in LIFE and in requests."""
    return ",".join(map(str, many))


def parsed(text: str) -> tuple[Media, ...]:
    """Parse the output of `listed`, without invalid items."""
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
    """Describe the media, e.g. `a picture (PNG, 800×600)`."""
    if one.kind == PICTURE:
        return f"a picture ({_TYPES[one.type]}, {one.size[0]}×{one.size[1]})"
    count = f"{one.size[0]:,} {'page' if one.kind == PDF else 'second'}{'s' * (one.size[0] != 1)}"
    return f"a PDF ({count})" if one.kind == PDF else f"a sound ({_TYPES[one.type]}, {count})"


def recognise(data: bytes, id: str = "") -> Media | None:
    """Recognise the bytes. Return None if they are anything else, or have a broken header."""
    from dotagent.text import media_headers  # many agents see no media

    found = media_headers.read(data)
    return Media(id, found[0], found[1:]) if found and all(0 < one <= LARGE for one in found[1:]) else None
