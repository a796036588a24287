"""What LIFE's end says: a pure fold of events into what is under way, so that resuming is only looking.

Running and resuming are the same: read the state, do the next thing, append what was done. An effect is announced
(EFFECT) before it happens and finished (DID, TOOL) after, so an announcement without its end is an effect that a dead
process left, and its tool finds out what became of it.
"""

from __future__ import annotations

from functools import singledispatch

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
    return _fold(event, state, line) if event else state


@singledispatch
def _fold(event: Event, state: State, line: Line) -> State:
    """The state after an event of this class: below stands a function for each that changes it."""
    return state


def _turn(state: State, **fields: object) -> State:
    return change(state, turn=change(state.turn, **fields))


def _forget(state: State, **fields: object) -> State:
    return change(state, forgetting=change(state.forgetting, **fields))


@_fold.register
def _boot(event: events.Boot, state: State, line: Line) -> State:
    return change(state, audience=state.audience or event.audience)  # a life has one, for ever


@_fold.register
def _resume(event: events.Resume, state: State, line: Line) -> State:
    state = change(state, model=change(state.model, most=0, upstream=""))  # perhaps another, with another window
    return _turn(state, slept=False, deaths=state.turn.deaths + (0 if state.turn.slept else 1))


@_fold.register
def _sleep(event: events.Sleep, state: State, line: Line) -> State:
    return _turn(state, slept=True)


@_fold.register
def _join(event: events.Join, state: State, line: Line) -> State:
    if not names.ROOM.fullmatch(event.room):
        return state
    position = Position(event.offset, event.mark.strip("-"))
    rooms = {**state.heard.rooms, event.room: position}
    bridged = state.heard.bridged or event.bridged == "bridged"
    return change(state, heard=change(state.heard, rooms=rooms, bridged=bridged))


@_fold.register
def _leave(event: events.Leave, state: State, line: Line) -> State:
    turn = state.turn
    rooms = {name: position for name, position in state.heard.rooms.items() if name != event.room}
    unanswered = tuple(room for room in turn.unanswered if room != event.room)
    wake = "" if turn.wake == event.room else turn.wake
    untold = "" if turn.room == event.room and not turn.effect else turn.untold
    left = change(state, heard=change(state.heard, rooms=rooms))
    return _turn(left, unanswered=unanswered, wake=wake, untold=untold)


@_fold.register
def _hear(event: events.Hear, state: State, line: Line) -> State:
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
    if not woken:  # what a person says is told of its failures anew
        state = _turn(state, told=_others_than(room, state))
    return _turn(state, wake=room, corrected=False, steps=0, long=0) if woken <= WAKES else state


def _others_than(room: str, state: State) -> tuple[str, ...]:
    """The failures that other rooms were told of."""
    return tuple(one for one in state.turn.told if not one.startswith(f"{room} "))


@_fold.register
def _document(event: events.Document, state: State, line: Line) -> State:
    heard, name = state.heard, event.name
    shown = {name: line.id, **heard.shown} if name in ("SEGMENT.md", "SUMMARISE.md") else heard.shown
    return change(state, heard=change(heard, documents={**heard.documents, name: line.id}, shown=shown))


@_fold.register
def _ask(event: events.Ask, state: State, line: Line) -> State:
    state = change(state, model=change(state.model, sent=event.size))
    out = {"call": line.id, "provider": event.provider, "room": event.room, "steps": state.turn.steps + 1}
    return _turn(state, **out, wake="", unread=False, reply="", done=0, effect=None, untold="")


@_fold.register
def _reply(event: events.Reply, state: State, line: Line) -> State:
    turn, told = state.turn, event.told.get("input", "")
    ratio = _ratio(state, int(told) if told.isdecimal() and len(told) < 19 else 0)
    state = change(state, model=change(state.model, ratio=ratio, upstream=event.told.get("upstream", "")))
    unanswered = tuple(room for room in turn.unanswered if room != turn.room)
    cut = event.told.get("finish") == "length"
    over = {"call": "", "done": 0, "failed": "", "long": 0, "deaths": 0, "told": _others_than(turn.room, state)}
    return _turn(state, **over, reply=line.id, cut=cut, unanswered=unanswered)


def _ratio(state: State, told: int) -> float:
    """How many tokens an estimated one is, by what the provider told of the last prompt; within reason."""
    if told <= 0 or state.model.sent <= 0:
        return state.model.ratio
    return min(3.0, max(0.4, told / state.model.sent))


@_fold.register
def _long(event: events.Long, state: State, line: Line) -> State:
    turn, ratio = state.turn, _ratio(state, event.told)
    most = max(LEAST, int((0.5 if turn.long else 0.8) * event.tokens * ratio / state.model.ratio))
    state = change(state, model=change(state.model, ratio=ratio, most=most))
    return _turn(state, call="", wake=_heard(state, turn.room), long=turn.long + 1)


@_fold.register
def _window(event: events.Window, state: State, line: Line) -> State:
    return change(state, model=change(state.model, most=max(0, event.tokens)))


@_fold.register
def _fail(event: events.Fail, state: State, line: Line) -> State:
    turn = state.turn
    known = turn.room in turn.unanswered or turn.room not in state.heard.rooms  # one that was left waits for nothing
    failed = event.again or event.kind
    unanswered = turn.unanswered if known or failed == "stopped" else (*turn.unanswered, turn.room)
    mark = f"{turn.room} {event.kind}"
    there = turn.room in state.heard.rooms
    untold = (line.gist or line.detail) if there and mark not in turn.told else ""
    over = {"call": "", "reply": "", "unread": False, "wake": "", "told": tuple({*turn.told, mark})}
    return _turn(state, **over, unanswered=unanswered, untold=untold, failed=failed)


@_fold.register
def _tell(event: events.Tell, state: State, line: Line) -> State:
    return _turn(state, room=event.room, untold=event.text) if event.room in state.heard.rooms else state


@_fold.register
def _effect(event: events.Effect, state: State, line: Line) -> State:
    return _turn(state, effect=event)


@_fold.register
def _finish(event: events.Did | events.Result, state: State, line: Line) -> State:
    turn = state.turn
    if turn.untold:
        return _turn(state, effect=None, untold="", deaths=0)
    unread = turn.unread or isinstance(event, events.Result)
    return _turn(state, effect=None, unread=unread, done=turn.done + 1, deaths=0)


@_fold.register
def _note(event: events.Note, state: State, line: Line) -> State:
    if event.why == "another":
        return _turn(state, wake="" if state.turn.wake == event.room else state.turn.wake)
    anew = event.why == "owed"  # what was never answered begins a turn of its own
    steps = 0 if anew else state.turn.steps
    return _turn(state, wake=_heard(state, event.room), reply="", corrected=not anew, steps=steps)


def _heard(state: State, room: str) -> str:
    """The room, unless it was left meanwhile: then nobody waits there."""
    return room if room in state.heard.rooms else ""


@_fold.register
def _keep(event: events.Keep, state: State, line: Line) -> State:
    return _forget(state, kept=(*state.forgetting.kept, event.number))


@_fold.register
def _segment(event: events.Segment, state: State, line: Line) -> State:
    begun = Compaction(event.first, event.last, event.tries, line.id, why=event.why)
    return _forget(state, compaction=begun)


@_fold.register
def _chunks(event: events.Chunks, state: State, line: Line) -> State:
    now = state.forgetting.compaction  # none when a swap came between: that ends what is under way
    return _forget(state, compaction=change(now, call="", plan=line.id)) if now else state


@_fold.register
def _summarise(event: events.Summarise, state: State, line: Line) -> State:
    now, span = state.forgetting.compaction, event.span
    if now is None:
        return state
    out = {**_others(now, span), line.id: span}
    return _forget(state, compaction=change(now, out=out, tried={**now.tried, span: event.tries}))


@_fold.register
def _summary(event: events.Summed, state: State, line: Line) -> State:
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


@_fold.register
def _stayed(event: events.Stayed, state: State, line: Line) -> State:
    return _forget(state, compaction=None, spare={}, settled=event.tokens)


@_fold.register
def _recent(event: events.Recent, state: State, line: Line) -> State:
    settled = event.settled if event.settled >= 0 else state.forgetting.settled
    return _forget(state, restate=False, settled=settled)
