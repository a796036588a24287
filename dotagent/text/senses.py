"""The media that a model can read, and the tokens that it counts for each. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, sqrt

from dotagent.text.lazy import dataclass, fields, replace
from dotagent.text.media import KINDS, LARGE, PDF, PICTURE, Media


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
