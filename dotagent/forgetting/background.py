"""The background calls of a compaction: what became of each, and that each becomes something.

LIFE holds which are out; here is only since when this process waits for them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from dotagent import calls, serving
from dotagent.blobs import BlobCorrupt, BlobMissing
from dotagent.calls import Call
from dotagent.mind import Mind

STALLED = 180.0  # seconds after which a call that somebody works on has failed
UNTAKEN = 10  # times as long: after this one has failed that only waits, behind a person's, for its turn


class Background:
    """The calls that are out beside the conversation."""

    def __init__(self, mind: Mind, provider: str) -> None:
        self._mind, self._provider = mind, provider
        self._placed: dict[str, float] = {}
        self._taken: dict[str, float] = {}
        self.stalled = STALLED

    def answer(self, id: str) -> tuple[str | None, str]:
        """A call's answer, or why there is none; neither while it is out."""
        mind = self._mind
        outcome = calls.done(mind.home, mind.id, id)
        if outcome is None:
            return None, self._look_after(id)
        self._placed.pop(id, None)
        self._taken.pop(id, None)
        if not outcome.reply:
            return None, outcome.hint or outcome.kind
        try:
            return mind.store.get(outcome.reply).body.decode("utf-8", "replace"), ""
        except (BlobMissing, BlobCorrupt) as lost:
            return None, str(lost)

    def abandon(self, ids: Iterable[str]) -> None:
        """Let nobody work on these calls any more."""
        for id in filter(None, ids):
            calls.cancel(self._mind.home, Call(id, self._mind.id, self._provider))

    def _look_after(self, id: str) -> str:
        """See to it that a call can still be answered; why it cannot, or an empty text."""
        mind, now = self._mind, time.monotonic()
        placed = self._placed.setdefault(id, now)
        if calls.taken(mind.home, id):
            late = now - self._taken.setdefault(id, now) > self.stalled
        else:
            self._taken.pop(id, None)  # a provider that is asked too much may give it back
            late = now - placed > self.stalled * UNTAKEN
        if late:
            calls.cancel(mind.home, Call(id, mind.id, self._provider), kind="timeout", hint="no answer in time")
            return "no answer in time"
        calls.put_back(mind.home)
        if not calls.placed(mind.home, self._provider, id) and calls.done(mind.home, mind.id, id) is None:
            if not mind.store.path(id).exists():
                return "a power cut took the request"
            calls.place(mind.home, Call(id, mind.id, self._provider, "background"))
        serving.ensure(mind.home, self._provider)
        return ""
