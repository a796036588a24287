"""Calls and their outcomes, and how their files in the queue are parsed. Any program may have written these files.

Owns nothing on disk. Every file is validated completely, and an invalid file is neither a call nor an outcome.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from dotagent.store import disk
from dotagent.text import times
from dotagent.text.lazy import dataclass, field
from dotagent.text.names import ROOM
from dotagent.text.reference import ID

T = TypeVar("T")
MOST = 1 << 20  # bytes: the largest call or outcome file


@dataclass(frozen=True)
class Call:
    """A request to a provider. `id` is the id of the request's blob, `room` is the room that waits for the answer. If
    `hurried`, another provider takes over when this one does not answer."""

    id: str
    agent: str
    provider: str
    kind: str = "live"
    room: str = ""
    at: str = ""
    takers: tuple[tuple[int, str], ...] = ()
    hurried: bool = False

    @property
    def attempt(self) -> int:
        """Return the number of processes that have taken the call."""
        return len(self.takers)


TURN, REPEATED = "turn", "repeated"
"""The finish of a reply that began another speaker's turn, or that repeated itself."""


@dataclass(frozen=True)
class Outcome:
    """The result of a call: `reply` is a blob id, or empty if the call failed (then `kind`, `retryable` and `hint` say
    why).

    `usage` counts tokens (input, cached, output, reasoning) and millionths of a US dollar (cost). `estimated` is above
    0 if the provider did not report it. `lost` is the usage of attempts without an answer. `upstream` is the service
    behind a provider that forwards requests. `after` is how many seconds a provider that refused the call asks to wait.
    `provider` and `background` are copied from the call, for statistics.
    """

    reply: str = ""
    finish: str = ""
    usage: Mapping[str, int] = field(default_factory=dict)
    lost: Mapping[str, int] = field(default_factory=dict)
    model: str = ""
    upstream: str = ""
    kind: str = ""
    retryable: bool = False
    hint: str = ""
    size: int | None = None
    after: float = 0.0
    provider: str = ""
    background: bool = False


def call_in(path: str | Path) -> Call | None:
    """Parse a call file without moving it. Return None if it is invalid. Raises FileNotFoundError."""
    return _read_json(path, _call)


def outcome_in(path: str | Path) -> Outcome | None:
    """Parse an outcome file without moving it. Return None if it is invalid. Raises FileNotFoundError."""
    return _read_json(path, _outcome)


def _read_json(path: str | Path, make: Callable[[dict[str, Any], str], T | None]) -> T | None:
    try:
        return make(json.loads(disk.read(path, MOST)), os.path.basename(path))
    except FileNotFoundError:
        raise
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None


def _call(told: dict[str, Any], id: str) -> Call | None:
    """Build a call, or return None if a field is invalid. The names are checked because they become parts of paths."""
    call = Call(**{**told, "takers": tuple((int(pid), str(start)) for pid, start in told.get("takers", ()))})
    named = call.id == id and ID.fullmatch(call.agent) and ROOM.fullmatch(call.provider)
    dated = times.parse(call.at) if call.at else True
    known = call.kind in ("live", "background") and (not call.room or ROOM.fullmatch(call.room))
    return (
        call
        if named and dated and known and type(call.hurried) is bool and all(0 < pid < 1 << 31 for pid, _ in call.takers)
        else None
    )


def _outcome(told: dict[str, Any], _: str) -> Outcome | None:
    """Build an outcome, or return None if a field is missing or invalid. Any program may have written it."""
    outcome = Outcome(**told)
    parts = ("reply", "finish", "model", "upstream", "kind", "hint", "provider")
    sound = (
        all(isinstance(getattr(outcome, part), str) for part in parts)
        and bool(ID.fullmatch(outcome.reply) if outcome.reply else re.fullmatch(r"\S+", outcome.kind))
        and all(isinstance(one, dict) for one in (outcome.usage, outcome.lost))
        and all(isinstance(number, int) for number in (*outcome.usage.values(), *outcome.lost.values()))
        and isinstance(outcome.size, int | None)
        and isinstance(outcome.after, int | float)
    )
    return outcome if sound else None
