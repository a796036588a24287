"""The events of work that continues outside a turn (helpers, and commands in the background), and their folds. An agent
imports this module only when it reads one of these events, or when it starts such work (LATER in event.py).
"""

from __future__ import annotations

from dotagent.life.event import Event, event, named_field, rest
from dotagent.life.slices import on
from dotagent.life.state import FRAME, Heard, State, change, change_turn, framed, wake
from dotagent.store.log import Line
from dotagent.text.lazy import dataclass
from dotagent.text.reference import short

KNOWN = 256  # finished helpers that are remembered
ENDS = 20  # how often ends of commands start a turn after a person's last message
REMEMBERED = 64  # ends that are remembered, so that each is recorded once; there are never more directories of commands

_HOW = {
    "turns": "stopped at its limit of turns",
    "tokens": "stopped at its limit of tokens",
    "seconds": "stopped at its limit of seconds",
    "failed": "no model answered its requests",
    "stopped": "a person stopped the turn that needed it",
    "ended": "a person ended it",
    "died": "its process crashed several times",
}
"""How a helper finished, in words."""


@event("ENDED")
class Ended(Event):
    """A shell command that continued in the background has ended. `number` is the number of this shell command, `room`
    is the room in which the agent started the command, and `how` says how the command ended. The stored file (blob)
    contains the command's output that the agent has not read yet."""

    number: int
    room: str
    how: str = rest()


@event("SPAWNED")
class Spawned(Event):
    """The agent gave a task to a helper. `life` is the helper's id, and `room` is the room in which the agent gave the
    task to the helper. `words` is the number of messages that the agent has sent to this helper so far."""

    life: str
    room: str
    words: int


@event("RETURNED", blob=True)
class Returned(Event):
    """A helper has finished its task. `life` is the helper's id, and `room` is the room that asked for the work. `how`
    is `done` if the helper completed the task. `how` is `turns`, `tokens` or `seconds` if the helper used all turns,
    tokens or seconds that it was allowed, `failed` if no model answered, and `died` if the helper's process crashed
    several times. The stored file (blob) contains the last message that the helper wrote. In logs of earlier versions,
    `by=own` means that the helper had read no text from strangers (text that neither the agent nor its person
    wrote)."""

    life: str
    room: str
    how: str
    by: str = named_field("")


@event("RESTED")
class Rested(Event):
    """This agent is a helper and has finished its task. `heard` is the number of messages from other agents that the
    helper had read. `how` says how the helper's task ended, with the same values as in the event RETURNED, such as
    `done`."""

    heard: int
    how: str


def head(event: Event) -> str:
    """Return the head of an entry with a helper's result."""
    assert isinstance(event, Returned)
    return f"{event.room} helper {short(event.life)} ({_HOW.get(event.how, event.how)})"


@dataclass(frozen=True)
class Help:
    """A helper as its parent knows it. `room` asked for its work, and is "-" once the result is recorded. `words` is
    the number of its tasks, and `told` the number of tasks with a result. `asked` are the numbers of the entries that
    it works for."""

    room: str
    words: int
    told: int
    asked: tuple[int, ...] = ()

    @property
    def goes_on(self) -> bool:
        """Return True if the helper has not finished."""
        return self.room != "-"


NONE = Help("-", 0, 0)
"""A helper that the agent does not know."""


def works(heard: Heard) -> dict[str, Help]:
    """Return the helpers of an agent, by id."""
    found = dict[str, Help]()
    for id, row in heard.spawned.items():
        room, words, told, asked = (*row.split(" "), "", "", "", "")[:4]
        if words.isdecimal() and told.isdecimal():
            numbers = tuple(int(one) for one in asked.split(",") if one.isdecimal())
            found[id] = Help(room, int(words), int(told), numbers)
    return found


def find_held(state: State) -> tuple[int, ...]:
    """Return the entries that the present turn answers, and those for which helpers work. They do not fade."""
    asked = (number for one in works(state.heard).values() if one.goes_on for number in one.asked)
    return tuple(dict.fromkeys((*state.turn.held, *asked)))


@on(Ended)
def _fold_ended(event: Ended, state: State, line: Line) -> State:
    heard = state.heard
    ended = (*heard.ended, event.number)[-REMEMBERED:]
    state = change(state, heard=change(heard, ended=ended, ends=heard.ends + 1))
    if heard.ends >= ENDS:
        return state
    frame = framed(state, event.room, goes_on=state.turn.room == event.room)
    return change_turn(wake(state, event.room), frame=frame)


@on(Spawned)
def _spawned(event: Spawned, state: State, line: Line) -> State:
    heard, before = state.heard, works(state.heard).get(event.life, NONE)
    known = {id: row for id, row in heard.spawned.items() if id != event.life}
    asked = ",".join(map(str, state.turn.frame))
    known[event.life] = f"{event.room} {event.words} {before.told} {asked}"
    return change(state, heard=change(heard, spawned=known, made=heard.made + (event.life not in heard.spawned)))


@on(Returned)
def _returned(event: Returned, state: State, line: Line) -> State:
    """Return the state after a helper's result, which wakes its parent, unless a person stopped both."""
    heard, before = state.heard, works(state.heard).get(event.life, NONE)
    known = {id: row for id, row in heard.spawned.items() if id != event.life}
    known[event.life] = f"- {before.words} {before.words}"
    for old in [id for id, row in known.items() if row.startswith("-")][:-KNOWN]:
        del known[old]
    state = change(state, heard=change(heard, spawned=known))
    if event.how == "stopped":
        return state
    state = wake(state, event.room)
    frame = state.turn.frame
    asked = [one for one in before.asked if one not in frame]
    return change_turn(state, frame=(*asked[: FRAME - len(frame)], *frame))
