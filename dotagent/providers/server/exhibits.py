"""What a model is shown beside the text of its prompt: blobs that the request names, read and made fit for it here.

A picture is scaled to what the model takes, by Pillow, which only this process loads, and only for one that does not
fit as it is. What cannot be shown is told of in the provider's log; its line in the prompt stays.
"""

from __future__ import annotations

import base64
import importlib.util
import sys
from collections import OrderedDict
from collections.abc import Mapping
from io import BytesIO

from dotagent import providers
from dotagent.errors import Trouble
from dotagent.providers import Config, Exhibit, Provider, Seen
from dotagent.store import options, requests
from dotagent.store.blobs import Blobs
from dotagent.store.requests import Request
from dotagent.text import media
from dotagent.text.media import Media, Senses
from dotagent.text.reference import short

TAKES = (
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "application/pdf",
    "audio/wav",
    "audio/mpeg",
)
"""Media types that services take where they say nothing else."""
MANY = 100  # in one request, of which the last count
BYTES = 20_000_000  # of all in one request, in base64: services take 20 to 50 MB
ONE = 3_700_000  # bytes of a picture, which are 5 MB in base64
PIXELS = 50_000_000  # of a picture that is opened: what has more would take this machine's memory
KNOWN = 8  # exhibits that are remembered: the next request shows the same


class _Unfit(Exception):
    """Why something cannot be shown."""


def sight(kind: str, config: Config, seen: Seen) -> Senses:
    """What a model of this provider sees: as settings say, else as its server tells, else as models.toml knows."""
    known = providers.models(config.server) or providers.models(kind)
    row = options.longest(known.get("models", {}), seen.model)
    told = config.settings.get("sees", seen.sees if seen.sees is not None else row.get("sees", ""))
    rule = options.longest(known.get("sight", {}), seen.model)
    return media.sight({**rule, "kinds": str(told).split()})


class Exhibits:
    """The exhibits of requests, of which the last few are remembered."""

    def __init__(self, store: Blobs) -> None:
        self._store = store
        self._ready: OrderedDict[tuple[str, Senses], tuple[str, str]] = OrderedDict()
        self._told = set[str]()

    def of(self, asked: Request, provider: Provider, seen: Senses) -> Mapping[int, tuple[Exhibit, ...]]:
        """What is shown in which message; of more than a request may hold the last."""
        found: dict[int, tuple[Exhibit, ...]] = {}
        there = [(number, at, one) for number, many in requests.shown(asked.parts).items() for at, one in many]
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
                self._tell(one, "with what came after it, it is more than a request may hold")
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
            raise _Unfit(f"{kind} is not taken")
        made = self._ready[one.id, seen] = kind, base64.b64encode(data).decode()
        while len(self._ready) > KNOWN:
            self._ready.popitem(last=False)
        return made

    def _tell(self, one: Media, why: str) -> None:
        if one.id not in self._told:
            self._told.add(one.id)
            print(f"{short(one.id)} is not shown: {why}", file=sys.stderr, flush=True)


def fit(data: bytes, one: Media, seen: Senses, takes: tuple[str, ...]) -> tuple[str, bytes]:
    """A picture of a type and size that is taken, and its type. Raises _Unfit."""
    if one.type in takes and seen.fitted(one.size) == one.size and len(data) <= ONE:
        return one.type, data
    if not importlib.util.find_spec("PIL"):
        raise _Unfit("it must be made smaller, which needs Pillow: `pip install pillow`, and start it again")
    if one.size[0] * one.size[1] > PIXELS:
        raise _Unfit(f"it has more than {PIXELS // 1_000_000} million pixels")
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = PIXELS
    try:
        with Image.open(BytesIO(data)) as opened:
            opened.draft("RGB", seen.fitted(one.size))
            turned = ImageOps.exif_transpose(opened)
            clear = turned.has_transparency_data
            plain = turned.convert("RGBA" if clear else "RGB")
        small = plain.resize(seen.fitted(plain.size), Image.Resampling.LANCZOS)
    except (OSError, ValueError, SyntaxError, MemoryError, Image.DecompressionBombError) as error:
        raise _Unfit(f"it cannot be read ({error})") from None
    return _written(small, lossless=clear or one.type != "image/jpeg")


def _written(picture: object, *, lossless: bool) -> tuple[str, bytes]:
    """The picture as PNG where that is small enough and nothing would be lost by it, else as JPEG."""
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
