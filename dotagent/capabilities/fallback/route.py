"""The choice among an agent's providers: the first available one, the message to the room about a change, and the way
back.

A provider that did not answer a call (AWAY) is unavailable until its process reports a recovery, or some time has
passed. LIFE records this, so a new process continues with the same provider. If no one chose a provider, a local server
is preferred to `offline`, even if it starts later.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from dotagent.life.events import Away
from dotagent.life.session import ProviderRoute, Session
from dotagent.store import provider_status
from dotagent.store.queue import Call, Outcome
from dotagent.text import times

STAYS = ("cancelled", "lost", "system")  # failures that are not the provider's fault: a full disk is ours
SOON = {"rate": 60.0, "too_long": 60.0}  # seconds before the next attempt after failures whose end no one reports
ITS_OWN = ("auth", "credit", "missing", "network", "unconfigured")  # failures that affect all calls


def order(first: str, chosen: bool, fallback: Sequence[str]) -> tuple[str, ...]:
    """Return the providers to try in order. `offline` comes last unless someone named it."""
    names = (*fallback, first) if chosen and first == provider_status.LAST else (first, *fallback)
    return tuple(dict.fromkeys(names))


class Fallback(ProviderRoute):
    """The agent's own provider, and those of the setting `fallback`. `named` says whether someone named a provider."""

    def __init__(self, session: Session, named: bool) -> None:
        super().__init__(session)
        own, settings = session.provider, session.settings
        session.order = order(own, not named, settings.fallback_of(session.id))
        self.choose(live=False)

    def choose(self, *, live: bool) -> None:
        """Set the first available provider. Before a request of the conversation, look for a model server nearby."""
        session = self.session
        alone = session.order == (provider_status.LAST,) and session.chosen and not session.settings.provider
        if live and alone:
            self._turn_to_nearby()
        left = [name for name in session.order if name not in session.state.turn.passed] or session.order
        session.provider = next((name for name in left if not self._is_away(name)), left[0])

    def _turn_to_nearby(self) -> None:
        """Use a model server that answers on this machine, if there is one now."""
        from dotagent.store import credentials, launch  # loaded only without a model

        if near := launch.nearby(self.session.settings.nearby):
            name, base = near
            os.environ[credentials.variable(name, "API_BASE")] = base  # for the process that restarts it
            launch.ensure(self.session.home, name, os.environ)
            self.session.order = (name,)

    def _is_away(self, name: str) -> bool:
        since, _, why = self.session.state.model.away.get(name, "").partition(" ")
        well = str(provider_status.published(self.session.home).get(name, {}).get("well", "")) if since else ""
        if not since or well > since or times.ahead(since) > 0:
            return False
        return -times.ahead(since) < SOON.get(why.partition(" ")[0], self.session.patience.retry_most)

    def has_others(self, provider: str) -> bool:
        """Return True if a provider is left for a call that this one does not answer."""
        return bool({*self.session.order} - {*self.session.state.turn.passed, provider})

    def away(self, call: Call, outcome: Outcome) -> Away | None:
        """Return None if no other provider is left, or if the failure is not the provider's fault."""
        if outcome.kind in STAYS or call.provider not in self.session.order or not self.has_others(call.provider):
            return None
        return Away(call.provider, outcome.kind, call.id, outcome.hint)

    def away_beside(self, call: Call, outcome: Outcome) -> Away | None:
        """Return None if the failure concerns only this call."""
        known = self.session.state.model.away
        if outcome.kind not in ITS_OWN or len(self.session.order) < 2 or call.provider in known:
            return None
        return Away(call.provider, outcome.kind, call.id, outcome.hint)

    def hints(self, last: str) -> str:
        """Return why each of the providers did not answer."""
        passed = [self._reason(name) for name in self.session.state.turn.passed]
        return "; ".join(filter(None, [*passed, last]))

    def _reason(self, name: str) -> str:
        return self.session.state.model.away.get(name, "").partition(" ")[2].partition(" ")[2]

    def word(self, room: str, provider: str) -> str:
        """Return the message to the room that another provider than last time answers, or ""."""
        session = self.session
        names, known = session.order, session.state.model.by.get(room, "")
        if session.state.turn.untold:
            return ""  # the room is about to get this message
        if provider in names and (before := known or names[0]) in names:
            at = names.index(provider)
            if before == provider or at < names.index(before):
                return f"({provider} answers again)" if before != provider else ""
            why = next(
                filter(None, (self._reason(one) for one in names[:at])),
                "it is the next provider in the setting fallback",
            )
            return f"({provider} answers: {why})"
        if not session.chosen or provider_status.LAST not in (known, provider):
            return ""  # someone chose another
        return f"({provider} answers: {self.unavailable(known) or 'it is available'})"

    def unavailable(self, before: str) -> str:
        """Return how to get the earlier provider back, too."""
        if self.session.provider != provider_status.LAST or before in ("", provider_status.LAST):
            return ""
        do = "start its server" if before in provider_status.OWN else "set its key and start me again"
        gone = f"{before}, which answered until now, is not available; {do}"
        return f"{gone}. As long as {before} is not available, I answer only by built-in rules"
