"""What LIFE's end says: a pure fold of events into what is under way, so that resuming is only looking.

Running and resuming are the same: read the state, do the next thing, append what was done. An effect is announced
(EFFECT) before it happens and finished (DID, TOOL) after, so an announcement without its end is an effect that a dead
process left, and its tool finds out what became of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dotagent.life import events
from dotagent.life.event import Event
from dotagent.life.state import Compaction, State, change
from dotagent.store.log import Line
from dotagent.store.rooms import Position
from dotagent.text import names
from dotagent.text.tokens import LEAST

WAKES = 3  # how often other agents wake this one in a room since a person last spoke there


def after(state: State, line: Line) -> State:
    """The state once this event has happened; a line that cannot be read changes nothing."""
    event = events.parse(line)
    fold = _FOLDS.get(type(event)) if event else None
    return fold(state, event, line) if fold else state


Fold = Callable[[State, Any, Line], State]
_FOLDS: dict[type[Event] | None, Fold] = {}


def _of(*kinds: type[Event]) -> Callable[[Fold], Fold]:
    def keep(fold: Fold) -> Fold:
        _FOLDS.update(dict.fromkeys(kinds, fold))
        return fold

    return keep


def _turn(state: State, **fields: object) -> State:
    return change(state, turn=change(state.turn, **fields))


def _forget(state: State, **fields: object) -> State:
    return change(state, forgetting=change(state.forgetting, **fields))


@_of(events.Boot)
def _boot(state: State, event: events.Boot, line: Line) -> State:
    return change(state, audience=state.audience or event.audience)  # a life has one, for ever


@_of(events.Resume)
def _resume(state: State, event: events.Resume, line: Line) -> State:
    state = change(state, model=change(state.model, most=0, upstream=""))  # perhaps another, with another window
    return _turn(state, slept=False, deaths=state.turn.deaths + (0 if state.turn.slept else 1))


@_of(events.Sleep)
def _sleep(state: State, event: events.Sleep, line: Line) -> State:
    return _turn(state, slept=True)


@_of(events.Join)
def _join(state: State, event: events.Join, line: Line) -> State:
    if not names.ROOM.fullmatch(event.room):
        return state
    position = Position(event.offset, event.mark.strip("-"))
    rooms = {**state.heard.rooms, event.room: position}
    bridged = state.heard.bridged or event.bridged == "bridged"
    return change(state, heard=change(state.heard, rooms=rooms, bridged=bridged))


@_of(events.Leave)
def _leave(state: State, event: events.Leave, line: Line) -> State:
    turn = state.turn
    rooms = {name: position for name, position in state.heard.rooms.items() if name != event.room}
    unanswered = tuple(room for room in turn.unanswered if room != event.room)
    wake = "" if turn.wake == event.room else turn.wake
    untold = "" if turn.room == event.room and not turn.effect else turn.untold
    left = change(state, heard=change(state.heard, rooms=rooms))
    return _turn(left, unanswered=unanswered, wake=wake, untold=untold)


@_of(events.Hear)
def _hear(state: State, event: events.Hear, line: Line) -> State:
    heard, room = state.heard, event.room
    if not names.ROOM.fullmatch(room):
        return state
    woken = 0 if not event.who.startswith("AGENT:") else heard.wakes.get(room, 0) + 1
    now = change(
        heard,
        rooms={**heard.rooms, room: Position(event.offset, event.mark)},
        wakes={**heard.wakes, room: min(woken, WAKES)},
        bridged=heard.bridged or names.is_bridged(event.who),
    )
    state = change(state, heard=now)
    return _turn(state, wake=room, corrected=False, steps=0, long=0) if woken <= WAKES else state


@_of(events.Document)
def _document(state: State, event: events.Document, line: Line) -> State:
    heard, name = state.heard, event.name
    shown = {name: line.id, **heard.shown} if name in ("SEGMENT.md", "SUMMARISE.md") else heard.shown
    return change(state, heard=change(heard, documents={**heard.documents, name: line.id}, shown=shown))


@_of(events.Ask)
def _ask(state: State, event: events.Ask, line: Line) -> State:
    state = change(state, model=change(state.model, sent=event.size))
    out = {"call": line.id, "provider": event.provider, "room": event.room, "steps": state.turn.steps + 1}
    return _turn(state, **out, wake="", unread=False, reply="", done=0, effect=None)


@_of(events.Reply)
def _reply(state: State, event: events.Reply, line: Line) -> State:
    turn, told = state.turn, event.told.get("input", "")
    ratio = _ratio(state, int(told) if told.isdecimal() and len(told) < 19 else 0)
    state = change(state, model=change(state.model, ratio=ratio, upstream=event.told.get("upstream", "")))
    unanswered = tuple(room for room in turn.unanswered if room != turn.room)
    cut = event.told.get("finish") == "length"
    over = {"call": "", "done": 0, "failed": "", "long": 0, "deaths": 0}
    return _turn(state, **over, reply=line.id, cut=cut, unanswered=unanswered)


def _ratio(state: State, told: int) -> float:
    """How many tokens an estimated one is, by what the provider told of the last prompt; within reason."""
    if told <= 0 or state.model.sent <= 0:
        return state.model.ratio
    return min(3.0, max(0.4, told / state.model.sent))


@_of(events.Long)
def _long(state: State, event: events.Long, line: Line) -> State:
    turn, ratio = state.turn, _ratio(state, event.told)
    most = max(LEAST, int((0.5 if turn.long else 0.8) * event.tokens * ratio / state.model.ratio))
    state = change(state, model=change(state.model, ratio=ratio, most=most))
    return _turn(state, call="", wake=_heard(state, turn.room), long=turn.long + 1)


@_of(events.Window)
def _window(state: State, event: events.Window, line: Line) -> State:
    return change(state, model=change(state.model, most=max(0, event.tokens)))


@_of(events.Fail)
def _fail(state: State, event: events.Fail, line: Line) -> State:
    turn = state.turn
    known = turn.room in turn.unanswered or turn.room not in state.heard.rooms  # one that was left waits for nothing
    failed = event.again or event.kind
    unanswered = turn.unanswered if known or failed == "stopped" else (*turn.unanswered, turn.room)
    untold = "" if known else line.gist or line.detail
    over = {"call": "", "reply": "", "unread": False, "wake": ""}
    return _turn(state, **over, unanswered=unanswered, untold=untold, failed=failed)


@_of(events.Effect)
def _effect(state: State, event: events.Effect, line: Line) -> State:
    return _turn(state, effect=event)


@_of(events.Did, events.Result)
def _finish(state: State, event: Event, line: Line) -> State:
    turn = state.turn
    if turn.untold:
        return _turn(state, effect=None, untold="", deaths=0)
    unread = turn.unread or isinstance(event, events.Result)
    return _turn(state, effect=None, unread=unread, done=turn.done + 1, deaths=0)


@_of(events.Note)
def _note(state: State, event: events.Note, line: Line) -> State:
    anew = event.why == "owed"  # what was never answered begins a turn of its own
    steps = 0 if anew else state.turn.steps
    return _turn(state, wake=_heard(state, event.room), reply="", corrected=not anew, steps=steps)


def _heard(state: State, room: str) -> str:
    """The room, unless it was left meanwhile: then nobody waits there."""
    return room if room in state.heard.rooms else ""


@_of(events.Keep)
def _keep(state: State, event: events.Keep, line: Line) -> State:
    return _forget(state, kept=(*state.forgetting.kept, event.number))


@_of(events.Segment)
def _segment(state: State, event: events.Segment, line: Line) -> State:
    begun = Compaction(event.first, event.last, event.tries, line.id, why=event.why)
    return _forget(state, compaction=begun)


@_of(events.Chunks)
def _chunks(state: State, event: events.Chunks, line: Line) -> State:
    now = state.forgetting.compaction  # none when a swap came between: that ends what is under way
    return _forget(state, compaction=change(now, call="", plan=line.id)) if now else state


@_of(events.Summarise)
def _summarise(state: State, event: events.Summarise, line: Line) -> State:
    now, span = state.forgetting.compaction, event.span
    if now is None:
        return state
    out = {**_others(now, span), line.id: span}
    return _forget(state, compaction=change(now, out=out, tried={**now.tried, span: event.tries}))


@_of(events.Summed)
def _summary(state: State, event: events.Summed, line: Line) -> State:
    """A chunk's summary is made; it is also kept by its members' ids, in case that it is not needed this time."""
    now, told, extractive = state.forgetting.compaction, f"{line.id} {event.relevance}", event.how == "extractive"
    if not extractive:  # what no model wrote, one may write better next time
        state = _forget(state, spare={**state.forgetting.spare, event.key: f"{told} {event.span}"})
    if now is None:
        return state
    made = {**now.made, event.span: told}
    return _forget(
        state, compaction=change(now, out=_others(now, event.span), made=made, plain=now.plain or extractive)
    )


def _others(now: Compaction, span: str) -> dict[str, str]:
    return {id: what for id, what in now.out.items() if what != span}


@_of(events.Stayed)
def _stayed(state: State, event: events.Stayed, line: Line) -> State:
    return _forget(state, compaction=None, spare={}, settled=event.tokens)


@_of(events.Recent)
def _recent(state: State, event: events.Recent, line: Line) -> State:
    settled = event.settled if event.settled >= 0 else state.forgetting.settled
    return _forget(state, restate=False, settled=settled)
