"""LEAVE: leave a room, and no longer read its messages."""

from __future__ import annotations

from dotagent.errors import Misuse
from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.store import disk
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError

FOR = "Leave a room and no longer read its messages"
USAGE = ("LEAVE room",)
ORDER = 53
EFFECT = "join"
ORIGIN = "own"
SOME = "unmade"


def effect(session: Session, call: ToolCall) -> Act:
    """Return the end of the subscription."""
    return Act(EFFECT, f"leave {call.args}")


def act(session: Session, call: ToolCall) -> None:
    """Remove the subscription's link; the loop notices."""
    try:
        link = session.path / "subs" / session.home.room(call.args).name
    except Misuse as wrong:
        raise ToolError(str(wrong)) from None
    if not link.is_symlink():
        there = ", ".join(sorted(session.state.heard.rooms)) or "none"
        raise ToolError(f"you are not in a room {call.args}; your rooms are {there}")
    disk.remove(link)
    disk.sync_dir(link.parent)
