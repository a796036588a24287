"""Trying again: three attempts with growing, jittered pauses for what may pass by itself, none for what will not.

The waiting is here and nowhere else, so that it can be cancelled and so that every provider gets it without a word of
its own.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from dotagent.providers import ProviderError

TRIES = 3
HURRIED = 2.0  # seconds that an overloaded provider is waited for, once, where another would take the call
FIRST = 1.0  # seconds before the second attempt, give or take a half; each further pause is three times as long
LEAST = 0.5  # seconds that the background waits even when the provider names less
SLOW, SLOWEST = 2.0, 60.0  # seconds that it waits after a refusal that names no time: at first, and at most
NAMED, LATER = 300.0, 3600.0  # seconds of a server's own Retry-After: the most that a call waits, and the background
SPARE, BARE = 0.2, 0.02  # of a server's limits: with less the background waits, with less still a person's call,
BRIEFLY = 10.0  # but no longer than so many seconds
LOOK = 0.2  # seconds between two looks at stop() while waiting

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
    """What `once` returns, asked again while it raises a ProviderError for which `plan` (`patient`) names a pause.

    `begin(n)` is called before the nth attempt (from 1): what an attempt before it streamed is void. `on_retry(error,
    seconds)` is told before a pause. A pause is the error's Retry-After where it has one, else a backoff; a call that
    would wait longer than NAMED fails and says so. Raises the last ProviderError, or `cancelled` within LOOK seconds of
    stop() while it waits.
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
                named = f"about {error.after / 60:,.0f} min" if error.after < 86_400 else "a day or more"
                hint = f"{error.hint}; it wants to be asked again in {named}"
                raise ProviderError(error.kind, hint, after=error.after) from None
            on_retry(error, seconds)
        wait(seconds, stop, sleep)
    raise AssertionError("the last attempt returns or raises")


def patient(number: int, error: ProviderError) -> float | None:
    """Seconds to wait after the nth attempt; None where it was the last: what may pass is tried TRIES times."""
    return pause(number, error.after, random.random()) if error.retryable and number < TRIES else None


def hurried(number: int, error: ProviderError) -> float | None:
    """The same where another provider would take the call: only who is overloaded is asked once more, and soon."""
    soon = error.kind in ("server", "rate") and error.retryable and (error.after or 0.0) <= HURRIED
    return pause(number, error.after, random.random()) if soon and number == 1 else None


def pause(number: int, after: float | None, chance: float) -> float:
    """Seconds to wait after the nth attempt; `chance` is from 0 to 1 and spreads callers that failed together."""
    if after is not None:
        return after + chance
    return float(FIRST * 3 ** (number - 1) * (0.5 + chance))


def wait(left: float, stop: Callable[[], bool], sleep: Callable[[float], None] = time.sleep) -> None:
    """Wait for so many seconds. Raises ProviderError (cancelled) within LOOK seconds of stop()."""
    while not stop():
        if left <= 0:
            return
        sleep(min(left, LOOK))
        left -= LOOK
    raise ProviderError("cancelled", "the call was cancelled while it waited to be tried again")


class Pace:
    """Until when the background calls of each provider wait: a refusal for too many requests means them first.

    A person's call is never held back here; it is asked at once and tried again by itself.
    """

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._row: dict[str, int] = {}

    def slow(self, name: str, after: float | None) -> float:
        """The provider refused: its background waits for `after` seconds, LATER at most, or each time longer. Returns
        how long."""
        row = self._row[name] = self._row.get(name, -1) + 1
        seconds = min(LATER, max(LEAST, after)) if after is not None else min(SLOWEST, SLOW * 2.0 ** min(row, 9))
        self._until[name] = max(self._until.get(name, 0.0), time.monotonic() + seconds)
        return seconds

    def spare(self, name: str, after: float) -> None:
        """The provider says that little is left: its background waits for so many seconds, LATER at most."""
        self._until[name] = max(self._until.get(name, 0.0), time.monotonic() + min(LATER, after))

    def rest(self, name: str, seconds: float) -> None:
        """Let the provider's background wait for so long: a turn that was just answered may go on."""
        self._until[name] = max(self._until.get(name, 0.0), time.monotonic() + seconds)

    def ease(self, name: str) -> None:
        """The provider answered: the next refusal is a first one again. A time that it named still holds."""
        self._row.pop(name, None)

    def left(self, name: str) -> float:
        """Seconds that the provider's background still waits."""
        return max(0.0, self._until.get(name, 0.0) - time.monotonic())

    def next(self, most: float) -> float:
        """Seconds, at most so many, until the first of those that wait may go on."""
        return min([most, *(left for name in list(self._until) if (left := self.left(name)))])
