"""The fold of LIFE: a pure function from events to the state, so that resuming needs only the state.

Running and resuming work alike: read the state, do the next action, append its event. An effect is announced (EFFECT)
before it happens and finished (DID, TOOL) after. An announcement without its end comes from a crashed process, and the
tool finds out whether the effect happened.
"""

from __future__ import annotations

from dotagent.life import events, origins, spending
from dotagent.life.context import SHOWN
from dotagent.life.slices import folded, on
from dotagent.life.state import (
    FRAME,
    WAKES,
    Model,
    State,
    accepted,
    change,
    change_forgetting,
    change_turn,
    framed,
)
from dotagent.store.log import Line
from dotagent.store.rooms import Position
from dotagent.text import names

DAYS = 3  # days whose notes are remembered
OVER = (("stopped", "cancelled"), ("final", "bad_request"))  # failures after which no answer is expected
CHANGED = 0.03  # by so much the factor for characters outside ASCII changes at least


def apply(state: State, line: Line) -> State:
    """Return the state after this event. An unreadable line changes nothing."""
    event = events.parse(line)
    if event and line.event in spending.WORDS:
        state = change(state, used=spending.add_usage(state.used, line))
    state = folded(state, event, line) if event else state
    return origins.add_origins(state, event) if event and line.event in origins.WORDS else state


SIZING = frozenset(
    one.WORD for one in (events.Resume, events.Ask, events.Reply, events.Long, events.Window, events.Away)
)


def sized(state: State, line: Line) -> State:
    """Return the state after this event. Only its facts about the model, which set sizes in tokens, are right. It is
    several times as fast as `apply`."""
    counts = line.event in SIZING or (line.event == events.Hear.WORD and state.turn.long)  # which a message ends
    event = events.parse(line) if counts else None
    return folded(state, event, line) if event else state


@on(events.Boot)
def _boot(event: events.Boot, state: State, line: Line) -> State:
    return change(state, audience=state.audience or event.audience)  # an agent's audience never changes


@on(events.Resume)
def _resume(event: events.Resume, state: State, line: Line) -> State:
    state = change(state, model=change(state.model, most=0, refused=0, upstream=""))  # perhaps another model
    return change_turn(state, slept=False, deaths=state.turn.deaths + (0 if state.turn.slept else 1))


@on(events.Sleep)
def _sleep(event: events.Sleep, state: State, line: Line) -> State:
    return change_turn(state, slept=True)


@on(events.Join)
def _join(event: events.Join, state: State, line: Line) -> State:
    if not names.ROOM.fullmatch(event.room):
        return state
    position = Position(event.offset, event.mark.strip("-"))
    rooms = {**state.heard.rooms, event.room: position}
    bridged = state.heard.bridged or event.bridged == "bridged"
    return change(state, heard=change(state.heard, rooms=rooms, bridged=bridged))


@on(events.Placed)
def _place(event: events.Placed, state: State, line: Line) -> State:
    if event.room not in state.heard.rooms:
        return state
    rooms = {**state.heard.rooms, event.room: Position(event.offset, event.mark.strip("-"))}
    return change(state, heard=change(state.heard, rooms=rooms))


@on(events.Leave)
def _leave(event: events.Leave, state: State, line: Line) -> State:
    turn = state.turn
    rooms = {name: position for name, position in state.heard.rooms.items() if name != event.room}
    unanswered = tuple(room for room in turn.unanswered if room != event.room)
    untold = "" if turn.room == event.room and not turn.effect else turn.untold
    left = change(state, heard=change(state.heard, rooms=rooms))
    return change_turn(left, unanswered=unanswered, wake="" if turn.wake == event.room else turn.wake, untold=untold)


@on(events.Hear)
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
    state = change(state, heard=now)
    if other or heard.questions:
        from dotagent.life import questions  # loaded only for other agents and while a question is open

        state = questions.fold_message(state, event, line)
    mine = origins.is_persons(event, state.audience) and not other
    if mine:
        state = change_turn(state, message=state.number + 1, look="", looked="", used=())
    elif not state.turn.wake:  # otherwise the person's message is still waiting
        state = change_turn(state, message=0)
    if not woken:  # after a person's message, failures are reported again
        state = change_turn(change(state, heard=change(state.heard, ends=0, made=0)), told=_others_than(room, state))
    if woken > WAKES:
        return state
    state = change_turn(state, frame=framed(state, room))
    return change_turn(state, wake=room, quiet="", flush=False, corrected=False, steps=0, long=0)


def _others_than(room: str, state: State) -> tuple[str, ...]:
    """Return the failures that were reported in other rooms."""
    return tuple(one for one in state.turn.told if not one.startswith(f"{room} "))


def _document(event: events.Document | events.Alternate, state: State, line: Line) -> State:
    heard, name = state.heard, event.name
    shown = {name: line.id, **heard.shown} if name in SHOWN else heard.shown
    return change(state, heard=change(heard, documents={**heard.documents, name: line.id}, shown=shown))


on(events.Document)(_document)
on(events.Alternate)(_document)


@on(events.Ask)
def _ask(event: events.Ask, state: State, line: Line) -> State:
    model = change(state.model, sent=event.size, fixed=event.fixed or state.model.fixed, rest=event.rest)
    state = change(state, model=model, used=change(state.used, asks=state.used.asks + 1))
    out = {"call": line.id, "provider": event.provider, "room": event.room, "steps": state.turn.steps + 1}
    return change_turn(
        state, **out, whose=state.heard.origins, wake="", unread=False, reply="", done=0, effect=None, untold=""
    )


@on(events.Reply)
def _reply(event: events.Reply, state: State, line: Line) -> State:
    turn, told = state.turn, "" if "estimated" in event.told else event.told.get("input", "")
    counted = _counted(state, int(told) if told.isdecimal() and len(told) < 19 else 0)
    name = event.told.get("provider") or turn.provider
    away = {one: why for one, why in state.model.away.items() if one != name}
    by = {room: one for room, one in {**state.model.by, turn.room: name}.items() if room in state.heard.rooms}
    known = {"upstream": event.told.get("upstream", ""), "away": away, "by": by}
    state = change(state, model=change(counted, **known))
    unanswered = tuple(room for room in turn.unanswered if room != turn.room)
    over = {"call": "", "done": 0, "failed": "", "long": 0, "deaths": 0, "passed": ()}
    over["told"] = _others_than(turn.room, state)
    return change_turn(state, **over, reply=line.id, cut=event.told.get("finish") == "length", unanswered=unanswered)


def _counted(state: State, told: int) -> Model:
    """Correct a factor of the estimate of tokens by the provider's count for the last prompt: the factor for characters
    outside ASCII if they are a tenth of the prompt, otherwise that for all text. Leave out small corrections, because
    each changes the sizes of all entries. Ignore requests of earlier versions, which estimated in another way."""
    model = state.model
    if told <= 0 or model.sent <= 0 or model.rest < 0 or model.other <= 0:
        return model
    plain, above = max(0, model.sent - model.rest), model.rest / model.other
    if 9 * above < plain:
        return change(model, plain=min(3.0, max(0.4, told / model.sent)))
    other = min(10.0, max(0.05, (told / model.ratio - plain) / above))
    return change(model, other=other) if abs(other / model.other - 1) > CHANGED else model


@on(events.Long)
def _long(event: events.Long, state: State, line: Line) -> State:
    turn, model = state.turn, _counted(state, event.told)
    refused = event.told or int(model.sent * model.ratio) or event.tokens
    refused = min(refused, model.refused or refused)
    state = change(state, model=change(model, refused=refused))
    return change_turn(state, call="", wake=_waiting_room(state, turn.room), long=turn.long + 1)


@on(events.Window)
def _window(event: events.Window, state: State, line: Line) -> State:
    model = change(state.model, most=max(0, event.tokens), refused=0)
    state = change(state, model=model)
    return state if model.sent else change(state, model=change(model, head=accepted(state)))  # no prompt has a head yet


@on(events.Fail)
def _fail(event: events.Fail, state: State, line: Line) -> State:
    turn = state.turn if not event.room else change(state.turn, room=event.room)
    if turn.passed:  # no provider answered, so the next request starts with the first
        state = change(state, model=change(state.model, away={}))
    if turn.long and event.kind == "bad_request":  # a shorter prompt did not help, so the length was not the reason
        state = change(state, model=change(state.model, refused=0))
    there = turn.room in state.heard.rooms  # a room that the agent left does not wait
    known = turn.room in turn.unanswered or not there or turn.flush
    failed = event.again or event.kind
    unanswered = turn.unanswered if known or failed == "stopped" else (*turn.unanswered, turn.room)
    if (failed, event.kind) in OVER:
        unanswered = tuple(room for room in unanswered if room != turn.room)
    if failed == "stopped" and event.kind == "cancelled":
        state = change(state, heard=change(state.heard, allowed=""))
    mark = f"{turn.room} {event.kind} {event.due}".rstrip()  # one message for each room and task
    asked = not (turn.quiet or turn.flush) or failed == "stopped"  # no one waits for a report in such a turn
    untold = (line.gist or line.detail) if there and asked and mark not in turn.told else ""
    over = {"call": "", "reply": "", "unread": False, "wake": "", "told": tuple({*turn.told, mark}), "passed": ()}
    over["room"] = turn.room
    return change_turn(state, **over, unanswered=unanswered, untold=untold, failed=failed)


@on(events.Away)
def _away(event: events.Away, state: State, line: Line) -> State:
    """Try the next provider, whose window may be different, with the pending request."""
    turn, away = state.turn, {**state.model.away, event.provider: f"{line.at} {event.kind} {event.why}"}
    state = change(state, model=change(state.model, away=away, most=0, refused=0, upstream=""))
    if event.call != turn.call:
        return state  # a call outside the conversation
    return change_turn(
        state, call="", wake=_waiting_room(state, turn.room), long=0, passed=(*turn.passed, event.provider)
    )


@on(events.Tell)
def _tell(event: events.Tell, state: State, line: Line) -> State:
    if event.budget:
        state = change(state, used=change(state.used, told=(*state.used.told, event.budget)[-8:]))
    if event.guess:
        state = change(state, model=change(state.model, guessed=event.guess))
    state = change_forgetting(state, unsaid="") if event.fade else state
    return change_turn(state, room=event.room, untold=event.text) if event.room in state.heard.rooms else state


@on(events.Effect)
def _effect(event: events.Effect, state: State, line: Line) -> State:
    if event.tool == origins.QUESTION:
        from dotagent.life import questions  # loaded only for a question

        state = questions.announced(state, event)
    return change_turn(state, effect=event)


def _finish(event: events.Did | events.Result, state: State, line: Line) -> State:
    turn = state.turn
    if turn.untold:
        return change_turn(state, effect=None, untold="", deaths=0)
    if isinstance(event, events.Result) and event.how == "asked":  # the turn ends, because the owner must decide
        return change_turn(state, effect=None, unread=False, reply="", done=0, deaths=0)
    left = state.heard.allowed.partition(";")[2]  # that call was the next approved one, if any
    state = change(state, heard=change(state.heard, allowed=left))
    unread = turn.unread or isinstance(event, events.Result)
    return change_turn(state, effect=None, instead=0, unread=unread, done=turn.done + 1, deaths=0, corrected=False)


on(events.Did)(_finish)
on(events.Result)(_finish)


@on(events.Note)
def _note(event: events.Note, state: State, line: Line) -> State:
    if event.why in ("another", "told"):
        return change_turn(state, wake="" if state.turn.wake == event.room else state.turn.wake)
    if event.why in ("circles", "ended", "last"):  # the turn continues anyway
        return state
    anew = event.why == "owed"  # a message that was never answered begins a new turn
    steps = 0 if anew else state.turn.steps
    same = state.turn.room == event.room
    quiet: dict[str, object] = {"quiet": state.turn.quiet if same else "", "flush": state.turn.flush and same}
    if numbers := tuple(int(one) for one in event.entries.split(",") if one.isdecimal() and len(one) < 19):
        quiet["frame"] = numbers[-FRAME:]
    return change_turn(state, wake=_waiting_room(state, event.room), reply="", **quiet, corrected=not anew, steps=steps)


def _waiting_room(state: State, room: str) -> str:
    """Return the room, or "" if the agent left it: then no one waits there."""
    return room if room in state.heard.rooms else ""


@on(events.Keep)
def _keep(event: events.Keep, state: State, line: Line) -> State:
    return change_forgetting(state, kept=(*state.forgetting.kept, event.number))


@on(events.Plan)
def _plan(event: events.Plan, state: State, line: Line) -> State:
    return change_turn(state, plan=f"{(*state.turn.frame, 0)[0]} {line.id}")


@on(events.Recent)
def _recent(event: events.Recent, state: State, line: Line) -> State:
    return change_forgetting(
        state, restate=False, settled=event.settled if event.settled >= 0 else state.forgetting.settled
    )


# --- starts of an agent without a message, and daily notes


@on(events.Daily)
def _daily(event: events.Daily, state: State, line: Line) -> State:
    known = {**state.heard.notes, event.day: f"{max(0, event.size)} {event.mark}"}
    return change(state, heard=change(state.heard, notes=dict(sorted(known.items())[-DAYS:])))
