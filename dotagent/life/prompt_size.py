"""The most tokens of a whole prompt, for commands that show sizes to people. Owns nothing on disk."""

from __future__ import annotations

from dotagent.life.replay import fixed
from dotagent.life.state import State, accepted
from dotagent.text import tokens


def most_tokens(setting: int, state: State) -> int:
    """Return the most tokens of a whole prompt. This is the setting, unless the fixed part leaves too little room for
    entries, or the model's window is smaller."""
    most = max(setting, fixed(state) + int(tokens.OVERFULL * tokens.LEAST))
    if state.model.most:
        most = min(most, fixed(state) + int(tokens.OVERFULL * state.model.most))
    return min(most, max(accepted(state), fixed(state) + tokens.LEAST)) if state.model.refused else most
