"""Recognise unique names such as codes, numbers and addresses in different spellings: `+1-415-555-0123` and `415 555
0123`, `192.168.001.005` and `192.168.1.5`, `ada+shop@example.com` and `ada@example.com`, `12/25/2025` and `2025-12-25`.
Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dotagent.text.words import UNSPACED

_NAME = re.compile(r"\d|\w[@_/]\w|\w\.\w\w")
_BETWEEN = re.compile(  # also in a table's row; Thai and Burmese digits are not letters
    rf"\s+|(?:(?!\d)[{UNSPACED}\uac00-\ud7a3，。、；：])+|(?<!\d)[,;|]|[,;|](?!\d)"
)
_ENTITY = re.compile(r"(&#?\w+);")
_AROUND = ".,;:!?()[]\"'“”’…"
_PHONE = re.compile(r"\+?[\d().-]{10,20}")
_IP = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_DATE = re.compile(r"(\d{4}|\d\d?)[-/.](\d\d?)[-/.](\d{4}|\d\d?)")
LONG, LOCAL = 7, 10  # characters of a code without its hyphens; digits of a phone number without a country code


def names(text: str) -> frozenset[str]:
    """Return the unique names in a text as written, in lower case."""
    text = _ENTITY.sub(r"\1", text.lower())  # in HTML, the sign of an entity is not a border
    return frozenset(word for one in _BETWEEN.split(text) if _NAME.search(word := one.strip(_AROUND)))


def forms(names: frozenset[str]) -> frozenset[str]:
    """Return all spellings of these names. Two names are the same if they share a spelling."""
    return frozenset(form for one in names for form in _forms(one))


def _forms(name: str) -> Iterator[str]:
    plain = re.sub(r"[^\w]|_", "", name)
    if "@" in name:
        local, _, host = name.replace('"', "").rpartition("@")
        yield f"{local.partition('+')[0]}@{host}"
    elif _IP.fullmatch(name):
        yield ".".join(str(int(part)) for part in name.split("."))
    elif date := _DATE.fullmatch(name):
        yield from _dates(*map(int, date.groups()))
    elif _PHONE.fullmatch(name) and len(plain) >= LOCAL:
        yield plain
        if len(plain) < LOCAL + 4:
            yield plain[-LOCAL:]
    elif len(plain) >= LONG and any(sign.isdigit() for sign in plain):
        yield plain


def _dates(first: int, second: int, third: int) -> Iterator[str]:
    """Yield the dates that three numbers can mean."""
    if first > 31:
        yield f"{first:04}-{second:02}-{third:02}"
    elif third > 31:
        yield from (
            f"{third:04}-{month:02}-{day:02}" for month, day in ((first, second), (second, first)) if month < 13
        )
