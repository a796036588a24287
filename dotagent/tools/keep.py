"""KEEP: an entry that may not fade, within a budget of a tenth of the context."""

from __future__ import annotations

from dotagent.compaction.swap import KEPT
from dotagent.life.events import Hear, Keep
from dotagent.life.replay import size
from dotagent.life.session import Session
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError

FOR = "Keep an entry from fading"
USAGE = ("KEEP number",)
ORDER = 34
EFFECT = ""
ORIGIN = "own"


def act(session: Session, call: ToolCall) -> None:
    """Mark the entry. Raises ToolError for one that is not there, or when the budget is spent."""
    number = call.args.lstrip("#").split(" ")[0]
    if number.startswith("0"):  # of a turn that was shown beside a message (life/turns.py): this message is meant
        number = next((str(one.number) for one in reversed(session.entries) if one.event == Hear.WORD), number)
    entry = next((one for one in session.entries if str(one.number) == number), None)
    if entry is None:
        raise ToolError(f"there is no entry #{number or '?'} in your context: KEEP and an entry's number")
    kept = [one for one in session.entries if one.number in session.state.forgetting.kept]
    if entry in kept:
        return
    room = int(KEPT * session.limit / session.state.model.ratio) - sum(map(size, kept))
    if size(entry) > room:
        raise ToolError(
            f"#{number} has {size(entry):,} tokens and {max(0, room):,} are left to keep: note it in MEMORY.md"
        )
    session.record(Keep(entry.number))
