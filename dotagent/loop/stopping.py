"""Stopping: a person's request (life/stops.py) ends the present turn of a room, and all work for it.

An announced action is finished first, and other work is dropped. The room gets one line. Owns nothing on disk.
"""

from __future__ import annotations

from dotagent import tools
from dotagent.life import stops
from dotagent.life.events import Fail, Note
from dotagent.life.session import Session
from dotagent.life.stops import Stop
from dotagent.loop.boot import Agent


def stop(me: Agent) -> bool:
    """Stop the work that a person asked to stop. Return False if no one asked, or if another step must come first."""
    session = me.session
    wish = stops.read(session.path)
    if wish is None or session.state.turn.effect or session.state.turn.untold:
        return False
    turn = session.state.turn
    begun = turn.waits or turn.call or turn.look or tools.allowed(session) or tools.pending_calls(session)
    goes_on = bool(begun) and (turn.wake or turn.room) == wish.room
    if goes_on and (turn.call or turn.look) and (me.calls.take() or not me.calls.stop(f"stopped by {wish.who}")):
        return True  # the answer came first
    heard = session.state.heard.rooms.get(wish.room)
    if not goes_on and heard and heard.offset < wish.offset and me.inbox.hear():
        return True  # perhaps a message from before the wish
    since = _begin(session) if goes_on else ""
    ended = [name for part in me.parts for name in part.stop(wish.room, since)]
    if goes_on or ended or wish.room in turn.unanswered:
        hint = "; ".join([f"stopped by {wish.who}", *([f"ended: {', '.join(ended)}"] if ended else [])])
        room = "" if turn.room == wish.room else wish.room
        session.record(Fail("cancelled", "stopped", room), hint.encode("utf-8", "replace"), gist=hint)
    _answer_later(session, wish)
    session.sync()
    stops.remove(session.path)
    return True


def _begin(session: Session) -> str:
    """Return the time of the first entry that the turn answers."""
    frame = session.state.turn.frame
    return next((one.line.at for one in session.entries if one.number in frame), "")


def _answer_later(session: Session, wish: Stop) -> None:
    """Begin a turn for a message that came after the request to stop, but that the stopped turn had already read."""
    heard, turn = session.state.heard.rooms.get(wish.room), session.state.turn
    if heard and heard.offset > wish.offset and turn.failed == "stopped" and turn.room == wish.room and not turn.wake:
        session.record(Note(wish.room, "owed"), f"The room {wish.room} still waits for an answer.".encode())
