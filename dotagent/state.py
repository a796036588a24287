"""What LIFE's end says: a pure fold of events into what is under way, so that resuming is only looking.

Nothing here is stored. Running and resuming are the same: read the state, do the next thing, append what was done.
An effect is announced (SAY, RUN, EDIT) before it happens and finished (DID, TOOL) after, so an announcement without
its end is an effect that a dead process left, and its tool finds out what became of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from dotagent.life import Line
from dotagent.rooms import Position

WAKES = 3  # how often other agents wake this one in a room since a person last spoke there
OWNER = "OWNER"  # who wrote an untagged line


@dataclass(frozen=True)
class State:
    """Where a life stands."""

    audience: str = ""
    """`private <person>`, `group` or `helper`."""
    rooms: Mapping[str, Position] = field(default_factory=dict)
    """How far each subscribed room was heard."""
    wakes: Mapping[str, int] = field(default_factory=dict)
    """How often other agents woke this one there since a person spoke."""
    bridged: bool = False
    """Whether it ever heard someone from behind a bridge."""
    papers: Mapping[str, str] = field(default_factory=dict)
    """The newest version of each paper it was shown."""
    shown: Mapping[str, str] = field(default_factory=dict)
    """The versions of SEGMENT and SUMMARISE that the prompt's head refers to: those of the last swap."""
    wake: str = ""
    """The room whose message waits to be asked about."""
    room: str = ""
    """The room of the present turn: where a reply without a call is said."""
    owed: tuple[str, ...] = ()
    """Rooms that were told `(no answer: …)` and still wait."""
    call: str = ""
    """The request that is out."""
    served: str = ""
    """The provider it went to."""
    reply: str = ""
    """The reply whose calls are being done."""
    cut: bool = False
    """Whether that reply was cut off by a limit."""
    done: int = 0
    """How many of its calls are done."""
    announced: Line | None = None
    """An effect that has begun and not ended."""
    again: bool = False
    """Whether a result waits to be read."""
    corrected: bool = False
    """Whether the model was already shown the right form, or asked once more, in this turn."""
    tell: str = ""
    """Why a call failed, while its room has not been told."""
    failed: str = ""
    """`final` or `retryable` when the last call failed, else empty."""
    steps: int = 0
    """Requests since something was heard."""


def after(state: State, line: Line) -> State:
    """The state once this event has happened; events that say nothing about what is under way change nothing."""
    fold = _FOLDS.get(line.event)
    return fold(state, line) if fold else state


def _boot(state: State, line: Line) -> State:
    return replace(state, audience=line.detail)


def _join(state: State, line: Line) -> State:
    name, offset, mark, *flags = line.detail.split(" ")
    rooms = {**state.rooms, name: Position(int(offset), mark.strip("-"))}
    return replace(state, rooms=rooms, bridged=state.bridged or "bridged" in flags)


def _leave(state: State, line: Line) -> State:
    rooms = {name: position for name, position in state.rooms.items() if name != line.detail}
    return replace(state, rooms=rooms, owed=tuple(room for room in state.owed if room != line.detail))


def _hear(state: State, line: Line) -> State:
    name, offset, mark, who = line.detail.split(" ")
    woken = 0 if not who.startswith("AGENT:") else state.wakes.get(name, 0) + 1
    wakes = woken <= WAKES
    state = replace(
        state,
        rooms={**state.rooms, name: Position(int(offset), mark)},
        wakes={**state.wakes, name: min(woken, WAKES)},
        bridged=state.bridged or "/" in who,
    )
    return replace(state, wake=name, corrected=False, steps=0) if wakes else state


def _paper(state: State, line: Line) -> State:
    name = line.detail
    shown = {name: line.id, **state.shown} if name in ("SEGMENT.md", "SUMMARISE.md") else state.shown
    return replace(state, papers={**state.papers, name: line.id}, shown=shown)


def _ask(state: State, line: Line) -> State:
    served, room = line.detail.split(" ")[:2]
    return replace(
        state, call=line.id, served=served, room=room, wake="", again=False, reply="", done=0, steps=state.steps + 1
    )


def _reply(state: State, line: Line) -> State:
    owed = tuple(room for room in state.owed if room != state.room)
    cut = "finish=length" in line.detail.split(" ")
    return replace(state, call="", reply=line.id, cut=cut, done=0, owed=owed, failed="")


def _fail(state: State, line: Line) -> State:
    known = state.room in state.owed
    owed = state.owed if known or not state.room else (*state.owed, state.room)
    failed = line.detail.split(" ")[1]
    tell = "" if known else line.gist
    return replace(state, call="", reply="", again=False, wake="", owed=owed, tell=tell, failed=failed)


def _announce(state: State, line: Line) -> State:
    return replace(state, announced=line)


def _finish(state: State, line: Line) -> State:
    state = replace(state, announced=None, again=state.again or line.event == "TOOL")
    return replace(state, tell="") if state.tell else replace(state, done=state.done + 1)


def _note(state: State, line: Line) -> State:
    room, why = line.detail.split(" ")[:2]
    return replace(state, wake=room, reply="", corrected=why != "owed")


_FOLDS = {
    "BOOT": _boot,
    "JOIN": _join,
    "LEAVE": _leave,
    "HEAR": _hear,
    "PAPER": _paper,
    "ASK": _ask,
    "REPLY": _reply,
    "FAIL": _fail,
    "SAY": _announce,
    "RUN": _announce,
    "EDIT": _announce,
    "DID": _finish,
    "TOOL": _finish,
    "NOTE": _note,
}


def pack(state: State) -> dict[str, object]:
    """The state as plain data, for the blob of a swap; nothing is announced at a swap."""
    return asdict(replace(state, announced=None))


def unpack(given: Mapping[str, object]) -> State:
    """The state that was packed."""
    plain = dict(given)
    rooms = plain["rooms"]
    assert isinstance(rooms, dict)
    plain["rooms"] = {name: Position(**position) for name, position in rooms.items()}
    plain["owed"] = tuple(plain["owed"])  # type: ignore[arg-type]
    return State(**plain)  # type: ignore[arg-type]
