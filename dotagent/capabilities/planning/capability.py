"""The addition of planning: the messages that a long turn answers, and its plan, at the end of each prompt. Owns
nothing on disk."""

from __future__ import annotations

from dotagent.contract import Capability, Living
from dotagent.life.session import Session
from dotagent.store.watch import Watcher

LONG = 10  # requests of a turn before a prompt has the end without a plan, too


def _live(session: Session, watch: Watcher) -> Living:
    def ending() -> str:
        turn = session.state.turn
        if not turn.held or (turn.steps < LONG and not turn.plan):
            return ""
        from dotagent.capabilities.planning import prompt_end  # loaded only once there was such a turn

        return prompt_end.text(session) if turn.steps >= LONG or prompt_end.find_plan(turn) else ""

    session.ending = ending
    return Living()


CAPABILITY = Capability(live=_live)
