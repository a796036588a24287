"""JOIN: subscribe to a room of one's own audience."""

from __future__ import annotations

import os

from dotagent.errors import Misuse
from dotagent.life.session import Session
from dotagent.store import disk, rooms
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError

FOR = "Hear another room too"
USAGE = ("JOIN room",)
ORDER = 52
EFFECT = "join"
ORIGIN = "own"
SOME = "unmade"


def act(session: Session, call: ToolCall) -> None:
    """Make the subscription's link; the loop hears the room from there on."""
    if call.args in session.state.heard.rooms:  # else the turn would end, and its person hear nothing
        raise ToolError(f"you hear {call.args} already: answer in words, or WAIT")
    try:
        path = session.home.room(call.args)
    except Misuse as wrong:
        raise ToolError(str(wrong)) from None
    if not disk.is_file(path) or rooms.audience(path, session.owner) != session.state.audience:
        # which it is tells who else has rooms here
        raise ToolError(f"there is no room {call.args} for your audience ({session.state.audience})")
    subscribe(session, call.args)


def subscribe(session: Session, room: str) -> None:
    """Make the link, durably; one that leads there already stays."""
    target = session.home.room(room)
    link = session.path / "subs" / target.name
    disk.make_dir(link.parent)
    if link.is_symlink():
        if link.exists() and link.samefile(target):
            return
        disk.remove(link)
    elif link.exists():
        raise ToolError(f"subs/{link.name} is in the way: it is no link, and only a person can move it")
    os.symlink(os.path.relpath(target, link.parent), link)
    disk.sync_dir(link.parent)
