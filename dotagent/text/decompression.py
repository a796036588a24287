"""Unpack compressed HTTP bodies in small pieces, so that a decompression bomb stops at a limit of bytes. Pure.

A library that unpacks each piece completely turns 64 KB into 64 MB, or, packed twice, into 64 GB.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

ACCEPTED = "gzip, deflate"
STEP = 1 << 16  # bytes unpacked at once
LAYERS = 3  # the most encodings of one body; more indicate an attack

_WINDOW = {"gzip": 31, "x-gzip": 31, "deflate": 15}


class NotUnpacked(Exception):
    """A body that cannot be unpacked, with the reason."""


class TooLarge(Exception):
    """A body that exceeds the limit while it is unpacked."""


class Unpacking:
    """A body with this `Content-Encoding`; each layer may unpack to at most `most` bytes.

    Raises NotUnpacked for an encoding that was not requested.
    """

    def __init__(self, encoding: str, most: int) -> None:
        names = [one for one in encoding.lower().replace(" ", "").split(",") if one not in ("", "identity")]
        if len(names) > LAYERS or not all(name in _WINDOW for name in names):
            raise NotUnpacked(f"the answer is compressed as {encoding[:60]!r}, which dotagent did not ask for")
        self._layers = [_Layer(_WINDOW[name], most) for name in reversed(names)]

    def add(self, piece: bytes, at: int = 0) -> Iterator[bytes]:
        """Yield the unpacked content of this piece, at most STEP bytes at a time. Raises NotUnpacked and TooLarge."""
        if at == len(self._layers):
            yield piece
            return
        for part in self._layers[at].add(piece):
            yield from self.add(part, at + 1)


class _Layer:
    def __init__(self, window: int, most: int) -> None:
        self._window, self._left = window, most
        self._engine = zlib.decompressobj(window)
        self._begun = self._whole = False  # a first byte came; a first member ended

    def add(self, piece: bytes) -> Iterator[bytes]:
        if piece and not self._begun:
            self._begun = True
            if self._window == _WINDOW["deflate"] and piece[0] & 15 != zlib.DEFLATED:
                self._engine = zlib.decompressobj(-self._window)  # without zlib's frame, as some servers send it
        full = False
        while piece or full:
            try:
                part = self._engine.decompress(piece, STEP)
            except zlib.error:
                if self._whole:  # padding after the end, which other programs ignore, too
                    return
                raise NotUnpacked("the answer is compressed in a form that dotagent cannot read") from None
            self._left -= len(part)
            if self._left < 0:
                raise TooLarge
            if part:
                yield part
            full = len(part) == STEP  # zlib may still have output, even after reading all of its input
            piece = self._engine.unconsumed_tail
            if self._engine.eof:
                piece, full, self._whole = self._engine.unused_data, False, True
                self._engine = zlib.decompressobj(self._window)  # gzip allows another member
