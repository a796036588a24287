"""The hooks of the scheduler into agents, `up` and the output of commands. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from dotagent import installed
from dotagent.capabilities.scheduler import alerts, clock_process, jobs
from dotagent.capabilities.scheduler.wakes import Wakes
from dotagent.contract import Capability, Check, Living, Process, Rows
from dotagent.life.session import Session
from dotagent.store import disk
from dotagent.store.home import Home, Settings
from dotagent.store.watch import Watcher


def _live(session: Session, watch: Watcher) -> Living:
    wakes = Wakes(session, watch)
    instead = partial(alerts.choose_call, session)
    return Living(look=wakes.look, sleep=wakes.sleep, close=wakes.close, instead=instead)


def _due_folder(where: Home, self_id: str) -> Path:
    return where.agent(self_id) / "due"


def _calls(where: Home, self_id: str) -> str:
    return "a job" if disk.names(_due_folder(where, self_id), ".json") else ""


def _checks() -> tuple[Check, ...]:
    from dotagent.capabilities.scheduler import checks

    return checks.clock, checks.zone, checks.lists, checks.waiting


def _status(where: Home, settings: Settings) -> Rows | None:
    from dotagent.capabilities.scheduler import table

    return Rows("job", "job when next last", table.rows(where, settings)) if jobs.list_names(where) else None


def _warnings(where: Home, settings: Settings) -> Iterator[str]:
    if jobs.list_names(where) and not clock_process.runs(where):
        yield f"the scheduler (`clock`) is stopped, so jobs run late; start it with `{installed.program('up')}`"
    if settings.retention and not clock_process.runs(where):
        yield f"the scheduler is stopped, so old data is not removed; start it with `{installed.program('clock')}`"


CAPABILITY = Capability(
    live=_live,
    calls=_calls,
    watched=lambda where, self_id: [_due_folder(where, self_id)],
    checks=_checks,
    status=_status,
    warnings=_warnings,
    processes=(Process("clock", lambda where: where.clock),),
)
