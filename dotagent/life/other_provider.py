"""Who answers a life: the first of its providers that is not away, what a room is told of that, and the way back.

A provider is away from a call that it did not answer (AWAY) until it is well, as its process publishes, or a while has
passed. All of that stands in LIFE, so a new process goes on with the provider that the last one asked. Where nobody
chose any, a server nearby comes before `offline`, also one that comes later.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from dotagent.life.events import Away
from dotagent.life.session import Session
from dotagent.store import credentials, launch
from dotagent.store.queue import Call, Outcome
from dotagent.text import times

STAYS = ("cancelled", "lost", "system")  # failures of a call that are none of its provider's: a full disk is ours
SOON = {"rate": 60.0, "too_long": 60.0}  # seconds after which one is asked again that nobody tells of, by its failure
ITS_OWN = ("auth", "credit", "missing", "network", "unconfigured")  # what fails one call of a provider fails all


def order(first: str, chosen: bool, fallback: Sequence[str]) -> tuple[str, ...]:
    """Whom a life asks, one after the other; `offline` comes last where nobody named it."""
    names = (*fallback, first) if chosen and first == launch.LAST else (first, *fallback)
    return tuple(dict.fromkeys(names))


def turn_to(session: Session) -> None:
    """Let the life ask the first of its providers that is not away."""
    alone = session.order == (launch.LAST,) and session.chosen and not session.settings.provider
    if alone and (near := launch.nearby(session.settings.nearby)):
        name, base = near
        os.environ[credentials.variable(name, "API_BASE")] = base  # for whoever starts it again
        launch.ensure(session.home, name, os.environ)
        session.order = (name,)
    session.provider = choose(session)


def choose(session: Session) -> str:
    """The first of its providers that is not away; of those that failed this very call none, while there are others."""
    left = [name for name in session.order if name not in session.state.turn.passed] or session.order
    return next((name for name in left if not _is_away(session, name)), left[0])


def _is_away(session: Session, name: str) -> bool:
    since, _, why = session.state.model.away.get(name, "").partition(" ")
    well = str(launch.published(session.home).get(name, {}).get("well", "")) if since else ""
    if not since or well > since or times.ahead(since) > 0:
        return False
    return -times.ahead(since) < SOON.get(why.partition(" ")[0], session.patience.retry_most)


def others(session: Session, provider: str) -> bool:
    """Whether another would take a call that this provider does not answer."""
    return bool({*session.order} - {*session.state.turn.passed, provider})


def away(session: Session, call: Call, outcome: Outcome) -> Away | None:
    """That the next takes a live call that failed; None where there is none, or the failure is not its provider's."""
    if outcome.kind in STAYS or call.provider not in session.order or not others(session, call.provider):
        return None
    return Away(call.provider, outcome.kind, call.id, outcome.hint)


def away_beside(session: Session, call: Call, outcome: Outcome) -> Away | None:
    """That a background call found its provider away, so that whoever asks next asks another; None where it is not."""
    if outcome.kind not in ITS_OWN or len(session.order) < 2 or call.provider in session.state.model.away:
        return None
    return Away(call.provider, outcome.kind, call.id, outcome.hint)


def hints(session: Session, last: str) -> str:
    """Why none of the life's providers brought an answer."""
    passed = [_why(session, name) for name in session.state.turn.passed]
    return "; ".join(filter(None, [*passed, last]))


def _why(session: Session, name: str) -> str:
    return session.state.model.away.get(name, "").partition(" ")[2].partition(" ")[2]


def word(session: Session, room: str, provider: str) -> str:
    """What the room must know before this provider's answer: that it is another's than the last; "" for nothing."""
    names, known = session.order, session.state.model.by.get(room, "")
    if session.state.turn.untold:
        return ""  # it is about to be told that
    if provider in names and (before := known or names[0]) in names:
        at = names.index(provider)
        if before == provider or at < names.index(before):
            return f"({provider} answers again)" if before != provider else ""
        return (
            f"({provider} answers: {next(filter(None, (_why(session, one) for one in names[:at])), 'it is its turn')})"
        )
    if not session.chosen or launch.LAST not in (known, provider):
        return ""  # somebody chose another
    return f"({provider} answers: {fallen(session, known) or 'it is here'})"


def fallen(session: Session, before: str) -> str:
    """That the provider by which the life answered before is not there now, and what to do; "" when it is."""
    if session.provider != launch.LAST or before in ("", launch.LAST):
        return ""
    do = "until its server is back" if before in launch.OWN else "set its key and start me again: until then"
    return f"{before}, by which I answered, is not there; {do} I go by rules alone"
