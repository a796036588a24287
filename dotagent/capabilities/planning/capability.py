"""The addition of planning: the messages that a long turn answers, and its plan, at the end of each prompt. Owns
nothing on disk."""

from __future__ import annotations

from dotagent.contract import Capability
from dotagent.life.replay import View
from dotagent.store.blobs import Blobs

FAR = 20  # entries since the first message of a turn; above it, also a prompt without a plan has the end


def _ending(store: Blobs, view: View, limit: int) -> str:
    turn = view.state.turn
    is_far = bool(turn.held) and view.state.number - turn.held[0] >= FAR
    if not (is_far or (turn.held and turn.plan)):
        return ""
    from dotagent.capabilities.planning import prompt_end  # loaded only once there was such a turn

    return prompt_end.text(store, view, limit) if is_far or prompt_end.find_plan(turn) else ""


CAPABILITY = Capability(ending=_ending)
