"""What bounds a turn: it may not go in circles, do more calls of one reply than anybody would write, or die over one
call again and again; and what of a call's failure is a result."""

from __future__ import annotations

import errno
from collections.abc import Sequence

from dotagent import errors
from dotagent.errors import Trouble
from dotagent.life.context import Entry
from dotagent.life.events import Hear, Reply
from dotagent.life.state import Turn
from dotagent.text.grammar import ToolCall

TIMES = 3  # that the same thing is done before the turn ends
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)  # a disk on which nothing can be written down either
DEATHS = 2  # over one call, after which it is not tried again


def fate(untold: str) -> str:
    """What a room is told for a model that says nothing; what stands in brackets already is whole."""
    return untold if untold.startswith("(") else f"(no answer: {untold})"


def at_most(count: int, calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    """The first `count` calls; the one after them says that it and the rest are not done."""
    if len(calls) <= count:
        return calls
    why = f"a reply has at most {count} calls: this one and the {len(calls) - count - 1} after it were not done"
    return (*calls[:count], ToolCall(calls[count].name, calls[count].args, None, why))


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


def in_circles(entries: Sequence[Entry]) -> bool:
    """Whether this turn's last three replies, and what came of each, were the same to the letter."""
    turns: list[list[bytes | None]] = []
    for entry in reversed(entries):
        if entry.event == Hear.WORD or len(turns) > TIMES:
            break
        turns = turns or [[]]
        turns[-1].append(entry.content)
        if entry.event == Reply.WORD:
            turns.append([])
    return len(turns) > TIMES and all(one == turns[0] for one in turns[:TIMES])
