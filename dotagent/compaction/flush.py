"""A silent turn before the oldest entries fade, once between two swaps, so that the agent can write permanent notes. It
costs one request, and most of its prompt is still in the provider's cache. Owns nothing on disk."""

from __future__ import annotations

from dotagent import extensions
from dotagent.life.compaction_events import Flush
from dotagent.life.session import Session
from dotagent.store import bootstrap

SOFT = 4000  # tokens below the limit, by default
SHARE = 4  # a context must have this many times as many; a smaller one has no room for such a turn
GROWTH = 1.05  # times the size after the last swap: below this there is little new to write down
LATE = 1.2  # times the limit: until then fading waits for the turn
ASKS = (
    "Soon summaries will replace the oldest entries. Write down now what must last and is not written down yet: "
    "with {0.lasting} for always, with {0.note} for these days. No person sees this turn. Reply only with such "
    "calls, or with {0.silence}."
)


def invite(session: Session) -> bool:
    """Begin the turn if it is due and nothing else is in progress. Return False otherwise."""
    turn = session.state.turn
    idle = not (turn.call or turn.waits or turn.effect or turn.untold or turn.unanswered)
    if not idle or not is_due(session):
        return False
    rooms = session.state.heard.rooms
    room = turn.room if turn.room in rooms else next(iter(rooms), "")
    if not room:
        return False
    session.record(
        Flush(room), ASKS.format(extensions.tools()).encode(), gist="a request to write down facts that must last"
    )
    return True


def is_waiting(session: Session) -> bool:
    """Return True if fading waits for that turn."""
    return is_due(session) and session.tokens < LATE * session.limit


def is_due(session: Session) -> bool:
    """Return True if such a turn is needed, close to the limit."""
    told, forgetting = session.settings.memory_flush, session.state.forgetting
    soft = told.get("soft_threshold_tokens", SOFT)
    if forgetting.flushed or not told.get("enabled", True) or not isinstance(soft, int):
        return False
    if bootstrap.kind(session.state.audience) == "helper" or session.limit < SHARE * soft:
        return False
    return session.tokens > max(session.limit - soft, int(GROWTH * forgetting.settled))
