"""Ask the owner in a room for permission, and match an answer to its question (questions.py).

A question is announced like any effect, so it is posted once. After a yes, exactly the listed calls of that reply run.
Writes messages of rooms through store/rooms.py.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from dotagent.errors import Trouble
from dotagent.life import origins
from dotagent.life.events import Effect
from dotagent.life.questions import LINES, Question, answer, read, standing
from dotagent.life.session import Session
from dotagent.store import rooms
from dotagent.store.rooms import Message
from dotagent.text import quotes, times
from dotagent.text.reference import short

if TYPE_CHECKING:  # the words of a question are loaded when one is asked
    from dotagent.life.policy_words import Due

STANDS = 3600.0  # seconds after which a missing answer means no
USED = (
    "(my question does not count any more, because another agent used its number here. Tell me again what to do, and I "
    "ask with another number)"
)


def ask(session: Session, due: Due) -> bytes:
    """Ask about these calls in the room of the turn. Return the text that the model gets. Raises Trouble if there is no
    room to ask in, or if a call is too long to show."""
    turn, heard = session.state.turn, session.state.heard
    if turn.flush or turn.room not in heard.rooms or not turn.reply or not due:
        raise Trouble("not done: this needs my owner's permission, and there is no room in which I can ask")
    from dotagent.life import policy_words

    number, wait = max(heard.asked, LINES) + 1, float(session.settings.policy.get("wait", STANDS))
    shown, text = policy_words.question(session, number, due[:LINES], wait)
    if not shown:
        raise Trouble(policy_words.TOO_LONG)
    at, words = session.next(), session.keep(text, f"question {number}")
    until = times.make_stamp(times.parse(at) + timedelta(seconds=wait))
    calls = {str(place): act.key for place, _, act in due[:shown]}
    what = Question(number, turn.room, at, until, words, turn.reply, calls).detail()
    session.record(Effect(origins.QUESTION, what))
    session.sync()
    return say(session, what, rooms.append)


def say(session: Session, what: str, append: Callable[[Path, bytes], object] = rooms.complete) -> bytes:
    """Post an announced question. After a crash, `append` first checks that the room does not have it yet. Raises
    Trouble if the announcement cannot be read, or if the room is gone."""
    now = read(what)
    if not now or not (text := session.words(now.words)):
        raise Trouble("not done: my question to the owner was lost in a crash; make the call again to ask again")
    try:
        append(session.home.room(now.room), rooms.line_of("AGENT", short(session.id), now.at, text))
    except FileNotFoundError:
        raise Trouble(f"not done: the room {now.room}, where I would ask my owner, no longer exists") from None
    from dotagent.life import policy_words

    return policy_words.ASKED.format(now.room, now.number, now.until).encode("utf-8", "replace")


def find_answer(session: Session, room: str, message: Message) -> str:
    """Return a message's answer and its question's number, or "". It quotes the question, or the question is the only
    one right above it."""
    quote = quotes.quoted_words(message.text) if message.kind != "AGENT" else ""
    said, numbers = answer(quotes.own_text(message.text) if quote else message.text)
    if not said or (not quote and max(numbers[:1], default=0) > LINES):  # no answer, or it has its own number
        return ""
    here = {one.at: one for one in standing(session.state) if one.room == room}
    above, me = rooms.last(session.home.room(room), message.end, message.end)[:-1], ("AGENT", short(session.id))
    if quote:  # an agent's other message may contain the same words
        meant = [one for one in here.values() if quotes.repeats(message.text, session.words(one.words))]
        others = [one for one in above if one.kind == "AGENT" and not ((one.kind, one.name) == me and one.at in here)]
        meant = [] if any(quotes.is_quoted_in(message.text, one.text) for one in others) else meant
    else:
        own = itertools.takewhile(lambda one: (one.kind, one.name) == me, reversed(above))
        first, *more = [here.get(one.at) for one in own] or [None]
        meant = [first] if first and not any(more) else []
    return " ".join(map(str, (said, meant[0].number, *numbers[numbers[:1] == (meant[0].number,) :]))) if meant else ""
