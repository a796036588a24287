"""When an agent asks again for a message that no model answered.

A failure that may pass is tried again after a growing time. If the provider names a time, the agent waits until then,
also after a restart: LIFE contains that time. Owns nothing on disk.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dotagent.life import events
from dotagent.life.events import Fail, Reply
from dotagent.life.session import Session
from dotagent.store import log, provider_status
from dotagent.store.call import Outcome
from dotagent.store.home import Home
from dotagent.text import times

FAR = 1000  # events that are searched for the last failure
LONGEST = 366 * 86_400.0  # the most seconds that a provider may ask to wait
CONDITION = ("pid", "well", "credentials", "configured", "why", "model")
LASTING = slice(2, 5)  # the facts in CONDITION that a new process of a provider does not change


class Retries:
    """The time of the next attempt. The agent's process creates this object at its first failure, or at its start if
    a message was not answered."""

    def __init__(self, session: Session) -> None:
        self._session, self._retry = session, session.patience.retry / 2
        self._owed = False  # whether the pending call is for a message that was never answered
        self._condition: dict[str, tuple[object, ...]] = {}  # each provider's condition at the last failure
        self.failed_at = time.monotonic() - session.patience.retry_most  # a new process tries again at once
        self._named = 0.0  # the seconds that the provider asked to wait then
        if left := wait_left(session.path / "LIFE.md"):
            self.failed_at, self._named = time.monotonic(), left
            self._condition = _condition(session.home)

    def failed(self, outcome: Outcome) -> str:
        """Count a failed call. Return the time that the provider named, or ""."""
        patience = self._session.patience
        self.failed_at, self._named = time.monotonic(), outcome.after
        if self._owed or self._retry < patience.retry:  # messages in the meantime do not lengthen the wait
            self._retry = min(self._retry * 2, patience.retry_most)
        self._owed = False
        self._condition = _condition(self._session.home)
        return _stamp_after(outcome.after)

    def sleep(self) -> float | None:
        """Return the seconds until the next attempt, or None if only a change of a file may lead to one."""
        failed = self._session.state.turn.failed
        if failed == "retryable" or (failed == "final" and self._named):
            return max(0.1, self.failed_at + self._pause() - time.monotonic())
        return None

    def begin(self) -> bool:
        """Begin an attempt if the provider works again or the wait is over. Return False if not yet."""
        waited, present = time.monotonic() - self.failed_at, _condition(self._session.home)
        if waited < self._named:
            ready = _has_changed(self._condition, present)
        else:
            ready = not self._session.state.turn.failed or self._condition != present
        due = ready or waited >= self._pause()
        self._owed = self._owed or due
        return due

    def _pause(self) -> float:
        """Return the seconds from the last failure to the next attempt."""
        most = self._session.patience.retry_most
        retryable = self._session.state.turn.failed == "retryable"
        return max(self._named, min(self._retry, most) if retryable else most)


def wait_left(path: Path) -> float:
    """Return the seconds that the provider of the last failed request still asks to wait, from the end of LIFE."""
    for line in reversed(log.tail(path, FAR)):
        event = events.parse(line)
        if isinstance(event, Reply):
            break
        if isinstance(event, Fail):
            return max(0.0, times.ahead(event.until)) if times.is_stamp(event.until) else 0.0
    return 0.0


def _stamp_after(seconds: float) -> str:
    """Return the time this many seconds from now, or "" for 0."""
    return times.make_stamp(datetime.now(UTC) + timedelta(seconds=min(seconds, LONGEST))) if seconds > 0 else ""


def _has_changed(before: Mapping[str, tuple[object, ...]], present: Mapping[str, tuple[object, ...]]) -> bool:
    """Return True if a provider may answer before the time that it named, because its key or its settings changed."""
    return any(one[LASTING] != before.get(name, one)[LASTING] for name, one in present.items())


def _condition(home: Home) -> dict[str, tuple[object, ...]]:
    """Return the facts of each published provider that may change when it recovers: process, recovery, credentials,
    problem, model. Updates about its models are not such a fact."""
    found = provider_status.published(home)
    return {name: tuple(told.get(one) for one in CONDITION) for name, told in found.items()}
