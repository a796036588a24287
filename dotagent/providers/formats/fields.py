"""The JSON that servers send, read without trust: what is missing, or of another kind than expected, is nothing."""

from __future__ import annotations

import json

from dotagent.providers import ProviderError

MOST = 10**12  # of any number that is told: what is more is a mistake, or malice


def parsed(text: str | bytes, name: str, what: str) -> dict[str, object]:
    """The JSON object that the server `name` sent; `what` it should be. Raises ProviderError (network)."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ProviderError("network", f"{name} sent something that is not {what}")
    return value


def at(value: object, *path: str) -> object:
    """What stands at the end of a path of names; None when the path ends before."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def number(value: object, *path: str) -> float | None:
    """A number that can be a time or a price: not below 0, and finite; else None."""
    found = at(value, *path)
    if isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found < MOST:
        return float(found)
    return None


def count(value: object, *path: str) -> int:
    """A whole number above 0 that can be a count, else 0."""
    found = at(value, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 < found < MOST else 0


def text(value: object, *path: str) -> str:
    """A text, else the empty one."""
    found = at(value, *path)
    return found if isinstance(found, str) else ""


def table(value: object, *path: str) -> dict[str, object]:
    """An object, else an empty one."""
    found = at(value, *path)
    return found if isinstance(found, dict) else {}


def tables(value: object, *path: str) -> list[dict[str, object]]:
    """The objects of a list, else none."""
    found = at(value, *path)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
