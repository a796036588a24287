"""WAIT: send no message."""

from __future__ import annotations

from dotagent.life.session import Session
from dotagent.text.grammar import ToolCall

FOR = "Say nothing"
USAGE = ("WAIT",)
ORDER = 51
EFFECT = ""
ORIGIN = "own"
ROLE = "silence"


def act(session: Session, call: ToolCall) -> None:
    """End the turn in silence."""
