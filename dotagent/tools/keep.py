"""KEEP: mark an entry of the context (such as a message), so that no summary replaces it. Together, the entries that
the agent has marked may take 10 % of the largest size that the context may have."""

from __future__ import annotations

from dotagent.compaction.swap import KEPT
from dotagent.life.context import tokens_of
from dotagent.life.events import Hear, Keep
from dotagent.life.session import Session
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError

FOR = "Keep an entry from fading"
USAGE = ("KEEP number",)
ORDER = 34
EFFECT = ""
ORIGIN = "own"


def act(session: Session, call: ToolCall) -> None:
    """Mark the entry as kept. Raises ToolError if it does not exist or the budget is used up."""
    number = call.args.lstrip("#").split(" ")[0]
    if number.startswith("0"):  # as in the example: means this message
        number = next((str(one.number) for one in reversed(session.entries) if one.event == Hear.WORD), number)
    entry = next((one for one in session.entries if str(one.number) == number), None)
    if entry is None:
        raise ToolError(f"there is no entry #{number or '?'} in your context; write KEEP and an entry's number")
    kept = [one for one in session.entries if one.number in session.state.forgetting.kept]
    if entry in kept:
        return
    room = int(KEPT * session.limit / session.state.model.ratio) - tokens_of(kept)
    if entry.tokens > room:
        raise ToolError(
            f"#{number} has {entry.tokens:,} tokens, but KEEP has room for only {max(0, room):,}; use MEMORY.md instead"
        )
    session.record(Keep(entry.number))
