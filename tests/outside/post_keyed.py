"""POST_KEYED: a tool of the tests. It does something in a world that knows each request by its key."""

from __future__ import annotations

import world_outside

from dotagent.life.session import Session
from dotagent.text.grammar import ToolCall

USAGE = ("POST_KEYED word",)


def act(session: Session, call: ToolCall) -> bytes:
    """Announce the key, then do it."""
    key = session.announce(call, session.next()).what
    return world_outside.post("keyed", call.args, key)


def recover(session: Session, call: ToolCall, what: str) -> bytes:
    """Ask for it again by its key: the world does not do it twice."""
    return world_outside.post("keyed", call.args, what)
