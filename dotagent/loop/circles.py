"""Whether a turn goes in circles: a model that does the same thing again and again is stopped."""

from __future__ import annotations

from collections.abc import Sequence

from dotagent.life.context import Entry
from dotagent.life.events import Hear, Reply

TIMES = 3


def goes_in(entries: Sequence[Entry]) -> bool:
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
