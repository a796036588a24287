"""JOIN: join a room that the same people can read as the agent's other rooms, and read its messages from then on."""

from __future__ import annotations

import os

from dotagent.errors import Misuse
from dotagent.life.policy import Act
from dotagent.life.session import Session
from dotagent.store import disk, rooms
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError

FOR = "Join another room and read its messages too"
USAGE = ("JOIN room",)
ORDER = 52
EFFECT = "join"
ORIGIN = "own"
SOME = "unmade"


def effect(session: Session, call: ToolCall) -> Act:
    """Return the subscription to a room."""
    return Act(EFFECT, call.args)


def act(session: Session, call: ToolCall) -> None:
    """Create the subscription's link; the loop then reads the room."""
    if call.args in session.state.heard.rooms:  # otherwise the turn would end without an answer
        raise ToolError(f"you are already in {call.args}; answer in words, or WAIT")
    try:
        path = session.home.room(call.args)
    except Misuse as wrong:
        raise ToolError(str(wrong)) from None
    if not disk.is_file(path) or rooms.audience(path, session.owner) != session.state.audience:
        # the same error, because another would reveal other people's rooms
        raise ToolError(
            f"there is no room {call.args} for your audience, the people who can read you ({session.state.audience})"
        )
    subscribe(session, call.args)


def subscribe(session: Session, room: str) -> None:
    """Create the link, durably. A correct existing link stays."""
    target = session.home.room(room)
    link = session.path / "subs" / target.name
    disk.make_dir(link.parent)
    if link.is_symlink():
        if link.exists() and link.samefile(target):
            return
        disk.remove(link)
    elif link.exists():
        raise ToolError(
            f"subs/{link.name} must be the link to this room, but another file has this name; your owner must move it"
        )
    os.symlink(os.path.relpath(target, link.parent), link)
    disk.sync_dir(link.parent)
