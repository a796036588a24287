"""Another provider in the place of the one by which a life answered: what became of that, and the way back."""

from __future__ import annotations

import os

from dotagent.life.session import Session
from dotagent.store import credentials, launch


def fallen(session: Session) -> str:
    """That the provider by which the life answered last is not there now, and what to do; "" when it is."""
    before = session.state.turn.provider
    if session.provider != launch.LAST or before in ("", launch.LAST):
        return ""
    do = "until its server is back" if before in launch.OWN else "set its key and start me again: until then"
    return f"{before}, by which I answered, is not there; {do} I go by rules alone"


def look(session: Session, told: bool) -> str:
    """What a room must know before it is answered: a server nearby has come, or, unless `told` before, the provider is
    gone; "" for nothing. One that a person named stays."""
    if session.provider != launch.LAST or session.settings.provider or not session.chosen:
        return ""
    if near := launch.nearby(session.settings.nearby):
        session.provider, base = near
        os.environ[credentials.variable(session.provider, "API_BASE")] = base  # for whoever starts it again
        launch.ensure(session.home, session.provider, os.environ)
        return f"({session.provider} is here: it answers from now on)"
    why = "" if told else fallen(session)
    return why and f"({why})"
