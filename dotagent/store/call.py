"""A call and what came of it, and how their files in the spool are read: programs of anybody's may have written them.

Owns nothing on disk. What is read is checked whole: a file that is anything else is no call, and no outcome.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from dotagent.store import disk
from dotagent.text import times
from dotagent.text.names import ROOM
from dotagent.text.reference import ID

T = TypeVar("T")
MOST = 1 << 20  # bytes of such a file


@dataclass(frozen=True)
class Call:
    """A placed request: its id is the request blob's. `room` is where its answer is waited for; `hurried` whether
    another provider takes it when this one does not answer."""

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
        """How many processes took it so far."""
        return len(self.takers)


@dataclass(frozen=True)
class Outcome:
    """What came of a call: `reply` is a blob's id, or empty when it failed (then `kind`, `retryable`, `hint`).

    `usage` is in tokens (input, cached, output, reasoning) and millionths of a US dollar (cost), `estimated` above 0
    where nobody told it; `lost` is the same of attempts that brought no answer. `upstream` is who answered behind a
    provider that passes requests on. `provider` and `background` are the call's own, kept for who
    counts what it used.
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
    provider: str = ""
    background: bool = False


def call_in(path: str | Path) -> Call | None:
    """The call that a file holds, which stays where it is; None for any other. Raises FileNotFoundError."""
    return _told(path, _call)


def outcome_in(path: str | Path) -> Outcome | None:
    """What came of a call by this file, which stays where it is; None for any other. Raises FileNotFoundError."""
    return _told(path, _outcome)


def _told(path: str | Path, make: Callable[[dict[str, Any], str], T | None]) -> T | None:
    try:
        return make(json.loads(disk.read(path, MOST)), os.path.basename(path))
    except FileNotFoundError:
        raise
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None


def _call(told: dict[str, Any], id: str) -> Call | None:
    """A call of names that are nothing else: of them the paths are made under which it is kept and answered."""
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
    """An outcome that any program may have written, if it has what it needs."""
    outcome = Outcome(**told)
    parts = ("reply", "finish", "model", "upstream", "kind", "hint", "provider")
    sound = (
        all(isinstance(getattr(outcome, part), str) for part in parts)
        and bool(ID.fullmatch(outcome.reply) if outcome.reply else re.fullmatch(r"\S+", outcome.kind))
        and all(isinstance(one, dict) for one in (outcome.usage, outcome.lost))
        and all(isinstance(number, int) for number in (*outcome.usage.values(), *outcome.lost.values()))
        and isinstance(outcome.size, int | None)
    )
    return outcome if sound else None
