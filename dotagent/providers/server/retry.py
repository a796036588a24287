"""Retries: three attempts with growing, jittered pauses for temporary failures, none for others.

All waiting is here, so that it can be cancelled and works for every provider. Owns nothing on disk.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from dotagent.providers import ProviderError
from dotagent.text import times

TRIES = 3
HURRIED = 2.0  # seconds to wait once for an overloaded provider if another could take the call
FIRST = 1.0  # seconds before the second attempt, plus or minus half; each further pause is three times as long
LEAST = 0.5  # seconds that background calls wait even if the provider asks for less
SLOW, SLOWEST = 2.0, 60.0  # seconds that they wait after a refusal without a time: at first, and at most
NAMED, LATER = 300.0, 3600.0  # seconds of a server's Retry-After: the most for a live call, and for the background
MOST = 366 * 86_400.0  # the longest pause that is shown as a date
SPARE, BARE = 0.2, 0.02  # shares of a server's limits: below these, background calls wait, and live calls, too,
BRIEFLY = 10.0  # but at most this many seconds
LOOK = 0.2  # seconds between two checks of stop()

T = TypeVar("T")


def attempts(
    once: Callable[[], T],
    *,
    begin: Callable[[int], None],
    stop: Callable[[], bool],
    on_retry: Callable[[ProviderError, float], None] = lambda error, seconds: None,
    sleep: Callable[[float], None] = time.sleep,
    plan: Callable[[int, ProviderError], float | None] | None = None,
) -> T:
    """Return the result of `once`, repeated after each ProviderError for which `plan` (`patient`) returns a pause.

    `begin(n)` is called before the nth attempt (from 1), which makes earlier streamed text invalid, and
    `on_retry(error, seconds)` before a pause. The pause is the error's Retry-After or a backoff; a call that would wait
    longer than NAMED fails with a message. Raises the last ProviderError, or `cancelled` within LOOK seconds of stop().
    """
    for number in range(1, TRIES + 1):
        begin(number)
        try:
            return once()
        except ProviderError as error:
            seconds = (plan or patient)(number, error)
            if seconds is None:
                raise
            if error.after is not None and error.after > NAMED:
                end = times.make_stamp(datetime.now(UTC) + timedelta(seconds=min(error.after, MOST)))
                until = times.format_stamp(end).replace("T", " ")
                hint = f"{error.hint}; the provider asks for a pause until {until}, then I ask again"
                raise ProviderError(error.kind, hint, after=error.after) from None
            on_retry(error, seconds)
        wait(seconds, stop, sleep)
    raise AssertionError("the last attempt returns or raises")


def patient(number: int, error: ProviderError) -> float | None:
    """Return the seconds to wait before the next attempt, or None to give up. Only retryable errors are retried, up to
    TRIES attempts."""
    return pause(number, error.after, random.random()) if error.retryable and number < TRIES else None


def hurried(number: int, error: ProviderError) -> float | None:
    """Return the same if another provider would take the call: only an overloaded provider is retried, once and
    soon."""
    soon = error.kind in ("server", "rate") and error.retryable and (error.after or 0.0) <= HURRIED
    return pause(number, error.after, random.random()) if soon and number == 1 else None


def pause(number: int, after: float | None, chance: float) -> float:
    """Return the seconds to wait after the nth attempt. `chance`, from 0 to 1, spreads callers that failed together."""
    if after is not None:
        return after + chance
    return float(FIRST * 3 ** (number - 1) * (0.5 + chance))


def wait(left: float, stop: Callable[[], bool], sleep: Callable[[float], None] = time.sleep) -> None:
    """Wait for `left` seconds. Raises ProviderError (cancelled) within LOOK seconds of stop()."""
    while not stop():
        if left <= 0:
            return
        sleep(min(left, LOOK))
        left -= LOOK
    raise ProviderError("cancelled", "the request was cancelled while it waited to be tried again")


class Pace:
    """How long the background calls of each provider wait, because they must yield first if there are too many
    requests.

    A person's call is never delayed here; it starts at once and has its own retries.
    """

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._row: dict[str, int] = {}

    def slow(self, name: str, after: float | None) -> float:
        """Delay the background after a refusal, for `after` seconds, at most LATER, or increasingly long. Return the
        delay."""
        row = self._row[name] = self._row.get(name, -1) + 1
        seconds = min(LATER, max(LEAST, after)) if after is not None else min(SLOWEST, SLOW * 2.0 ** min(row, 9))
        self._until[name] = max(self._until.get(name, 0.0), time.monotonic() + seconds)
        return seconds

    def spare(self, name: str, after: float) -> None:
        """Delay the background for `after` seconds, at most LATER, because the provider's limits are almost used up."""
        self._until[name] = max(self._until.get(name, 0.0), time.monotonic() + min(LATER, after))

    def rest(self, name: str, seconds: float) -> None:
        """Delay the background for `seconds`, because a turn that was just answered may continue."""
        self._until[name] = max(self._until.get(name, 0.0), time.monotonic() + seconds)

    def ease(self, name: str) -> None:
        """Record an answer, so that the next refusal counts as the first. A delay that the provider named stays."""
        self._row.pop(name, None)

    def left(self, name: str) -> float:
        """Return the seconds that the provider's background must still wait."""
        return max(0.0, self._until.get(name, 0.0) - time.monotonic())

    def next(self, most: float) -> float:
        """Return the seconds until the first waiting provider may continue, at most `most`."""
        return min([most, *(left for name in list(self._until) if (left := self.left(name)))])
