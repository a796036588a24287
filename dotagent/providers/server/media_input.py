"""The media for a model: blobs named by the request, read and converted here.

Pillow scales pictures that are too large; only this process loads it, and only when needed. Media that cannot be shown
are reported in the provider's log, and their line in the prompt stays. Owns nothing on disk.
"""

from __future__ import annotations

import base64
import importlib.util
import sys
from collections import OrderedDict
from collections.abc import Mapping
from io import BytesIO

from dotagent import packages, providers
from dotagent.errors import Trouble
from dotagent.providers import Config, Exhibit, Provider, Seen
from dotagent.store import options, request_rebuilding
from dotagent.store.blobs import Blobs
from dotagent.store.request_rebuilding import Request
from dotagent.text import media
from dotagent.text.media import Media
from dotagent.text.reference import short
from dotagent.text.senses import Senses, make_senses

TAKES = ("image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", "audio/wav", "audio/mpeg")
"""Media types that services accept by default."""
MANY = 100  # the most media in one request; the last ones win
BYTES = 20_000_000  # the most base64 in one request; services allow 20 to 50 MB
ONE = 3_700_000  # bytes of a picture, which are 5 MB in base64
PIXELS = 50_000_000  # the largest picture; a larger one would fill this machine's memory
KNOWN = 8  # media kept in memory, because the next request has the same


class _Unfit(Exception):
    """The reason why a medium cannot be shown."""


def find_senses(kind: str, config: Config, seen: Seen) -> Senses:
    """Return the media that a model accepts: by settings, otherwise by its server, otherwise by models.toml."""
    known = providers.models(config.server) or providers.models(kind)
    row = options.longest(known.get("models", {}), seen.model)
    told = config.settings.get("sees", seen.sees if seen.sees is not None else row.get("sees", ""))
    rule = options.longest(known.get("sight", {}), seen.model)
    return make_senses({**rule, "kinds": str(told).split()})


class Exhibits:
    """The media of requests, with a cache of recent ones."""

    def __init__(self, store: Blobs) -> None:
        self._store = store
        self._ready: OrderedDict[tuple[str, Senses], tuple[str, str]] = OrderedDict()
        self._told = set[str]()

    def of(self, asked: Request, provider: Provider, seen: Senses) -> Mapping[int, tuple[Exhibit, ...]]:
        """Return the media for each message. If there are too many for a request, the last ones win."""
        found: dict[int, tuple[Exhibit, ...]] = {}
        there = [
            (number, at, one)
            for number, many in request_rebuilding.media_by_message(asked.parts).items()
            for at, one in many
        ]
        wanted = [each for each in there if each[2].kind in seen.kinds]
        takes, left = getattr(provider, "TAKES", TAKES), BYTES
        for number, at, one in reversed(wanted[-MANY:]):
            try:
                kind, data = self._made(one, seen, takes)
            except (_Unfit, Trouble) as why:
                self._tell(one, str(why))
                continue
            left -= len(data)
            if left < 0:
                self._tell(one, "together with later pictures, this file is too large for one request")
                break
            name = f"{short(one.id)}.{kind.rpartition('/')[2]}"
            found[number] = (Exhibit(at, one.kind, kind, data, name, seen.tokens(one)), *found.get(number, ()))
        return found

    def _made(self, one: Media, seen: Senses, takes: tuple[str, ...]) -> tuple[str, str]:
        if ready := self._ready.get((one.id, seen)):
            self._ready.move_to_end((one.id, seen))
            return ready
        data, kind = self._store.get(one.id).body, one.type
        if one.kind == media.PICTURE:
            kind, data = fit(data, one, seen, takes)
        elif kind not in takes:
            raise _Unfit(f"the model does not accept {kind}")
        made = self._ready[one.id, seen] = kind, base64.b64encode(data).decode()
        while len(self._ready) > KNOWN:
            self._ready.popitem(last=False)
        return made

    def _tell(self, one: Media, why: str) -> None:
        if one.id not in self._told:
            self._told.add(one.id)
            print(f"{short(one.id)} is not shown: {why}", file=sys.stderr, flush=True)


def fit(data: bytes, one: Media, seen: Senses, takes: tuple[str, ...]) -> tuple[str, bytes]:
    """Return a picture in an accepted type and size, and its type. Raises _Unfit."""
    if one.type in takes and seen.fitted(one.size) == one.size and len(data) <= ONE:
        return one.type, data
    if not importlib.util.find_spec("PIL"):
        raise _Unfit(
            f"the picture is too large, and making it smaller needs Pillow: run `{packages.bring('')}`, then restart"
        )
    if one.size[0] * one.size[1] > PIXELS:
        raise _Unfit(f"the picture has more than {PIXELS // 1_000_000} million pixels")
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = PIXELS
    try:
        with Image.open(BytesIO(data)) as opened:
            opened.draft("RGB", seen.fitted(one.size))
            turned = ImageOps.exif_transpose(opened)
            if turned.mode.startswith("I;16"):  # Pillow converts all values over 255 to white
                turned = turned.point(lambda value: value * (1 / 257)).convert("L")
            clear = turned.has_transparency_data
            plain = turned.convert("RGBA" if clear else "RGB")
        small = plain.resize(seen.fitted(plain.size), Image.Resampling.LANCZOS)
    except (OSError, ValueError, SyntaxError, MemoryError, Image.DecompressionBombError) as error:
        raise _Unfit(f"the picture cannot be read ({error})") from None
    return _encode(small, lossless=clear or one.type != "image/jpeg")


def _encode(picture: object, *, lossless: bool) -> tuple[str, bytes]:
    """Encode the picture as PNG if it is small enough and `lossless`, otherwise as JPEG."""
    from PIL import Image

    assert isinstance(picture, Image.Image)
    if lossless:
        file = BytesIO()
        picture.save(file, "PNG")
        if file.tell() <= ONE // 2:
            return "image/png", file.getvalue()
    file = BytesIO()
    picture.convert("RGB").save(file, "JPEG", quality=85)
    return "image/jpeg", file.getvalue()
