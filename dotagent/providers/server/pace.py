"""Until when the background calls of each provider wait: a provider that says "too many requests" means them first.

A person's call is never held back here; it is asked at once and tried again by itself.
"""

from __future__ import annotations

import time

LEAST = 0.5  # seconds that it waits even when the provider names less
FIRST, MOST = 2.0, 60.0  # seconds that the background waits after a refusal that names no time: at first, and at most


class Pace:
    """How the background of some providers is slowed."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._row: dict[str, int] = {}

    def slow(self, name: str, after: float | None) -> float:
        """The provider refused: its background waits for `after` seconds, or each time longer. Returns how long."""
        row = self._row.get(name, 0)
        self._row[name] = row + 1
        seconds = max(LEAST, after) if after is not None else min(MOST, FIRST * 2.0 ** min(row, 9))
        self._until[name] = max(self._until.get(name, 0.0), time.monotonic() + seconds)
        return seconds

    def ease(self, name: str) -> None:
        """The provider answered: the next refusal is a first one again. A time that it named still holds."""
        self._row.pop(name, None)

    def left(self, name: str) -> float:
        """Seconds that the provider's background still waits."""
        return max(0.0, self._until.get(name, 0.0) - time.monotonic())

    def next(self) -> float | None:
        """Seconds until the first of those that wait may go on; None when none waits."""
        waits = [left for name in list(self._until) if (left := self.left(name))]
        return min(waits, default=None)
