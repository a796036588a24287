"""A server's rate limits, from the headers of its answers, so that callers slow down before they are refused.

OpenAI and similar servers send x-ratelimit-remaining-requests with -limit- and -reset-, and the same for tokens;
Anthropic anthropic-ratelimit-requests-remaining and so on; others RateLimit-Remaining. Most limits refill steadily
until `reset`, so a part is available after that part of the time. The last answer of each address is kept in this
process. LiteLLM puts `llm_provider-` before an upstream's names.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from datetime import datetime

from dotagent.providers.formats.place import origin

_NAME = re.compile(
    r"(?:llm_provider-)?(?:x-|anthropic-)?ratelimit-(?:(limit|remaining|reset)(?:-([a-z-]+))?|([a-z-]+)-(limit|remaining|reset))"
)
_PIECE = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,6})?")
_said: dict[str, tuple[float, dict[str, dict[str, str]]]] = {}


def note(url: str, headers: Mapping[str, str]) -> None:
    """Keep the limits in an answer from this address, replacing earlier ones."""
    found = limits(headers)
    if found:
        _said[origin(url) or ""] = time.time(), found


def seconds_left(url: str, share: float) -> float:
    """Return the seconds until this share of all limits is available; 0.0 if it is, or if there is no data."""
    at, found = _said.get(origin(url) or "", (0.0, {}))
    return max(0.0, at + wait(found, at, share) - time.time()) if found else 0.0


def limits(headers: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the headers' values by limited quantity (`requests`, `input-tokens`, or "" for the only one)."""
    found = dict[str, dict[str, str]]()
    for name, value in headers.items():
        if named := _NAME.fullmatch(name.lower()):
            found.setdefault(named[2] or named[3] or "", {})[named[1] or named[4]] = value.strip()
    return {what: said for what, said in found.items() if {"remaining", "reset"} <= said.keys()}


def renewal(headers: Mapping[str, str], present: float) -> float | None:
    """Return the seconds from `present` (Unix time) until the limits of which nothing is left are whole again, or None
    if the headers name no such limit."""
    spent = {what: said for what, said in limits(headers).items() if _number(said["remaining"]) == 0}
    return wait(spent, present, 1.0) or None


def wait(found: Mapping[str, Mapping[str, str]], present: float, share: float) -> float:
    """Return the seconds from `present` (Unix time) until this share of each limit is available, or until the reset if
    nothing is left and the limit is unknown."""
    pauses = [0.0]
    for said in found.values():
        remaining, most, reset = _number(said["remaining"]), _number(said.get("limit", "")), _reset(said, present)
        if remaining is None or reset is None:
            continue
        if not most:
            pauses.append(reset if remaining < 1 else 0.0)
        elif remaining < (wanted := max(1.0, share * most)) <= most:
            pauses.append(reset * (wanted - remaining) / (most - remaining))
    return max(pauses)


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None


def _reset(said: Mapping[str, str], present: float) -> float | None:
    """Return the seconds until the reset, given as a span ("6m0s", "20"), a date, or Unix time in seconds or
    milliseconds."""
    text = said["reset"]
    if (number := _number(text)) is not None:
        instant = number / 1000 if number > 1e11 else number
        return instant if instant < 1e8 else max(0.0, instant - present)
    pieces = _PIECE.findall(text)
    if pieces and "".join(map("".join, pieces)) == text:
        return sum(float(size) * _UNITS[unit] for size, unit in pieces)
    try:
        instant = datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(0.0, instant - present)
