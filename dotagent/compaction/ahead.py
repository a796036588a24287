"""Reading ahead: a server of one's own that does one thing at a time reads a prompt while nobody waits for it, since
the first answer after a swap would take as long as that, else.

Where the server keeps a prompt that another displaces, the new one is read before the swap, and who speaks meanwhile is
answered from the old one; elsewhere after it. It is a call in the background for one token. LIFE does not know of it:
its answer is nobody's, the next call takes its place, and what a life that died left of it `ModelCalls.tidy` drops.
Owns nothing on disk.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from dotagent.life.context import Entry
from dotagent.life.events import Reply
from dotagent.life.model_calls import ModelCalls
from dotagent.life.replay import size
from dotagent.life.session import Session
from dotagent.life.state import State
from dotagent.store import launch
from dotagent.text import times, tokens

PATIENT = 1.2  # times the limit: up to there a swap waits for a cache that is paid for
PAUSE = 60.0  # seconds after a reply for which a server that has this life alone keeps the prompt: somebody may talk
SHARED = 0.49  # of the prompt: llama.cpp keeps one only where the next shares less than half of it


def place(session: Session, calls: ModelCalls) -> None:
    """Let the server read the prompt as it is now, if it is one that is alone with this machine."""
    if _told(session, calls, "alone"):
        calls.read(session.entries, session.state)


def is_read(calls: ModelCalls) -> bool:
    """Whether nothing is being read ahead any more."""
    if calls.ahead and calls.answer(calls.ahead) != (None, ""):
        calls.ahead = ""
    return not calls.ahead


def patient(session: Session) -> bool:
    """Whether a swap may still wait for what somebody is paid for."""
    return session.tokens < PATIENT * session.limit


def outdated(session: Session, calls: ModelCalls, id: str) -> bool:
    """Whether to ask anew what was asked beside the conversation, since that went on: the server reads one prompt at a
    time, and would lose what was said since from its cache, for the next answer to read again."""
    return not session.state.turn.call and calls.asked_since(id) and _told(session, calls, "alone")


def pause(session: Session, calls: ModelCalls, entries: Sequence[Entry], state: State) -> float:
    """For how many seconds a swap to these entries and this state waits at least, so that no answer is late by it: as
    long as the server has not read what the prompt will be, or a cache still holds the prompt of now; but not where the
    context has no room left."""
    if session.overfull:
        return 0.0
    if not _may(session, calls, entries):
        return _cached(session)
    if not calls.ahead:
        calls.read(entries, state)
    return 0.0 if is_read(calls) else session.patience.look


def _may(session: Session, calls: ModelCalls, entries: Sequence[Entry]) -> bool:
    """Whether the server keeps the prompt of now while it reads the one of these entries."""
    if not _told(session, calls, "keeps"):
        return False
    head = sum(map(tokens.estimate, calls.head()))
    same = next((at for at, (old, new) in enumerate(zip(session.entries, entries, strict=False)) if old != new), 0)
    return head + sum(map(size, entries[:same])) < SHARED * (head + sum(map(size, session.entries)))


def _cached(session: Session) -> float:
    """For how many seconds a cache still holds the last prompt: once it does not, a swap costs nothing."""
    told = launch.published(session.home).get(session.provider, {})
    seconds = PAUSE if told.get("alone") is True else told.get("cache")
    asked = next((e.line.at for e in reversed(session.entries) if e.event == Reply.WORD), "")
    if not asked or not isinstance(seconds, int | float) or not (patient(session) or told.get("alone") is True):
        return 0.0
    return max(0.0, times.parse(asked).timestamp() + seconds - time.time())


def _told(session: Session, calls: ModelCalls, what: str) -> bool:
    told = launch.published(session.home).get(session.provider, {})
    return told.get(what) is True and calls.beside == session.provider
