"""The meaning of the reason of an answer's end and of the code of an error, from the tables of reasons.toml, one for
each wire format. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Literal, get_args

from dotagent import providers

Meaning = Literal[
    "whole",
    "cut",
    "spoilt",
    "withheld",
    "refused",
    "request",
    "long",
    "wait",
    "tomorrow",
    "credit",
    "key",
    "right",
    "model",
    "again",
]
MEANINGS: tuple[Meaning, ...] = get_args(Meaning)
EXACT: tuple[Meaning, ...] = ("long", "credit", "refused", "key", "right", "model")
"""Meanings of a code that say more than an HTTP status."""


def end(form: str, reason: str) -> Meaning:
    """Return what a format's reason means; a gateway may hand on that of another format, or write it otherwise, such as
    `content-filter` or `REASON_MAX_LEN`."""
    name = reason.lower().replace("-", "_")
    name = name if name in _table("", "ends") else name.removeprefix("finish_").removeprefix("reason_")
    return _table(form, "ends").get(name) or _table("", "ends").get(name, "spoilt")


def code(names: Iterable[str]) -> Meaning | None:
    """Return what the codes of an error mean, given from the most exact to the most general; None if all are
    unknown."""
    found = [meaning for name in names if (meaning := _table("", "codes").get(name.lower()))]
    return next((one for one in found if one in EXACT), found[0] if found else None)


@cache
def _table(form: str, what: str) -> Mapping[str, Meaning]:
    """Return the meanings of a format's ends or codes, or with "" those of all formats, by names in lower case."""
    rows = [
        row for name, tables in providers.facts("reasons").items() if form in ("", name) for row in tables.get(what, ())
    ]
    return {one.lower(): meaning for row in reversed(rows) for meaning in MEANINGS for one in row.get(meaning, ())}
