"""WAIT: nothing needs saying or doing now."""

from __future__ import annotations

from dotagent.mind import Mind
from dotagent.text.grammar import Call

USAGE = ("WAIT",)


def act(mind: Mind, call: Call) -> None:
    """End the turn in silence."""
