"""A server's rate limits, from the headers of its answers, so that callers slow down before they are refused.

OpenAI and similar servers send x-ratelimit-remaining-requests with -limit- and -reset-, and the same for tokens;
Anthropic anthropic-ratelimit-requests-remaining and so on; others the fields of the IETF's draft
draft-ietf-httpapi-ratelimit-headers: RateLimit-Remaining and so on up to version 06, a dictionary in RateLimit in
version 07, and since 08 a list in RateLimit whose limits are in RateLimit-Policy. Most limits refill steadily until
`reset`, so a part is available after that part of the time. The last answer of each address is kept in this process.
LiteLLM puts `llm_provider-` before an upstream's names.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

from dotagent.providers.formats.place import origin

_NAME = re.compile(
    r"(?:llm_provider-)?(?:x-|anthropic-)?rate-?limit-"
    r"(?:(limit|remaining|reset)(?:-after|-([a-z-]+))?|([a-z-]+)-(limit|remaining|reset))"
)
_LISTED = re.compile(r"(?:llm_provider-)?(?:x-)?ratelimit(-policy)?")  # the IETF's, since version 07
_ITEMS, _PARTS = (re.compile(rf'(?:"(?:[^"\\]|\\.)*"|[^"{mark}])+') for mark in (",", ";"))
_PARTS_OF = {"r": "remaining", "t": "reset", "q": "limit", "w": "window"}
_PIECE = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
CHINA, LATE = timezone(timedelta(hours=8)), 600.0
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
            plain = re.split(r"[,;]", value)[0] if (named[1] or named[4]) == "limit" else value  # "100, 100;w=60"
            found.setdefault(named[2] or named[3] or "", {})[named[1] or named[4]] = plain.strip()
        elif _LISTED.fullmatch(name.lower()):
            for what, said in _listed(value):
                found.setdefault(what, {}).update(said)
    for said in found.values():
        said.setdefault("reset", said.pop("window", ""))
    return {what: said for what, said in found.items() if "remaining" in said and said["reset"]}


def _listed(value: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the quantities of a field RateLimit or RateLimit-Policy, with their values: the items of a list with
    parameters, or the fields of a dictionary, which has only one quantity."""
    for item in _ITEMS.findall(value):
        head, *more = (part.strip() for part in [*_PARTS.findall(item), ""])
        name, mark, number = head.partition("=")
        if mark:
            yield "", {name: number}
        else:
            pairs = (one.partition("=") for one in more)
            yield head.strip('"'), {_PARTS_OF[name]: number for name, _, number in pairs if name in _PARTS_OF}


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
    return seconds_until(said["reset"], present)


def seconds_until_local(text: str, present: float) -> float | None:
    """Return the seconds until a date that may be without a zone, or None if it has passed. Without a zone it is of
    China, whose vendors write such dates, or of UTC if it has passed there for more than LATE seconds."""
    try:
        moment = datetime.fromisoformat(re.sub(r" (?=[Z+-])", "", text))
    except ValueError:
        return None
    left = (moment if moment.tzinfo else moment.replace(tzinfo=CHINA)).timestamp() - present
    if not moment.tzinfo and left < -LATE:  # a later one may be the time of the error
        left = moment.replace(tzinfo=UTC).timestamp() - present
    return left if left > 0 else None


def seconds_of_day(present: float) -> float:
    """Return the seconds that are left of the day in China."""
    now = datetime.fromtimestamp(present, CHINA)
    return (now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)).timestamp() - present


def seconds_until(text: str, present: float) -> float | None:
    """Return the seconds from `present` (Unix time) until a time: a span ("6m0s", "20"), a date of ISO 8601 or of HTTP,
    or Unix time in seconds or milliseconds. Return None for another text."""
    text = text.strip()
    if (number := _number(text)) is not None:
        instant = number / 1000 if number > 1e11 else number
        return instant if instant < 1e8 else max(0.0, instant - present)
    pieces = _PIECE.findall(text)
    if pieces and "".join(map("".join, pieces)) == text:
        return sum(float(size) * _UNITS[unit] for size, unit in pieces)
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = parse(text)
            return max(0.0, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - present)
        except (ValueError, IndexError, OverflowError):
            continue
    return None
