"""LEAVE: hear a room no longer."""

from __future__ import annotations

from dotagent import disk
from dotagent.errors import Misuse
from dotagent.mind import Mind
from dotagent.text.grammar import Call
from dotagent.tools import ToolError

USAGE = ("LEAVE room",)


def act(mind: Mind, call: Call) -> None:
    """Remove the subscription's link; the loop notices."""
    try:
        link = mind.path / "subs" / mind.home.room(call.args).name
    except Misuse as wrong:
        raise ToolError(str(wrong)) from None
    if not link.is_symlink():
        there = ", ".join(sorted(mind.state.rooms)) or "none"
        raise ToolError(f"you are not in a room {call.args}: your rooms are {there}")
    disk.remove(link)
    disk.sync_dir(link.parent)
