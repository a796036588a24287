"""Ending a turn: a person's request to stop (life/stops.py) ends the present turn of a room, and all work for it.

An announced action is finished first, and other work is dropped. Earlier messages of the same person are
read, and the agent does not begin them. The room gets a line about each. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Sequence

from dotagent.life import approvals, events, stops
from dotagent.life.context import Entry
from dotagent.life.events import Fail, Hear, Note, Reply
from dotagent.life.session import Session
from dotagent.life.stops import Stop
from dotagent.loop.boot import Agent
from dotagent.text import escape

QUOTED, MOST = 80, 3  # characters of a message that is not begun, and how many such messages are quoted


def end(me: Agent, wish: Stop) -> bool:
    """Do the next step of what a person asked. Return False if another step must come first."""
    session = me.session
    turn = session.state.turn
    begun = turn.waits or turn.call or turn.look or approvals.allowed(session) or approvals.pending_calls(session)
    goes_on = bool(begun) and (turn.wake or turn.room) == wish.room
    if goes_on and (turn.call or turn.look) and (me.calls.take() or not me.calls.stop(f"stopped by {wish.who}")):
        return True  # the answer came first
    if (turn.wake == wish.room or not goes_on) and (unheard := me.inbox.unheard(wish.room, wish.offset)):
        if begun and not goes_on:
            return False  # a turn of another room comes first, and then the agent reads these messages
        me.inbox.record(wish.room, unheard)
        return True
    waiting = _find_waiting(session, wish)
    meant = [one for one, is_meant in waiting if is_meant]
    only_others = bool(waiting) and not meant and len(waiting) == len(turn.frame)
    goes_on = goes_on and not only_others
    since = _begin(session) if goes_on else ""
    ended = [name for part in me.parts for name in part.stop(wish.room, since)]
    if goes_on or ended or wish.room in turn.unanswered:
        told = [f"stopped by {wish.who}", *([f"ended: {', '.join(ended)}"] if ended else [])]
        hint = "; ".join([*told, *([f"not answered: {_quote(meant)}"] if meant else [])])
        room = "" if turn.room == wish.room else wish.room
        session.record(Fail("cancelled", "stopped", room), hint.encode("utf-8", "replace"), gist=hint)
        session.sync()
        return True  # the rest follows after the message to the room
    _answer_later(session, wish)
    session.sync()
    stops.remove(session.path)
    return True


def _begin(session: Session) -> str:
    """Return the time of the first entry that the turn answers."""
    frame = session.state.turn.frame
    return next((one.line.at for one in session.entries if one.number in frame), "")


def _find_waiting(session: Session, wish: Stop) -> list[tuple[Entry, bool]]:
    """Return the messages of the room about which no model was asked, each with True if the request means it. It does
    not mean what came later, and in a group not what another person said."""
    turn, found = session.state.turn, list[tuple[Entry, bool]]()
    if turn.steps:
        return found
    answered = max((one.number for one in session.entries if one.event == Reply.WORD), default=0)
    for one in session.entries:
        event = events.parse(one.line) if one.number in turn.frame and one.number > answered else None
        if isinstance(event, Hear) and event.room == wish.room:
            kind, _, name = event.who.partition(":")
            another = session.state.audience == "group" and kind != "AGENT" and (name or session.owner) != wish.who
            found.append((one, event.offset <= wish.offset and not another))
    return found


def _quote(messages: Sequence[Entry]) -> str:
    said = [f"“{escape.one_line(one.line.gist.partition(': ')[2], QUOTED)}”" for one in messages[:MOST]]
    return ", ".join([*said, *([f"and {len(messages) - MOST} more"] if messages[MOST:] else [])])


def _answer_later(session: Session, wish: Stop) -> None:
    """Begin a turn for messages that the stopped turn had already read, but that the request does not mean."""
    turn, later = session.state.turn, [one for one, is_meant in _find_waiting(session, wish) if not is_meant]
    if later and turn.failed == "stopped" and turn.room == wish.room and not turn.wake:
        who = ", ".join(dict.fromkeys(one.line.gist.partition(": ")[0] for one in later))
        told = f"The room {wish.room} still waits for an answer to what {who} said last."
        session.record(Note(wish.room, "owed", ",".join(str(one.number) for one in later)), told.encode())
