"""The background calls of a compaction: what became of each, and that each becomes something.

LIFE holds which are out; here is only since when this process waits for them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from dotagent.life.session import Session
from dotagent.store import launch, queue
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.queue import Call

STALLED = 180.0  # seconds after which a call that somebody works on has failed
UNTAKEN = 10  # times as long: after this one has failed that only waits, behind a person's, for its turn


class Background:
    """The calls that are out beside the conversation."""

    def __init__(self, session: Session, provider: str) -> None:
        self._session, self._provider = session, provider
        self._placed: dict[str, float] = {}
        self._taken: dict[str, float] = {}
        self.stalled = STALLED

    def answer(self, id: str) -> tuple[str | None, str]:
        """A call's answer, or why there is none; neither while it is out."""
        session = self._session
        outcome = queue.done(session.home, session.id, id)
        if outcome is None:
            return None, self._look_after(id)
        self._placed.pop(id, None)
        self._taken.pop(id, None)
        if not outcome.reply:
            return None, outcome.hint or outcome.kind
        try:
            return session.store.get(outcome.reply).body.decode("utf-8", "replace"), ""
        except (BlobMissing, BlobCorrupt) as lost:
            return None, str(lost)

    def abandon(self, ids: Iterable[str]) -> None:
        """Let nobody work on these calls any more."""
        for id in filter(None, ids):
            queue.cancel(self._session.home, Call(id, self._session.id, self._provider))

    def _look_after(self, id: str) -> str:
        """See to it that a call can still be answered; why it cannot, or an empty text."""
        session, now = self._session, time.monotonic()
        placed = self._placed.setdefault(id, now)
        if queue.taken(session.home, id):
            late = now - self._taken.setdefault(id, now) > self.stalled
        else:
            self._taken.pop(id, None)  # a provider that is asked too much may give it back
            late = now - placed > self.stalled * UNTAKEN
        if late:
            queue.cancel(session.home, Call(id, session.id, self._provider), kind="timeout", hint="no answer in time")
            return "no answer in time"
        queue.put_back(session.home)
        if not queue.placed(session.home, self._provider, id) and queue.done(session.home, session.id, id) is None:
            if not session.store.path(id).exists():
                return "a power cut took the request"
            queue.place(session.home, Call(id, session.id, self._provider, "background"))
        launch.ensure(session.home, self._provider)
        return ""
