"""Before the oldest fades: one turn in silence, once between two swaps, in which the agent may write down what must
last. It costs one request, whose beginning a provider's cache still has. Owns nothing on disk.
"""

from __future__ import annotations

from dotagent import extensions
from dotagent.life.events import Flush
from dotagent.life.session import Session
from dotagent.store import bootstrap

SOFT = 4000  # tokens below the limit, where settings say no other
SHARE = 4  # times as many a context must have: a smaller one has no room for such a turn
GROWTH = 1.05  # times what the last swap left: sooner there is nothing new to write down
LATE = 1.2  # times the limit: up to there forgetting waits for the turn
ASKS = (
    "Soon the oldest of this fades into summaries. Write down now what must last and stands nowhere yet: {0.lasting} "
    "for good, {0.note} for these days. Nobody hears this turn. Reply only with such calls, or with {0.silence}."
)


def invite(session: Session) -> bool:
    """Let the turn begin where it is due and nothing else is going on; False else."""
    turn = session.state.turn
    idle = not (turn.call or turn.waits or turn.effect or turn.untold or turn.unanswered)
    if not idle or not due(session):
        return False
    rooms = session.state.heard.rooms
    room = turn.room if turn.room in rooms else next(iter(rooms), "")
    if not room:
        return False
    session.record(Flush(room), ASKS.format(extensions.tools()).encode(), gist="what must last is written down")
    return True


def holds(session: Session) -> bool:
    """Whether forgetting waits for that turn."""
    return due(session) and session.tokens < LATE * session.limit


def due(session: Session) -> bool:
    """Whether there is such a turn to come, so near to the limit."""
    told, forgetting = session.settings.memory_flush, session.state.forgetting
    soft = told.get("soft_threshold_tokens", SOFT)
    if forgetting.flushed or not told.get("enabled", True) or not isinstance(soft, int):
        return False
    if bootstrap.kind(session.state.audience) == "helper" or session.limit < SHARE * soft:
        return False
    return session.tokens > max(session.limit - soft, int(GROWTH * forgetting.settled))
