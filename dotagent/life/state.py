"""What LIFE's end says: a pure fold of events into what is under way, so that resuming is only looking.

Nothing here is stored. Running and resuming are the same: read the state, do the next thing, append what was done.
An effect is announced (SAY, RUN, EDIT) before it happens and finished (DID, TOOL) after, so an announcement without
its end is an effect that a dead process left, and its tool finds out what became of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from dotagent.life import fading as compaction
from dotagent.life.fading import Fading
from dotagent.store.log import Line
from dotagent.store.rooms import Position
from dotagent.text.tokens import LEAST

NAMED = ("PAPER", "ASK", "REPLY", "SEGMENT", "CHUNKS", "SUMMARISE", "SUMMARY")  # nothing without the blob they name
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
    documents: Mapping[str, str] = field(default_factory=dict)
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
    """`final` or `retryable` when the last call failed, `stopped` when the turn was ended for going on and on."""
    number: int = 0
    """The number of the newest entry."""
    sent: int = 0
    """The estimate of the request that is out, in tokens."""
    ratio: float = 1.0
    """Tokens that the provider counts, for one that is estimated."""
    upstream: str = ""
    """Who gave the last answer behind a provider that passes requests on."""
    long: int = 0
    """How often in this turn the prompt was too long for the model."""
    most: int = 0
    """Tokens of context beyond which the model was found not to take it; 0: not found yet."""
    kept: tuple[int, ...] = ()
    """Entries that may not fade, by number."""
    spare: Mapping[str, str] = field(default_factory=dict)
    """Summaries made and not needed, by the id of their members' ids: blob, relevance, and `first-last`."""
    fading: Fading | None = None
    """The compaction that is under way."""
    settled: int = 0
    """Tokens of the context after the last swap: what did not get smaller then is not tried again at once."""
    restate: bool = False
    """Whether a swap has happened and what it left out of sight is still to be said again."""
    steps: int = 0
    """Requests since something was heard."""


def change(state: State, **fields: object) -> State:
    """The state with these fields changed: `replace`, ten times as fast, since a resume folds thousands of events."""
    assert fields.keys() <= state.__dict__.keys(), fields
    made = object.__new__(State)
    made.__dict__.update(state.__dict__, **fields)
    return made


def after(state: State, line: Line) -> State:
    """The state once this event has happened; events that say nothing about what is under way change nothing."""
    fold = _FOLDS.get(line.event) if line.id or line.event not in NAMED else None
    try:
        return fold(state, line) if fold else state
    except (ValueError, IndexError):
        return state  # a line that somebody changed: doctor tells which


def _boot(state: State, line: Line) -> State:
    return change(state, audience=line.detail)


def _resume(state: State, line: Line) -> State:
    return change(state, most=0, upstream="")  # perhaps another provider, with another window


def _join(state: State, line: Line) -> State:
    name, offset, mark, *flags = line.detail.split(" ")
    rooms = {**state.rooms, name: Position(int(offset), mark.strip("-"))}
    return change(state, rooms=rooms, bridged=state.bridged or "bridged" in flags)


def _leave(state: State, line: Line) -> State:
    rooms = {name: position for name, position in state.rooms.items() if name != line.detail}
    owed = tuple(room for room in state.owed if room != line.detail)
    left = change(state, rooms=rooms, owed=owed, wake="" if state.wake == line.detail else state.wake)
    return change(left, tell="") if state.room == line.detail and not state.announced else left


def _hear(state: State, line: Line) -> State:
    name, offset, mark, who = line.detail.split(" ", 3)
    woken = 0 if not who.startswith("AGENT:") else state.wakes.get(name, 0) + 1
    wakes = woken <= WAKES
    state = change(
        state,
        rooms={**state.rooms, name: Position(int(offset), mark)},
        wakes={**state.wakes, name: min(woken, WAKES)},
        bridged=state.bridged or "/" in who,
    )
    return change(state, wake=name, corrected=False, steps=0, long=0) if wakes else state


def _paper(state: State, line: Line) -> State:
    name = line.detail
    shown = {name: line.id, **state.shown} if name in ("SEGMENT.md", "SUMMARISE.md") else state.shown
    return change(state, documents={**state.documents, name: line.id}, shown=shown)


def _ask(state: State, line: Line) -> State:
    served, room, *rest = line.detail.split(" ")
    asked = change(state, call=line.id, served=served, room=room, sent=int(rest[0]) if rest else 0)
    return change(asked, wake="", again=False, reply="", done=0, announced=None, steps=state.steps + 1)


def _reply(state: State, line: Line) -> State:
    owed = tuple(room for room in state.owed if room != state.room)
    words = dict(word.partition("=")[::2] for word in line.detail.split(" "))
    cut = words.get("finish") == "length"
    told = words.get("input", "")
    state = change(state, ratio=_ratio(state, int(told) if told.isdecimal() else 0), long=0)
    upstream = words.get("upstream", "")
    return change(state, call="", reply=line.id, cut=cut, done=0, owed=owed, failed="", upstream=upstream)


def _ratio(state: State, told: int) -> float:
    """How many tokens an estimated one is, by what the provider told of the last prompt; within reason."""
    if not told or not state.sent:
        return state.ratio
    return min(3.0, max(0.4, told / state.sent))


def _long(state: State, line: Line) -> State:
    told, tokens = (int(word) for word in line.detail.split(" "))
    ratio = _ratio(state, told)
    most = max(LEAST, int((0.5 if state.long else 0.8) * tokens * ratio / state.ratio))
    return change(state, call="", wake=_heard(state, state.room), ratio=ratio, most=most, long=state.long + 1)


def _keep(state: State, line: Line) -> State:
    return change(state, kept=(*state.kept, int(line.detail)))


def _segment(state: State, line: Line) -> State:
    return change(state, fading=compaction.segment(line))


def _chunks(state: State, line: Line) -> State:
    return change(state, fading=compaction.chunks(state.fading, line))


def _summarise(state: State, line: Line) -> State:
    return change(state, fading=compaction.summarise(state.fading, line))


def _summary(state: State, line: Line) -> State:
    fading, spare = compaction.summary(state.fading, line)
    return change(state, fading=fading, spare={**state.spare, **spare})


def _stayed(state: State, line: Line) -> State:
    return change(state, fading=None, spare={}, settled=int(line.detail))


def _restated(state: State, line: Line) -> State:
    settled = int(line.detail) if line.detail.isdecimal() else state.settled
    return change(state, restate=False, settled=settled)


def _window(state: State, line: Line) -> State:
    return change(state, most=int(line.detail))


def _fail(state: State, line: Line) -> State:
    known = state.room in state.owed or state.room not in state.rooms  # a room that was left waits for nothing
    failed = line.detail.rpartition(" ")[2]
    owed = state.owed if known or failed == "stopped" else (*state.owed, state.room)
    tell = "" if known else line.gist or line.detail
    return change(state, call="", reply="", again=False, wake="", owed=owed, tell=tell, failed=failed)


def _announce(state: State, line: Line) -> State:
    return change(state, announced=line)


def _finish(state: State, line: Line) -> State:
    if state.tell:
        return change(state, announced=None, tell="")
    return change(state, announced=None, again=state.again or line.event == "TOOL", done=state.done + 1)


def _note(state: State, line: Line) -> State:
    room, why = line.detail.split(" ")[:2]
    owed = why == "owed"  # what was never answered begins a turn of its own
    steps = 0 if owed else state.steps
    return change(state, wake=_heard(state, room), reply="", corrected=not owed, steps=steps)


def _heard(state: State, room: str) -> str:
    """The room, unless it was left meanwhile: then nobody waits there."""
    return room if room in state.rooms else ""


_FOLDS = {
    "BOOT": _boot,
    "RESUME": _resume,
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
    "LONG": _long,
    "KEEP": _keep,
    "SEGMENT": _segment,
    "CHUNKS": _chunks,
    "SUMMARISE": _summarise,
    "SUMMARY": _summary,
    "STAYED": _stayed,
    "LIFE": _restated,
    "WINDOW": _window,
}


def pack(state: State) -> dict[str, object]:
    """The state as plain data, for the blob of a swap; nothing is announced at a swap."""
    return asdict(change(state, announced=None))


def unpack(given: Mapping[str, object]) -> State:
    """The state that was packed."""
    plain = dict(given)
    rooms = plain["rooms"]
    assert isinstance(rooms, dict)
    plain["rooms"] = {name: Position(**position) for name, position in rooms.items()}
    for name in ("owed", "kept"):
        plain[name] = tuple(plain[name])  # type: ignore[arg-type]
    fading = plain["fading"]
    plain["fading"] = Fading(**fading) if isinstance(fading, dict) else None
    return State(**plain)  # type: ignore[arg-type]
