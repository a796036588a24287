"""What ends a turn: a person's request (life/stops.py), and its limits, which say how many requests it may make, how
often it may repeat itself, and how often one call may crash.

It also writes the error text of a failed call. Owns nothing on disk.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

from dotagent import errors, extensions
from dotagent.errors import Trouble
from dotagent.life import stops
from dotagent.life.context import Entry
from dotagent.life.event import FORMS
from dotagent.life.events import NEXT, Fail, Note, Reply, Result
from dotagent.life.session import Session
from dotagent.life.state import Turn
from dotagent.loop.boot import Agent
from dotagent.text import grammar

STEPS = 100  # requests in a turn after which the agent stops and says so
TELL, END = 3, 6  # equal rounds before a reminder to the agent, and before the end of the turn
SAME_TELL, SAME_END = 24, 48  # the same for one call in an unbroken run, whatever its results: a poll may take long
PERIODS = (1, 2)  # replies in a round: one thing repeated, or two things in alternation
CIRCLES = (
    "You made the same call {:g} times and got the same result each time, so the result will not change. Do "
    "something else, or say what prevents you."
)
SAME = (
    "You made the same call {} times in a row. If you wait for something, wait longer between two looks, or be "
    "reminded of it. Otherwise do something else, or say what prevents you."
)
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)  # a disk that is full or read-only: no error can be recorded either
DEATHS = 2  # over one call, before it is given up


def fate(untold: str) -> str:
    """Return the message to a room whose model gave no answer. A text in brackets is already complete."""
    return untold.replace(NEXT, "\n") if untold.startswith("(") else f"(no answer: {untold})"


def deadly(turn: Turn) -> str:
    """Return why the pending call must not run again, or "" if it may. A call that crashed the process DEATHS times is
    not retried."""
    if turn.deaths < DEATHS or turn.effect or turn.untold:
        return ""
    return f"my process crashed {turn.deaths} times during this call, so I do not try it again; do it in another way"


def error_text(failure: Trouble | OSError) -> str:
    """Return the error text that the model sees for a failed call. Raises the error of a full or read-only disk again,
    because only a person can fix that."""
    if not isinstance(failure, OSError):
        return str(failure)
    if failure.errno in FULL:
        raise failure
    return errors.line(failure)


def heed(me: Agent) -> bool:
    """Stop the work that a person asked to stop. Return False if no one asked, or if another step must come first."""
    turn, wish = me.session.state.turn, stops.read(me.session.path)
    if wish is None or turn.effect or turn.untold:
        return False
    from dotagent.loop import stopped_turn  # loaded only after such a request

    return stopped_turn.end(me, wish)


def stop(session: Session) -> bool:
    """Return True if the turn ends here, because it was too long or went in circles; the room gets a message. The agent
    gets a reminder some rounds before."""
    if over := _limit(session):
        hint = f"I have reached my limit of {over}"
        session.record(Fail(over, "stopped"), hint.encode(), gist=hint)
        return True
    turn, done = session.state.turn, _done(session.entries)
    again, same = max(_count_equal(done, period) for period in PERIODS), _count_equal([one[:1] for one in done], 1)
    if turn.steps < STEPS and again < END and same < SAME_END:
        said = CIRCLES.format(again) if again == TELL else SAME.format(SAME_TELL) if same == SAME_TELL else ""
        if said and session.entries[-1].event != Note.WORD:
            session.record(Note(turn.room, "circles"), said.encode())
        return False
    why = f"after {STEPS} steps" if turn.steps >= STEPS else f"because I did the same thing {max(again, same):g} times"
    hint = f"I stopped {why}; send me a message and I continue"
    session.record(Fail("steps", "stopped"), hint.encode(), gist=hint)
    return True


def _limit(session: Session) -> str:
    """Return the limit that a helper has reached, `turns` or `tokens`, or ""."""
    terms, used = session.terms, session.state.used
    if terms and used.asks >= terms.turns:
        return "turns"
    return "tokens" if terms and used.tokens >= terms.tokens else ""


def _done(entries: Sequence[Entry]) -> list[tuple[object, ...]]:
    """Return the calls and results of the turn's last replies, whatever text came with them, newest first, and no more
    than the limits need."""
    found, shown = list[tuple[object, ...]](), list[object]()
    for entry in reversed(entries):
        run = len(found) < SAME_END and bool(found) and found[-1][0] == found[0][0]
        if FORMS[entry.event].begins or (len(found) > END * max(PERIODS) and not run):
            break
        if entry.event == Result.WORD:
            shown.append((entry.detail, entry.content))
        elif entry.event == Reply.WORD:
            text = (entry.content or b"").decode("utf-8", "replace")
            found.append((grammar.read(text, extensions.tools()).calls or text, *shown))
            shown.clear()
    return found


def _count_equal(done: Sequence[tuple[object, ...]], period: int) -> float:
    """Return how many rounds of `period` replies are equal, counted back from the newest."""
    alike = next((at for at in range(len(done) - period) if done[at] != done[at + period]), len(done) - period)
    return (alike + period) / period if alike > 0 else 0
