"""What bounds a turn: it may not go in circles or on for ever, or die over one call again and again; and what of a
call's failure is a result."""

from __future__ import annotations

import errno
from collections.abc import Sequence

from dotagent import errors, extensions
from dotagent.errors import Trouble
from dotagent.life.context import Entry
from dotagent.life.events import Fail, Hear, Note, Reply, Result, Wake
from dotagent.life.session import Session
from dotagent.life.state import Turn
from dotagent.loop import spawned
from dotagent.text import grammar

STEPS = 100  # requests in a turn after which the agent stops and says so
TELL, END = 3, 6  # rounds of the same, after which the agent is told of it, and after which the turn ends
PERIODS = (1, 2)  # replies in a round: the same thing again and again, or two things by turns
CIRCLES = (
    "You did the same {:g} times, and saw the same of it each time: it will not change. "
    "Do something else, or say what is in the way."
)
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)  # a disk on which nothing can be written down either
DEATHS = 2  # over one call, after which it is not tried again
NEXT = " ⏎ "  # between the lines of what a room is told


def fate(untold: str) -> str:
    """What a room is told for a model that says nothing; what stands in brackets already is whole."""
    return untold.replace(NEXT, "\n") if untold.startswith("(") else f"(no answer: {untold})"


def deadly(turn: Turn) -> str:
    """Why the call that is due is not tried again: this process died over it twice; empty when it may be tried."""
    if turn.deaths < DEATHS or turn.effect or turn.untold:
        return ""
    return f"I died over this call {turn.deaths} times, so it is not tried again: do it in another way"


def told(failure: Trouble | OSError) -> str:
    """What the model reads of a failed call. Raises the failure of a disk that is full: a person must mend that."""
    if not isinstance(failure, OSError):
        return str(failure)
    if failure.errno in FULL:
        raise failure
    return errors.line(failure)


def stop(session: Session) -> bool:
    """Whether the turn ends here, since it went on for too long or in circles; the room is told. Some time before that
    the agent is told that it does."""
    if over := spawned.stop(session):
        hint = f"I have come to my limit of {over.kind}"
        session.record(over, hint.encode(), gist=hint)
        return True
    turn, again = session.state.turn, rounds(session.entries)
    if turn.steps < STEPS and again < END:
        if again == TELL and session.entries[-1].event != Note.WORD:
            session.record(Note(turn.room, "circles"), CIRCLES.format(again).encode())
        return False
    why = f"after {STEPS} steps" if turn.steps >= STEPS else f"since I went in circles, the same thing {again:g} times"
    hint = f"I stopped {why}; say a word and I go on"
    session.record(Fail("steps", "stopped"), hint.encode(), gist=hint)
    return True


def rounds(entries: Sequence[Entry]) -> float:
    """How often, at the end of this turn, the same calls showed the same, whatever was written beside them."""
    done = _done(entries)
    return max(_same(done, period) for period in PERIODS)


def _done(entries: Sequence[Entry]) -> list[tuple[object, ...]]:
    """What the turn's last replies did and what came of it, the newest first; no more than is asked for."""
    found, shown = list[tuple[object, ...]](), list[object]()
    for entry in reversed(entries):
        if entry.event in (Hear.WORD, Wake.WORD) or len(found) > END * max(PERIODS):
            break
        if entry.event == Result.WORD:
            shown.append((entry.detail, entry.content))
        elif entry.event == Reply.WORD:
            text = (entry.content or b"").decode("utf-8", "replace")
            found.append((grammar.read(text, extensions.tools()).calls or text, *shown))
            shown.clear()
    return found


def _same(done: Sequence[tuple[object, ...]], period: int) -> float:
    """How many rounds of so many replies are the same, from the newest back."""
    alike = next((at for at in range(len(done) - period) if done[at] != done[at + period]), len(done) - period)
    return (alike + period) / period if alike > 0 else 0
