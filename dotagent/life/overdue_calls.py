"""Check a request that is pending for longer than a moment: start its provider again, place the request again, or give
it up with a hint for a person. Owns nothing on disk.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from dotagent import installed
from dotagent.life.session import Session
from dotagent.store import placed_calls, taken_calls
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.call import Call

DEAD = 2  # checks in a row without a process, after which a provider counts as unable to start
FRESH = 5.0  # seconds before a call; log lines since then may explain the exit of its provider


class OverdueCalls:
    """The pending requests of an agent that take long. `serve` makes sure that a provider runs, and returns True if it
    had ended; `place` puts a call into the queue; `ask` makes a new request for a room."""

    def __init__(
        self,
        session: Session,
        serve: Callable[[str], bool],
        place: Callable[[Call], None],
        ask: Callable[[str], None],
    ) -> None:
        self._session, self._serve, self._place, self._ask = session, serve, place, ask
        self._taken: dict[str, float] = {}  # when this process first saw each call taken
        # For each call: checks in a row that found no process of the provider, and how often the call had been taken.
        self._unserved: dict[str, tuple[int, int]] = {}

    def forget(self, id: str) -> None:
        """Forget a finished call."""
        self._taken.pop(id, None)
        self._unserved.pop(id, None)

    def check(self, call: Call, since: float) -> bool:
        """Check that a call, pending since this moment, can still be answered. Return True if it was given up."""
        home, patience, now, id = self._session.home, self._session.patience, time.monotonic(), call.id
        taken_calls.put_back(home, patience.unsigned)
        if not placed_calls.is_placed(home, call.provider, id) and placed_calls.done(home, call.agent, id) is None:
            return self._again(call)
        ended = self._serve(call.provider)
        if placed_calls.find_taken(home, id):
            working = now - self._taken.setdefault(id, now)
            late = working > (patience.longest if call.kind == "live" else patience.stalled)
            return late and self._give_up(call, "timeout", f"{call.provider} gave no answer within {working:.0f} s")
        self._taken.pop(id, None)  # an overloaded provider may give it back
        attempts = placed_calls.attempts(home, call.provider, id)
        looks, before = self._unserved.get(id, (0, attempts))
        looks = looks + 1 if ended and attempts == before else int(ended)  # if a process took the call, it had started
        self._unserved[id] = looks, attempts
        if looks >= DEAD:
            from dotagent.store import launch  # loaded only for a provider that does not start

            why = launch.last_words(home, call.provider, now - since + FRESH)
            return self._give_up(
                call, "unserved", f"the process for {call.provider} stopped while it was starting: {why}"
            )
        if now - since <= (patience.untaken if call.kind == "live" else patience.longest):
            return False
        see = f"see calls/{call.provider}.log, or start the provider with `{installed.program('provider')}`"
        return self._give_up(call, "unserved", f"the process of the provider {call.provider} is not running; {see}")

    def _give_up(self, call: Call, kind: str, hint: str) -> bool:
        from dotagent.store import call_ending

        call_ending.cancel(self._session.home, call, kind=kind, hint=hint)
        return True

    def _again(self, call: Call) -> bool:
        """Place a call again whose entry is gone. If a power cut destroyed the request too, make a new one."""
        session = self._session
        try:
            session.store.get(call.id)
        except (BlobMissing, BlobCorrupt):
            if call.kind != "live" or call.id == session.state.turn.look:
                return self._give_up(call, "lost", "a power cut destroyed the request")
            session.renew()
            self._ask(session.state.turn.room)
            return False
        self._taken.pop(call.id, None)
        from dotagent.store import call_ending

        call_ending.withdraw(session.home, call.id)  # from the provider that the agent used before
        self._place(call)
        return False
