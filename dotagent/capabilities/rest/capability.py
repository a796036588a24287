"""The additions of rest to an agent, and to `status`. Owns nothing on disk."""

from __future__ import annotations

import time
from collections.abc import Iterator

from dotagent.capabilities.rest import plan_file
from dotagent.contract import Capability, Cells, Living, Rows
from dotagent.life.session import Session
from dotagent.store import home
from dotagent.store.home import Home, Settings
from dotagent.store.watch import Watcher
from dotagent.text.lazy import asdict
from dotagent.text.reference import short


def _live(session: Session, watch: Watcher) -> Living:
    from dotagent.capabilities.rest.resting import Resting

    resting = Resting(session)
    return Living(look=resting.look, sleep=resting.sleep, heard=resting.hear, rest=resting.consider)


def _status(where: Home, settings: Settings) -> Rows | None:
    rows = list(_rows(where))
    return Rows("rest", "agent >tokens summary >saves", rows) if rows else None


def _rows(where: Home) -> Iterator[Cells]:
    """Yield the planned rests of agents whose prompt is still in the cache."""
    for self_id in home.lives(where):
        plan = plan_file.read(where.agent(self_id))
        if plan and time.time() < plan.over:
            left = max(0.0, plan.begin - time.time())
            told = {"agent": self_id, **asdict(plan)}
            when = f"in {left:,.0f} s, if no message comes"
            yield told, (short(self_id), f"{plan.before:,} -> {plan.after:,}", when, f"${plan.saves / 1e6:,.4f}")


def _calls(where: Home, self_id: str) -> str:
    plan = plan_file.read(where.agent(self_id))
    return "a rest" if plan and plan.begin <= time.time() < plan.over else ""


def _due(where: Home, self_id: str) -> float | None:
    plan = plan_file.read(where.agent(self_id))
    return plan.begin if plan and time.time() < plan.over else None


CAPABILITY = Capability(live=_live, calls=_calls, due=_due, status=_status)
