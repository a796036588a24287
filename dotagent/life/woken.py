"""What being woken by the clock, the end of a command, a helper's rest or before the oldest fades, what came of a
heartbeat and what a day's note says change in the state: a part of the fold (`fold.py`).

Each run of a job is known by its name for ever, so that it wakes the life once, however often it is handed over.
"""

from __future__ import annotations

from dataclasses import dataclass

from dotagent.life.events import Beat, Daily, Ended, Flush, Returned, Spawned, Wake
from dotagent.life.state import Heard, State, change

HEARTBEAT = "heartbeat"  # the job whose answers need not be said
KNOWN = 256  # runs of jobs, and alerts, that are known
ENDS = 20  # how often ends of commands wake this life since a person last spoke
REMEMBERED = 64  # ends that are known, so that each is told once; more directories of commands there never are
DAYS = 3  # whose notes are known
ALERT = "alert"


Woken = Wake | Beat | Ended | Flush | Daily | Spawned | Returned
"""The events that this is about."""


def after(state: State, event: Woken) -> State:
    """The state once this has happened."""
    if isinstance(event, Spawned | Returned):
        return _spawned(state, event)
    if isinstance(event, Daily):
        known = {**state.heard.notes, event.day: f"{max(0, event.size)} {event.mark}"}
        return change(state, heard=change(state.heard, notes=dict(sorted(known.items())[-DAYS:])))
    if isinstance(event, Flush):
        state = change(state, forgetting=change(state.forgetting, flushed=True))
        return _wake(state, event.room, "", flush=True)
    if isinstance(event, Beat):
        return _judged(state, event)
    return _woken(state, event) if isinstance(event, Wake) else _ended(state, event)


def _wake(state: State, room: str, beat: str, *, flush: bool = False) -> State:
    """The state once a room that it hears wakes the life."""
    if room not in state.heard.rooms:
        return state
    turn = change(state.turn, wake=room, beat=beat, flush=flush, judged="", corrected=False, steps=0, long=0)
    return change(state, turn=turn)


def _ended(state: State, event: Ended) -> State:
    heard = state.heard
    ended = (*heard.ended, event.number)[-REMEMBERED:]
    state = change(state, heard=change(heard, ended=ended, ends=heard.ends + 1))
    return _wake(state, event.room, "") if heard.ends < ENDS else state


def _woken(state: State, event: Wake) -> State:
    known = (*state.heard.woken, f"{event.job}@{event.due}")[-KNOWN:]
    state = change(state, heard=change(state.heard, woken=known, made=0))
    return _wake(state, event.room, event.due if event.job == HEARTBEAT else "")


def _judged(state: State, event: Beat) -> State:
    state = change(state, turn=change(state.turn, judged=event.digest))
    if event.how != ALERT:
        return state
    alerts = {**state.heard.alerts, event.digest: event.due}
    for old in list(alerts)[:-KNOWN]:
        del alerts[old]
    return change(state, heard=change(state.heard, alerts=alerts))


@dataclass(frozen=True)
class Help:
    """What a life knows of a helper of its own: the room in which its work was asked for, "-" once it is told that the
    helper rests; how many words were given to it, and of how many the life was told what came."""

    room: str
    words: int
    told: int

    @property
    def goes_on(self) -> bool:
        """Whether the helper has not come to rest."""
        return self.room != "-"


def works(heard: Heard) -> dict[str, Help]:
    """The helpers of a life, by id."""
    found = dict[str, Help]()
    for id, row in heard.spawned.items():
        room, words, told = (*row.split(" "), "", "", "")[:3]
        if words.isdecimal() and told.isdecimal():
            found[id] = Help(room, int(words), int(told))
    return found


def _spawned(state: State, event: Spawned | Returned) -> State:
    """The state once a helper has work, or has come to rest: of that the life is told, so it wakes."""
    heard, before = state.heard, works(state.heard).get(event.life, Help("-", 0, 0))
    known = {id: row for id, row in heard.spawned.items() if id != event.life}
    if isinstance(event, Spawned):
        known[event.life] = f"{event.room} {event.words} {before.told}"
        made = heard.made + (event.life not in heard.spawned)
        return change(state, heard=change(heard, spawned=known, made=made))
    known[event.life] = f"- {before.words} {before.words}"
    for old in [id for id, row in known.items() if row.startswith("-")][:-KNOWN]:
        del known[old]
    return _wake(change(state, heard=change(heard, spawned=known)), event.room, "")
