"""The scheduler's events and its slice of the state: which runs started the agent, and the results of its heartbeats.

A run of a job keeps its name, so that it starts the agent once, however often it is handed over. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Mapping

from dotagent.life.event import Event, event, named_field
from dotagent.life.slices import StateSlice
from dotagent.life.state import State, wake
from dotagent.store.log import Line
from dotagent.text.lazy import dataclass, field

HEARTBEAT = "heartbeat"  # the job whose answers may stay unsaid
KNOWN = 256  # remembered runs of jobs, and alerts
ALERT = "alert"


@event("WAKE", blob=True)
class Wake(Event):
    """The scheduler (`dotagent clock`) gave the agent a task. `job` is the name of the job, or `heartbeat` (a regular
    check), or `boot` (the tasks at a start). `room` is the room for the answer, and `due` is the time for which the job
    was planned. `how` is `late`, `missed` (too late, so the agent skips the task) or `asked` (a person ran the job by
    hand). `by` is `others` if a line of the task has a mark such as `[from import]`. The blob contains the task. Each
    run of a job happens only once."""

    job: str
    room: str
    due: str
    by: str = named_field("")
    how: str = ""


@event("BEAT")
class Beat(Event):
    """The result of a heartbeat, a regular check. `how` is `ok` if there was nothing to report, `alert` if the agent
    reported something, and `again` if the agent had reported the same within the last day. `due` is the time at which
    the heartbeat (a regular check) was due, and `digest` is a hash of the agent's report."""

    how: str
    due: str
    digest: str


@dataclass(frozen=True)
class Scheduled:
    """The scheduler's part of an agent's state."""

    woken: tuple[str, ...] = ()
    """The last runs of jobs that woke the agent, each `job@time`."""
    alerts: Mapping[str, str] = field(default_factory=dict)
    """The last alerts of heartbeats: from the digest of the text to the heartbeat's time."""
    beat: str = ""
    """The time of the last heartbeat that woke the agent; the turn of this heartbeat is quiet."""
    judged: str = ""
    """The digest of that heartbeat's last text, once its outcome is recorded."""


SLICE = StateSlice(
    "scheduler", Scheduled, former={"woken": "heard", "alerts": "heard", "beat": "turn", "judged": "turn"}
)


@SLICE.on(Wake)
def _wake(event: Wake, state: State, line: Line) -> State:
    known = (*SLICE.of(state).woken, f"{event.job}@{event.due}")[-KNOWN:]
    state = SLICE.change(state, woken=known)
    if event.job != HEARTBEAT or event.room not in state.heard.rooms:
        return wake(state, event.room, anew=True)
    return wake(SLICE.change(state, beat=event.due, judged=""), event.room, quiet=event.due, anew=True)


@SLICE.on(Beat)
def _fold_beat(event: Beat, state: State, line: Line) -> State:
    state = SLICE.change(state, judged=event.digest)
    if event.how != ALERT:
        return state
    alerts = {**SLICE.of(state).alerts, event.digest: event.due}
    for old in list(alerts)[:-KNOWN]:
        del alerts[old]
    return SLICE.change(state, alerts=alerts)


def beat(state: State) -> str:
    """Return the time of the heartbeat that the present turn answers, or "" for any other turn."""
    quiet = state.turn.quiet
    return quiet if quiet == SLICE.of(state).beat else ""
