"""Pictures, PDFs and sounds: their size, and the tokens that a model counts for each. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, sqrt

from dotagent.text import lazy
from dotagent.text.lazy import dataclass, fields, replace

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


@dataclass(frozen=True)
class Senses:
    """The media that a model accepts, and the tokens that it counts for each.

    A picture is scaled down so that its longer side is at most `edge` and its shorter at most `short`. It costs `base`
    tokens plus `each` for each square of `unit` pixels, and is scaled until there are at most `most` squares. 0 means
    no limit; without a `unit` a picture costs `base` tokens. `page` and `second` are the tokens of a PDF's page and a
    sound's second.
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
        """Return the width and height after scaling down a picture of this size."""
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
        """Return the tokens of the media, or 0 if the model does not accept it."""
        if one.kind not in self.kinds:
            return 0
        if one.kind == PICTURE:
            return self.base + self.each * (self._squares(*self.fitted(one.size)) if self.unit else 0)
        return one.size[0] * (self.page if one.kind == PDF else self.second)

    def _squares(self, wide: float, high: float) -> int:
        return ceil(int(wide) / self.unit) * ceil(int(high) / self.unit)

    def published(self) -> dict[str, object]:
        """Return the values as a table for `sight`."""
        return {one.name: getattr(self, one.name) for one in fields(self)} | {"kinds": list(self.kinds)}


def make_senses(told: object) -> Senses:
    """Build Senses from a table. Invalid values get their defaults, and without kinds nothing is shown."""
    table: Mapping[str, object] = told if isinstance(told, Mapping) else {}
    numbers = {name: it for name, it in table.items() if type(it) is int and 0 <= it <= LARGE}
    kinds = table.get("kinds")
    known = {one.name for one in fields(Senses)} - {"kinds"}
    found = {name: it for name, it in numbers.items() if name in known}
    seen = tuple(one for one in KINDS if isinstance(kinds, list) and one in kinds)
    return replace(Senses(seen), **found)  # type: ignore[arg-type]


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
