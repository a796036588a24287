"""SAY: one message in a room."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.store import disk, rooms
from dotagent.text import tag
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import short
from dotagent.tools import ToolError

FOR = "Speak in another room than the one you are spoken to in"
USAGE = ("SAY room words",)
ORDER = 50
EFFECT = "say"
ORIGIN = "own"
FORM = "speech"
ROLE = "speech"
SOME = "unmade"


def effect(session: Session, call: ToolCall) -> Act | None:
    """Speech in another room than that of the turn; there it is the answer."""
    return Act(EFFECT, call.args, (call.args, _words(call))) if call.args != session.state.turn.room else None


def act(session: Session, call: ToolCall) -> None:
    """Announce the message (the room, its size before, the tag it will have), then append it."""
    if call.args not in session.state.heard.rooms:
        there = ", ".join(sorted(session.state.heard.rooms)) or "none"
        raise ToolError(f"you are not in a room {call.args[:64]!r}: your rooms are {there}; JOIN takes you to another")
    path = session.home.room(call.args)
    if not _words(call).strip():
        raise ToolError(f"what shall be said? SAY {call.args} Good morning.")
    if not disk.is_file(path):
        raise ToolError(f"the room {call.args} is gone")
    if rooms.audience(path, session.owner) != session.state.audience:
        raise ToolError(f"the room {call.args} is for another audience now: nothing was said")
    effect = session.announce(call, f"{call.args} {path.stat().st_size} {session.next()}")
    _say(session, call, effect.what, rooms.append)


def recover(session: Session, call: ToolCall, what: str) -> None:
    """Say it now, or the rest of it, unless the room has it: the tag names the message for ever."""
    path = session.home.room(what.split(" ")[0])
    if disk.is_file(path) and rooms.audience(path, session.owner) != session.state.audience:
        raise ToolError(
            f"the room {call.args} is for another audience now: if anything of it was said, then before that"
        )
    _say(session, call, what, rooms.complete)


def _say(session: Session, call: ToolCall, what: str, append: Callable[[Path, bytes], None]) -> None:
    room, _, at = what.split(" ")
    message = rooms.line_of("AGENT", short(session.id), at, _words(call))
    try:
        append(session.home.room(room), message)
    except FileNotFoundError:
        raise ToolError(f"the room {room} is gone: nothing was said") from None


def _words(call: ToolCall) -> str:
    return tag.without_imitated((call.body or "").strip("\n"))
