"""Read JSON from servers without trust: a missing value or one of an unexpected type becomes an empty value. Pure."""

from __future__ import annotations

import json

from dotagent.providers import ProviderError

MOST = 10**12  # larger numbers are mistakes or malice


def parsed(text: str | bytes, name: str, what: str) -> dict[str, object]:
    """Parse the JSON object that the server `name` sent; `what` names it in the error. Raises ProviderError
    (network)."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ProviderError("network", f"{name} sent something that is not {what}")
    return value


def value_at(value: object, *path: str) -> object:
    """Return the value at the end of a path of names, or None."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def number(value: object, *path: str) -> float | None:
    """Return a number for a time or a price (finite, not below 0), or None."""
    found = value_at(value, *path)
    if isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found < MOST:
        return float(found)
    return None


def count(value: object, *path: str) -> int:
    """Return a whole number above 0, or 0."""
    found = value_at(value, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) and 0 < found < MOST else 0


def text(value: object, *path: str) -> str:
    """Return a text, or ""."""
    found = value_at(value, *path)
    return found if isinstance(found, str) else ""


def table(value: object, *path: str) -> dict[str, object]:
    """Return an object, or {}."""
    found = value_at(value, *path)
    return found if isinstance(found, dict) else {}


def tables(value: object, *path: str) -> list[dict[str, object]]:
    """Return the objects in a list, or []."""
    found = value_at(value, *path)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


_WORDS = ("message", "detail", "msg", "error_message", "errorMessage", "error_msg")


def complaint(piece: dict[str, object]) -> dict[str, object]:
    """Return a piece of a stream that says something, but has no part of an answer, as an error; otherwise {}."""
    if code := count(piece, "base_resp", "status_code"):  # MiniMax's
        return {"code": f"base_resp {code}", "message": text(piece, "base_resp", "status_msg")}
    first = value_at(piece, "errors")
    first = first[0] if isinstance(first, list) and first else first
    inner = {"message": first} if isinstance(first, str) else first
    for one in (piece, inner):
        said = (text(one, name) for name in _WORDS)
        words = next((found for found in said if " " in found or not found.isascii()), "")
        if words and isinstance(one, dict):
            return {**one, "message": words}
    return {}
