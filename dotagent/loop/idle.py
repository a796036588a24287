"""When a life that has nothing to do leaves: at once, after a while, or never. Owns nothing on disk."""

from __future__ import annotations

import time


class Idle:
    """Since when there is nothing to do; `most` is how many seconds of that are enough, None: a life never leaves."""

    def __init__(self, most: float | None) -> None:
        self._most, self._since = most, 0.0

    def over(self, waits: bool, owes: bool) -> bool:
        """Whether it is time to leave, since there is nothing to do: not while a call is out, nor, but where it is to
        leave at once, while it owes an answer that it will ask for again."""
        if self._most is None or waits or (owes and self._most):
            self._since = 0.0
            return False
        self._since = self._since or time.monotonic()
        return time.monotonic() - self._since >= self._most

    def sleep(self, seconds: float | None) -> float | None:
        """How long to sleep at most, where something else wakes after so many seconds."""
        if self._most is None or not self._since:
            return seconds
        left = max(0.0, self._since + self._most - time.monotonic())
        return left if seconds is None else min(left, seconds)

    def busy(self) -> None:
        """Something was done: it counts anew."""
        self._since = 0.0
