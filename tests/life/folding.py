"""Events folded into a state, and the state as a swap keeps it."""

from __future__ import annotations

from dotagent.life import snapshot
from dotagent.life.fold import apply
from dotagent.life.state import State
from dotagent.store.log import Line

MARK = "0123456789ab"


def kept(now: State) -> State:
    """The state as a swap keeps it."""
    return snapshot.decode(snapshot.encode(now, []))[0]


def folded(events: list[tuple[str, str]], start: State | None = None) -> State:
    now = start or State()
    for number, (event, detail) in enumerate(events):
        now = apply(now, Line(f"2026-01-01T00:00:00.{number:06d}Z", event, detail, f"{number:032x}", "why"))
    return now
