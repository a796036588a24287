"""Validate incoming data: outside values become values of a known type within bounds, or raise Odd. Pure.

A transport reads its network's JSON only with this module, and builds its events with `made`. So an invalid event is
skipped with a line in the log, and never ends the bridge.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TypeVar

from dotagent.bridges import LONGEST, MANY, MOST, Odd
from dotagent.text import times

ODD = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""The exceptions that processing invalid data may raise, also in a library."""
DIGITS = 19  # digits of the largest number
Json = Mapping[str, object]
T = TypeVar("T")


def make_or_report(make: Callable[[], T], tell: Callable[[str], None]) -> T | None:
    """Return the result of `make`, or None with a line for the owner if the data is invalid."""
    try:
        return make()
    except ODD as odd:
        tell(f"skipped data from the chat network that has an unknown form: {type(odd).__name__} {str(odd)[:200]}")
        return None


def read(body: bytes) -> object:
    """Parse JSON. An excessive number becomes None. Raises Odd."""
    try:
        return json.loads(body.decode("utf-8", "replace"), parse_int=_number, parse_constant=lambda word: None)
    except (ValueError, RecursionError) as wrong:
        raise Odd(f"the data is not JSON ({type(wrong).__name__})") from None


def _number(digits: str) -> int | None:
    return int(digits) if len(digits) <= DIGITS else None


def number(value: object, most: int = MOST) -> int:
    """Return a whole number. Raises Odd."""
    if type(value) is int and abs(value) <= most:
        return value
    raise Odd(f"expected a number, got {_describe(value)}")


def id_of(value: object) -> str:
    """Return an id, given as a number or as digits. Raises Odd."""
    if isinstance(value, str) and re.fullmatch(f"[0-9]{{1,{DIGITS}}}", value):
        return value
    return str(number(value))


def text(value: object) -> str:
    """Return a text, "" if missing. Raises Odd."""
    if value is None or (isinstance(value, str) and len(value) <= LONGEST):
        return value or ""
    raise Odd(f"expected a text, got {_describe(value)}")


def table(value: object) -> Json:
    """Return an object, empty if missing. Raises Odd."""
    if value is None or isinstance(value, dict):
        return value or {}
    raise Odd(f"expected an object, got {_describe(value)}")


def tables(value: object) -> list[Json]:
    """Return a list of objects, empty if missing. Raises Odd."""
    if value is None or (isinstance(value, list) and len(value) <= MANY):
        return [table(one) for one in value or ()]
    raise Odd(f"expected a list, got {_describe(value)}")


def when(seconds: object) -> str:
    """Format seconds since 1970 as in rooms. Raises Odd."""
    try:
        return times.make_stamp(datetime.fromtimestamp(number(seconds), UTC))
    except (OverflowError, OSError, ValueError):
        raise Odd(f"expected a time, got {_describe(seconds)}") from None


def _describe(value: object) -> str:
    return type(value).__name__ if isinstance(value, list | dict | str) else str(value)[:40]
