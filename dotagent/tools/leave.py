"""LEAVE: hear a room no longer."""

from __future__ import annotations

from dotagent import disk
from dotagent.mind import Mind
from dotagent.text.grammar import Call
from dotagent.tools import ToolError

USAGE = ("LEAVE room",)


def act(mind: Mind, call: Call) -> None:
    """Remove the subscription's link; the loop notices."""
    link = mind.path / "subs" / f"{call.args}.md"
    if call.args not in mind.state.rooms and not link.is_symlink():
        raise ToolError(f"you are not in a room {call.args[:64]!r}")
    if disk.remove(link):
        disk.sync_dir(link.parent)
