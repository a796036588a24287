"""Prefetch: let a serial local server read a prompt while no one waits for it, because otherwise the first answer after
a swap would wait for that.

If the server keeps the cache of a displaced prompt, the new prompt is read before the swap, and messages meanwhile use
the old one; otherwise it is read after the swap. The prefetch is a background call for one token. LIFE does not record
it: its answer is unused, the next call replaces it, and `ModelCalls.tidy` removes the remains after a crash. Owns
nothing on disk.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from dotagent.compaction.background_calls import BackgroundCalls
from dotagent.life.context import Entry, tokens_of
from dotagent.life.events import Reply
from dotagent.life.session import Session
from dotagent.life.state import State
from dotagent.store import launch
from dotagent.text import times, tokens

PATIENT = 1.2  # times the limit: below this, a swap waits for a paid cache
PAUSE = 60.0  # seconds after a reply during which the prompt stays cached, because the person may continue
SHARED = 0.49  # share of the prompt: llama.cpp keeps a cache only if the next prompt shares less than half of it


def place(session: Session, calls: BackgroundCalls) -> None:
    """Let the server read the present prompt, if the server works alone on this machine."""
    if _is_published(session, calls, "alone"):
        calls.read(session.entries, session.state)


def patient(session: Session) -> bool:
    """Return True if a swap may still wait for a paid service."""
    return session.tokens < PATIENT * session.limit


def outdated(session: Session, calls: BackgroundCalls, id: str) -> bool:
    """Return True if a background request must be asked again because the conversation has continued. A serial server
    would otherwise lose the newer messages from its cache."""
    return not session.state.turn.call and calls.asked_since(id) and _is_published(session, calls, "alone")


def pause(session: Session, calls: BackgroundCalls, entries: Sequence[Entry], state: State) -> float:
    """Return for how many seconds a swap to these entries and this state must wait so that it delays no answer: until
    the server has read the new prompt, or a cache has dropped the old one. Returns 0 if the context is full."""
    if session.overfull:
        return 0.0
    if not _may(session, calls, entries):
        return _cached(session)
    if not calls.ahead:
        calls.read(entries, state)
    return session.patience.look if calls.is_reading() else 0.0


def _may(session: Session, calls: BackgroundCalls, entries: Sequence[Entry]) -> bool:
    """Return True if the server keeps the present prompt while it reads the new one."""
    if not _is_published(session, calls, "keeps"):
        return False
    head = sum(tokens.estimate(one, session.state.model.other) for one in calls.head())
    same = next((at for at, (old, new) in enumerate(zip(session.entries, entries, strict=False)) if old != new), 0)
    return head + tokens_of(entries[:same]) < SHARED * (head + tokens_of(session.entries))


def _cached(session: Session) -> float:
    """Return for how many seconds a cache still has the last prompt; afterwards a swap costs nothing."""
    told = _published(session)
    seconds = PAUSE if told.get("alone") is True else told.get("cache")
    if not isinstance(seconds, int | float) or not (patient(session) or told.get("alone") is True):
        return 0.0
    return left(session, seconds)


def left(session: Session, seconds: float) -> float:
    """Return what is left of the seconds after the last reply."""
    asked = next((e.line.at for e in reversed(session.entries) if e.event == Reply.WORD), "")
    return max(0.0, times.parse(asked).timestamp() + seconds - time.time()) if asked else 0.0


def _is_published(session: Session, calls: BackgroundCalls, what: str) -> bool:
    return _published(session).get(what) is True and calls.provider == session.provider


def _published(session: Session) -> dict[str, object]:
    return launch.published(session.home).get(session.provider, {})
