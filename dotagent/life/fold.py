"""What LIFE's end says: a pure fold of events into what is under way, so that resuming is only looking.

Running and resuming are the same: read the state, do the next thing, append what was done. An effect is announced
(EFFECT) before it happens and finished (DID, TOOL) after, so an announcement without its end is an effect that a dead
process left, and its tool finds out what became of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch

from dotagent.life import events, origins, questions, spending, woken
from dotagent.life.context import SHOWN
from dotagent.life.event import Event
from dotagent.life.state import Compaction, State, change
from dotagent.store.log import Line
from dotagent.store.rooms import Position
from dotagent.text import names
from dotagent.text.tokens import LEAST

STANDING = 200  # of people's standing wishes that are known at once
WAKES = 3  # how often other agents wake this one in a room since a person last spoke there


def after(state: State, line: Line) -> State:
    """The state once this event has happened; a line that cannot be read changes nothing."""
    event = events.parse(line)
    if event and line.event in spending.WORDS:
        state = change(state, used=spending.after(state.used, line))
    state = _fold(event, state, line) if event else state
    return origins.after(state, event) if event and line.event in origins.WORDS else state


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
    untold = "" if turn.room == event.room and not turn.effect else turn.untold
    left = change(state, heard=change(state.heard, rooms=rooms))
    return _turn(left, unanswered=unanswered, wake="" if turn.wake == event.room else turn.wake, untold=untold)


@_fold.register
def _hear(event: events.Hear, state: State, line: Line) -> State:
    heard, room = state.heard, event.room
    if not names.ROOM.fullmatch(room):
        return state
    other = event.who.startswith("AGENT:")
    woken = heard.wakes.get(room, 0) + 1 if other and not state.audience.startswith("helper ") else 0
    rooms = {**heard.rooms, room: Position(event.offset, event.mark)}
    wakes = {**heard.wakes, room: min(woken, WAKES)}
    bridged = heard.bridged or names.is_bridged(event.who)
    now = change(heard, rooms=rooms, wakes=wakes, bridged=bridged, agents=heard.agents + other)
    state = questions.heard(change(state, heard=now), event, line)
    if not woken:  # what a person says is told of its failures anew
        state = _turn(change(state, heard=change(state.heard, ends=0, made=0)), told=_others_than(room, state))
    return _turn(state, wake=room, beat="", flush=False, corrected=False, steps=0, long=0) if woken <= WAKES else state


def _others_than(room: str, state: State) -> tuple[str, ...]:
    """The failures that other rooms were told of."""
    return tuple(one for one in state.turn.told if not one.startswith(f"{room} "))


@_fold.register
def _woken(event: woken.Woken, state: State, line: Line) -> State:
    return woken.after(state, event)


@_fold.register
def _document(event: events.Document | events.Alternate, state: State, line: Line) -> State:
    heard, name = state.heard, event.name
    shown = {name: line.id, **heard.shown} if name in SHOWN else heard.shown
    return change(state, heard=change(heard, documents={**heard.documents, name: line.id}, shown=shown))


@_fold.register
def _ask(event: events.Ask, state: State, line: Line) -> State:
    state = change(state, model=change(state.model, sent=event.size), used=change(state.used, asks=state.used.asks + 1))
    out = {"call": line.id, "provider": event.provider, "room": event.room, "steps": state.turn.steps + 1}
    return _turn(
        state, **out, whose=state.heard.origins, wake="", unread=False, reply="", done=0, effect=None, untold=""
    )


@_fold.register
def _reply(event: events.Reply, state: State, line: Line) -> State:
    turn, told = state.turn, "" if "estimated" in event.told else event.told.get("input", "")
    ratio = _ratio(state, int(told) if told.isdecimal() and len(told) < 19 else 0)
    name = event.told.get("provider") or turn.provider
    away = {one: why for one, why in state.model.away.items() if one != name}
    by = {room: one for room, one in {**state.model.by, turn.room: name}.items() if room in state.heard.rooms}
    known = {"ratio": ratio, "upstream": event.told.get("upstream", ""), "away": away, "by": by}
    state = change(state, model=change(state.model, **known))
    unanswered = tuple(room for room in turn.unanswered if room != turn.room)
    over = {"call": "", "done": 0, "failed": "", "long": 0, "deaths": 0, "passed": ()}
    over["told"] = _others_than(turn.room, state)
    return _turn(state, **over, reply=line.id, cut=event.told.get("finish") == "length", unanswered=unanswered)


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
    turn = state.turn if not event.room else change(state.turn, room=event.room)
    if turn.passed:  # none of them answered: the next time the first is asked first again
        state = change(state, model=change(state.model, away={}))
    there = turn.room in state.heard.rooms  # one that was left waits for nothing
    known = turn.room in turn.unanswered or not there or turn.flush
    failed = event.again or event.kind
    unanswered = turn.unanswered if known or failed == "stopped" else (*turn.unanswered, turn.room)
    if failed == "stopped" and event.kind == "cancelled":  # a person waits for it no more
        unanswered = tuple(room for room in unanswered if room != turn.room)
    mark = f"{turn.room} {event.kind}"
    asked = not (turn.beat or turn.flush) or failed == "stopped"  # nobody waits for what a heartbeat says
    untold = (line.gist or line.detail) if there and asked and mark not in turn.told else ""
    over = {"call": "", "reply": "", "unread": False, "wake": "", "told": tuple({*turn.told, mark}), "passed": ()}
    over["room"] = turn.room
    return _turn(state, **over, unanswered=unanswered, untold=untold, failed=failed)


@_fold.register
def _away(event: events.Away, state: State, line: Line) -> State:
    """Whoever is asked instead may have another window; what is asked now is asked of them."""
    turn, away = state.turn, {**state.model.away, event.provider: f"{line.at} {event.kind} {event.why}"}
    state = change(state, model=change(state.model, away=away, most=0, upstream=""))
    if event.call != turn.call:
        return state  # it was a call beside the conversation
    return _turn(state, call="", wake=_heard(state, turn.room), long=0, passed=(*turn.passed, event.provider))


@_fold.register
def _tell(event: events.Tell, state: State, line: Line) -> State:
    if event.budget:
        state = change(state, used=change(state.used, told=(*state.used.told, event.budget)[-8:]))
    if event.guess:
        state = change(state, model=change(state.model, guessed=event.guess))
    state = _forget(state, unsaid="") if event.fade else state
    return _turn(state, room=event.room, untold=event.text) if event.room in state.heard.rooms else state


@_fold.register
def _effect(event: events.Effect, state: State, line: Line) -> State:
    return _turn(questions.announced(state, event), effect=event)


@_fold.register
def _finish(event: events.Did | events.Result, state: State, line: Line) -> State:
    turn = state.turn
    if turn.untold:
        return _turn(state, effect=None, untold="", deaths=0)
    if isinstance(event, events.Result) and event.how == "asked":  # the turn ends: its person has the word
        return _turn(state, effect=None, unread=False, reply="", done=0, deaths=0)
    state = questions.done(state)
    unread = turn.unread or isinstance(event, events.Result)
    return _turn(state, effect=None, unread=unread, done=turn.done + 1, deaths=0)


@_fold.register
def _note(event: events.Note, state: State, line: Line) -> State:
    if event.why in ("another", "told"):
        return _turn(state, wake="" if state.turn.wake == event.room else state.turn.wake)
    if event.why == "circles":  # the turn goes on: it is asked in any case
        return state
    anew = event.why == "owed"  # what was never answered begins a turn of its own
    steps = 0 if anew else state.turn.steps
    same = state.turn.room == event.room
    quiet = {"beat": state.turn.beat if same else "", "flush": state.turn.flush and same}
    return _turn(state, wake=_heard(state, event.room), reply="", **quiet, corrected=not anew, steps=steps)


def _heard(state: State, room: str) -> str:
    """The room, unless it was left meanwhile: then nobody waits there."""
    return room if room in state.heard.rooms else ""


@_fold.register
def _keep(event: events.Keep, state: State, line: Line) -> State:
    return _forget(state, kept=(*state.forgetting.kept, event.number))


def _without(table: Mapping[str, str], gone: str) -> dict[str, str]:
    return {one: told for one, told in table.items() if gone not in (one, told)}


@_fold.register
def _stands(event: events.Stands, state: State, line: Line) -> State:
    known = _without(state.forgetting.standing, str(event.instead))
    told = {str(event.number): f"{event.at} {event.entry} {line.id} {event.who} {event.words}"}
    return _forget(state, standing=dict([*known.items()][1 - STANDING :]) | told, stood=event.number)


@_fold.register
def _lapsed(event: events.Lapsed, state: State, line: Line) -> State:
    return _forget(state, standing=_without(state.forgetting.standing, str(event.number)))


@_fold.register
def _segment(event: events.Segment, state: State, line: Line) -> State:
    return _forget(state, compaction=Compaction(event.first, event.last, event.tries, line.id, why=event.why))


@_fold.register
def _chunks(event: events.Chunks, state: State, line: Line) -> State:
    now = state.forgetting.compaction  # none when a swap came between: that ends what is under way
    return _forget(state, compaction=change(now, call="", plan=line.id)) if now else state


@_fold.register
def _summarise(event: events.Summarise, state: State, line: Line) -> State:
    now, span = state.forgetting.compaction, event.span
    if now is None:
        return state
    out = {**_without(now.out, span), line.id: span}
    return _forget(state, compaction=change(now, out=out, tried={**now.tried, span: event.tries}))


@_fold.register
def _summary(event: events.Summed, state: State, line: Line) -> State:
    """A chunk's summary is made; it is also kept by its members' ids, in case that it is not needed this time."""
    now, told, extractive = state.forgetting.compaction, f"{line.id} {event.relevance}", event.how == "extractive"
    if not extractive:  # what no model wrote, one may write better next time
        state = _forget(state, spare={**state.forgetting.spare, event.key: f"{told} {event.span}"})
    if now is None:
        return state
    made, plain = {**now.made, event.span: told}, now.plain or extractive
    return _forget(state, compaction=change(now, out=_without(now.out, event.span), made=made, plain=plain))


@_fold.register
def _stayed(event: events.Stayed, state: State, line: Line) -> State:
    return _forget(state, compaction=None, spare={}, settled=event.tokens)


@_fold.register
def _recent(event: events.Recent, state: State, line: Line) -> State:
    return _forget(state, restate=False, settled=event.settled if event.settled >= 0 else state.forgetting.settled)
