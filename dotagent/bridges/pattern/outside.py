"""The door for what a world tells: values from outside become values of a known type, within bounds, or are Odd. Pure.

A transport reads JSON of its world by nothing else, and makes what it tells by `made`: so one update, however odd,
costs itself and a line in the log, never the bridge.
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
"""What making something of what is odd may raise, in a library too."""
DIGITS = 19  # of the largest number
Json = Mapping[str, object]
T = TypeVar("T")


def made(make: Callable[[], T], tell: Callable[[str], None]) -> T | None:
    """What is made of something that came; None, and a line for the owner, when that is odd."""
    try:
        return make()
    except ODD as odd:
        tell(f"something of an unknown form is passed over: {type(odd).__name__} {str(odd)[:200]}")
        return None


def read(body: bytes) -> object:
    """What JSON says; a number that is out of all measure is none. Raises Odd."""
    try:
        return json.loads(body.decode("utf-8", "replace"), parse_int=_number, parse_constant=lambda word: None)
    except (ValueError, RecursionError) as wrong:
        raise Odd(f"it is no JSON ({type(wrong).__name__})") from None


def _number(digits: str) -> int | None:
    return int(digits) if len(digits) <= DIGITS else None


def number(value: object, most: int = MOST) -> int:
    """A whole number. Raises Odd."""
    if type(value) is int and abs(value) <= most:
        return value
    raise Odd(f"a number was to come, and {_shown(value)} came")


def id_of(value: object) -> str:
    """An id, told as a number or as its digits. Raises Odd."""
    if isinstance(value, str) and re.fullmatch(f"[0-9]{{1,{DIGITS}}}", value):
        return value
    return str(number(value))


def text(value: object) -> str:
    """A text; none is an empty one. Raises Odd."""
    if value is None or (isinstance(value, str) and len(value) <= LONGEST):
        return value or ""
    raise Odd(f"a text was to come, and {_shown(value)} came")


def table(value: object) -> Json:
    """An object; none is an empty one. Raises Odd."""
    if value is None or isinstance(value, dict):
        return value or {}
    raise Odd(f"an object was to come, and {_shown(value)} came")


def tables(value: object) -> list[Json]:
    """A list of objects; none is an empty one. Raises Odd."""
    if value is None or (isinstance(value, list) and len(value) <= MANY):
        return [table(one) for one in value or ()]
    raise Odd(f"a list was to come, and {_shown(value)} came")


def when(seconds: object) -> str:
    """A time since 1970, as rooms have it. Raises Odd."""
    try:
        return times.of(datetime.fromtimestamp(number(seconds), UTC))
    except (OverflowError, OSError, ValueError):
        raise Odd(f"a time was to come, and {_shown(seconds)} came") from None


def _shown(value: object) -> str:
    return type(value).__name__ if isinstance(value, list | dict | str) else str(value)[:40]
