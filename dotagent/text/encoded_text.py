"""Find base64 and hex text inside other text. Pure."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

LEAST = 8  # characters of the shortest run

_RUN = re.compile(rf"(?:[A-Za-z0-9+/_-]{{60,}}\s{{1,4}})*[A-Za-z0-9+/_-]{{{LEAST},}}={{0,2}}")
_PART = re.compile(rf"[A-Za-z0-9]{{{LEAST},}}={{0,2}}")  # without characters that also separate words
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2}[ :]?){8,}")
_PLAIN = re.compile(r"(?:[^\W_]|[\s\x21-\x7e\u2010-\u2027])+")

Run = tuple[int, int, bytes]


def runs(text: str) -> Iterator[Run]:
    """Yield the start and end of each run, and the decoded bytes."""
    for form, read in ((_RUN, _base64), (_PART, _base64), (_HEX, _hex)):
        for found in form.finditer(text):
            if raw := read(found[0]):
                yield found.start(), found.end(), raw


def texts(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the runs that decode to text, with the text."""
    for begin, end, raw in runs(text):
        if told := words(raw):
            yield begin, end, told


def words(raw: bytes) -> str:
    """Decode the bytes as UTF-8 or UTF-16 text. Return "" if they are not text."""
    try:
        told = raw.decode("utf-16-le" if raw[1:2] == b"\0" else "utf-16-be" if raw[:1] == b"\0" else "utf-8")
    except UnicodeDecodeError:
        return ""
    return told if _PLAIN.fullmatch(told) else ""


def _base64(run: str) -> bytes:
    packed = re.sub(r"[\s=]", "", run).translate({ord("-"): "+", ord("_"): "/"})
    if len(packed) % 4 == 1:
        return b""
    return base64.b64decode(packed + "=" * (-len(packed) % 4))


def _hex(run: str) -> bytes:
    try:
        return binascii.unhexlify(re.sub(r"[ :]", "", run))
    except binascii.Error:
        return b""
