"""The addition of budgets: no request is sent once a budget is used up. Owns nothing on disk."""

from __future__ import annotations

from dotagent.contract import Capability, Living
from dotagent.life.session import Session
from dotagent.store.watch import Watcher


def _live(session: Session, watch: Watcher) -> Living:
    settings = session.settings
    if not (settings.budget or any("budget" in table for table in settings.agents.values())):
        return Living()
    from dotagent.life.budget import Budget  # most agents have no budget

    budget = Budget(session)

    def sleep() -> float | None:
        turn = session.state.turn
        return budget.pause() if turn.unanswered and turn.failed == "held" else None

    return Living(held=budget.held, warn=budget.nearly, sleep=sleep)


CAPABILITY = Capability(live=_live)
