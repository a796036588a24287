"""The choice of an agent's provider: the first available one, the message to the room about a change, and the way back.

A provider that did not answer a call (AWAY) is unavailable until its process reports a recovery, or some time has
passed. LIFE records this, so a new process continues with the same provider. If no one chose a provider, a local server
is preferred to `offline`, even if it starts later.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from dotagent.life.events import Away
from dotagent.life.session import Session
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


def turn_to(session: Session) -> None:
    """Switch the agent to the first available provider."""
    alone = session.order == (provider_status.LAST,) and session.chosen and not session.settings.provider
    if alone:
        _turn_to_nearby(session)
    session.provider = choose(session)


def _turn_to_nearby(session: Session) -> None:
    """Use a model server that answers on this machine, if there is one now."""
    from dotagent.store import credentials, launch  # loaded only without a model

    if near := launch.nearby(session.settings.nearby):
        name, base = near
        os.environ[credentials.variable(name, "API_BASE")] = base  # for the process that restarts it
        launch.ensure(session.home, name, os.environ)
        session.order = (name,)


def choose(session: Session) -> str:
    """Return the first available provider. Skip providers that failed for the pending call, as long as others are
    left."""
    left = [name for name in session.order if name not in session.state.turn.passed] or session.order
    return next((name for name in left if not _is_away(session, name)), left[0])


def _is_away(session: Session, name: str) -> bool:
    since, _, why = session.state.model.away.get(name, "").partition(" ")
    well = str(provider_status.published(session.home).get(name, {}).get("well", "")) if since else ""
    if not since or well > since or times.ahead(since) > 0:
        return False
    return -times.ahead(since) < SOON.get(why.partition(" ")[0], session.patience.retry_most)


def others(session: Session, provider: str) -> bool:
    """Return True if another provider would get a call that this one does not answer."""
    return bool({*session.order} - {*session.state.turn.passed, provider})


def away(session: Session, call: Call, outcome: Outcome) -> Away | None:
    """Return the event that passes a failed live call to the next provider. Return None if there is no other, or if the
    failure is not the provider's fault."""
    if outcome.kind in STAYS or call.provider not in session.order or not others(session, call.provider):
        return None
    return Away(call.provider, outcome.kind, call.id, outcome.hint)


def away_beside(session: Session, call: Call, outcome: Outcome) -> Away | None:
    """Return the event that marks the provider of a failed background call as unavailable for later calls, or None if
    the failure concerns only this call."""
    if outcome.kind not in ITS_OWN or len(session.order) < 2 or call.provider in session.state.model.away:
        return None
    return Away(call.provider, outcome.kind, call.id, outcome.hint)


def hints(session: Session, last: str) -> str:
    """Return why none of the agent's providers answered."""
    passed = [_reason(session, name) for name in session.state.turn.passed]
    return "; ".join(filter(None, [*passed, last]))


def _reason(session: Session, name: str) -> str:
    return session.state.model.away.get(name, "").partition(" ")[2].partition(" ")[2]


def word(session: Session, room: str, provider: str) -> str:
    """Return the message to the room that another provider than last time answers, or ""."""
    names, known = session.order, session.state.model.by.get(room, "")
    if session.state.turn.untold:
        return ""  # the room is about to get this message
    if provider in names and (before := known or names[0]) in names:
        at = names.index(provider)
        if before == provider or at < names.index(before):
            return f"({provider} answers again)" if before != provider else ""
        why = next(
            filter(None, (_reason(session, one) for one in names[:at])),
            "it is the next provider in the setting fallback",
        )
        return f"({provider} answers: {why})"
    if not session.chosen or provider_status.LAST not in (known, provider):
        return ""  # someone chose another
    return f"({provider} answers: {fallback_message(session, known) or 'it is available'})"


def fallback_message(session: Session, before: str) -> str:
    """Return the message that the earlier provider is unavailable and how to get it back, or "" if it is in use."""
    if session.provider != provider_status.LAST or before in ("", provider_status.LAST):
        return ""
    do = "start its server" if before in provider_status.OWN else "set its key and start me again"
    gone = f"{before}, which answered until now, is not available; {do}"
    return f"{gone}. As long as {before} is not available, I answer only by built-in rules"
