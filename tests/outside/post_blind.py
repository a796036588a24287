"""POST_BLIND: a tool of the tests. It does something in a world that cannot tell afterwards whether it happened."""

from __future__ import annotations

import world_outside

from dotagent.life.session import Session
from dotagent.text.grammar import ToolCall

USAGE = ("POST_BLIND word",)


def act(session: Session, call: ToolCall) -> bytes:
    """Announce it, then do it. There is no `recover`: nobody could find out."""
    session.announce(call, call.args)
    return world_outside.post("blind", call.args, "")
