"""The sums for the command `usage`: an agent counts its new events after each swap, so that the command reads only few.

It does so before it sleeps, and little by little if the sums of a long log are missing. Owns nothing on disk.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from dotagent.life.events import Swap
from dotagent.life.session import Session
from dotagent.store.log import Line


class UsageSums:
    """The sums of one agent."""

    def __init__(self, session: Session) -> None:
        self._session, self._due = session, False

    def heard(self, line: Line) -> None:
        """Note that there was a swap."""
        self._due |= line.event == Swap.WORD

    def rest(self) -> None:
        """Count some of the events that were not counted before the last swap."""
        if self._due:
            from dotagent.life import tally  # loaded only after a swap
            from dotagent.providers.server import cost

            prices, self._due = self._session.settings.prices, False
            with suppress(OSError):  # the command counts the events itself
                count = partial(cost.usage_of_answer, prices=prices)
                self._due = tally.extend(self._session.path, count, prices)

    def sleep(self) -> float | None:
        """Return 0 if there are more events to count."""
        return 0.0 if self._due else None
