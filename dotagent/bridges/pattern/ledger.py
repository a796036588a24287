"""What a bridge's journal says: a pure fold of its records into where each place stands.

Nothing of it is stored but as records. What is announced (IN, OUT, DRAFT) and not confirmed when a process died is in
doubt: the next one looks in the room, or there, whether it happened.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from dotagent.bridges import Place
from dotagent.store.rooms import Position

BACKGROUND = 20  # messages that did not wake, kept for the next that does
REMEMBERED = 200  # messages, edits and own ids of a place that are remembered
MARKS = 20  # lines by which the place in a room is found again after an editor
Record = dict[str, Any]


@dataclass(frozen=True)
class Words:
    """What is remembered of a message that came: who wrote it, its first words, and whether it woke the agent."""

    name: str
    first: str
    woke: bool


@dataclass(frozen=True)
class Passed:
    """A message that did not wake, until the next that does takes it along."""

    id: str
    name: str
    at: str
    text: str


@dataclass
class Standing:
    """Where a place stands: how far it was heard, and how far its room was said there."""

    place: Place
    room: str
    heading: str
    """The room's audience as its heading says it, e.g. `private discord/ana`."""
    heard: int = 0
    """The order of the last message that was taken."""
    position: Position = field(default_factory=Position)
    """Behind the last message of an agent that was sent there."""
    marks: deque[str] = field(default_factory=lambda: deque(maxlen=MARKS))
    since: str = ""
    """When it was bound to its room: what agents said there before is not for it."""
    said: dict[str, str] = field(default_factory=dict)
    """The time in the tag of the last message sent, by agent."""
    passed: deque[Passed] = field(default_factory=lambda: deque(maxlen=BACKGROUND))
    words: dict[str, Words] = field(default_factory=dict)
    revisions: deque[str] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    last: str = ""
    """The id of the last message that woke."""
    own: deque[str] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    """Ids of own messages there, sent or drafted."""
    out: Record | None = None
    """The part that was announced and is not confirmed."""
    parts: tuple[str, str, int] = ("", "", 0)
    """Of which message (agent, time) how many parts were sent, while not all are."""
    drafts: list[str] = field(default_factory=list)
    """Ids of messages there that show an answer as it is written."""
    drafting: Record | None = None
    """The draft that was announced and is not confirmed."""


@dataclass
class Ledger:
    """Where a bridge stands."""

    places: dict[str, Standing] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """The name in rooms of each person's id."""
    paused: bool = False
    held: dict[str, Record] = field(default_factory=dict)
    """Messages that are acknowledged to the server and not in their room yet, by place and id."""
    doubt: Record | None = None
    """The last IN: whether its lines are in the room is known only by looking."""

    def fold(self, record: Record) -> None:
        """Let a record have happened. One that says nothing of the state changes nothing."""
        if record["event"] in _FOLDS:
            _FOLDS[record["event"]](self, record)

    def records(self) -> Iterator[Record]:
        """The records from which the same state is folded again, except what is in doubt."""
        for id, name in self.names.items():
            yield {"event": "NAME", "id": id, "name": name}
        for standing in self.places.values():
            yield {"event": "PLACE", **pack(standing)}
        if self.paused:
            yield {"event": "PAUSE"}
        for held in self.held.values():
            yield {"event": "HELD", "message": held}


def key(place: str, id: str) -> str:
    """A held message's name."""
    return f"{place} {id}"


def _place(ledger: Ledger, record: Record) -> None:
    standing = _unpack(record)
    ledger.places[standing.place.id] = standing


def _name(ledger: Ledger, record: Record) -> None:
    ledger.names[record["id"]] = record["name"]


def _in(ledger: Ledger, record: Record) -> None:
    standing = ledger.places[record["place"]]
    standing.passed.clear()
    standing.last = record["id"]
    _taken(ledger, standing, record)
    ledger.doubt = record


def _heard(ledger: Ledger, record: Record) -> None:
    ledger.doubt = None


def _doubt(ledger: Ledger, record: Record) -> None:
    ledger.doubt = record


def _pass(ledger: Ledger, record: Record) -> None:
    """A message that does not wake; an edit or deletion of one that waits changes that one."""
    standing = ledger.places[record["place"]]
    waiting = {one.id: one for one in standing.passed}
    if record["kind"] == "deleted" and record["id"] in waiting:
        del waiting[record["id"]]
    elif record["kind"] == "new" or record["id"] in waiting:
        waiting[record["id"]] = _passed(record)
    else:
        waiting[f"{record['id']} {record['revision']}"] = _passed(record)
    standing.passed = deque(waiting.values(), maxlen=BACKGROUND)
    _taken(ledger, standing, record)


def _passed(record: Record) -> Passed:
    return Passed(record["id"], record["name"], record["time"], record["text"])


def _taken(ledger: Ledger, standing: Standing, record: Record) -> None:
    if record["kind"] == "new":
        standing.heard = max(standing.heard, record["order"])
        standing.words[record["id"]] = Words(record["name"], record["first"], record["event"] == "IN")
    else:
        standing.revisions.append(revision(record["id"], record["revision"], record["kind"]))
        known = standing.words.get(record["id"])
        if known and record["kind"] == "edited":
            standing.words[record["id"]] = Words(known.name, record["first"], known.woke or record["event"] == "IN")
    while len(standing.words) > REMEMBERED:
        del standing.words[next(iter(standing.words))]
    ledger.held.pop(key(record["place"], str(record.get("held", record["id"]))), None)


def revision(id: str, revision: str, kind: str) -> str:
    """The name of an edit or a deletion."""
    return f"{id} {kind} {revision}"


def _out(ledger: Ledger, record: Record) -> None:
    ledger.places[record["place"]].out = record


def _sent(ledger: Ledger, record: Record) -> None:
    """A part is there, or never will be; with the last one the position moves."""
    standing = ledger.places[record["place"]]
    standing.out = None
    standing.parts = (record["agent"], record["time"], record["n"])
    if record.get("id"):
        if record["id"] in standing.drafts:
            standing.drafts.remove(record["id"])
        if record["id"] not in standing.own:
            standing.own.append(record["id"])
    if "end" in record:
        standing.position = Position(*record["end"])
        standing.marks.appendleft(standing.position.mark)
        standing.said[record["agent"]] = record["time"]
        standing.parts = ("", "", 0)


def _draft(ledger: Ledger, record: Record) -> None:
    ledger.places[record["place"]].drafting = record


def _drafted(ledger: Ledger, record: Record) -> None:
    standing = ledger.places[record["place"]]
    standing.drafting = None
    if record.get("id"):
        standing.drafts.append(record["id"])
        standing.own.append(record["id"])


def _undrafted(ledger: Ledger, record: Record) -> None:
    drafts = ledger.places[record["place"]].drafts
    if record["id"] in drafts:
        drafts.remove(record["id"])


def _pause(ledger: Ledger, record: Record) -> None:
    ledger.paused = True


def _resume(ledger: Ledger, record: Record) -> None:
    ledger.paused = False


def _held(ledger: Ledger, record: Record) -> None:
    message = record["message"]
    ledger.held[key(message["place"]["id"], message["held"])] = message


def _dropped(ledger: Ledger, record: Record) -> None:
    ledger.held.pop(key(record["place"], record["held"]), None)


_FOLDS: Mapping[str, Callable[[Ledger, Record], None]] = {
    "PLACE": _place,
    "NAME": _name,
    "IN": _in,
    "HEARD": _heard,
    "DOUBT": _doubt,
    "PASS": _pass,
    "OUT": _out,
    "SENT": _sent,
    "FAILED": _sent,
    "DRAFT": _draft,
    "DRAFTED": _drafted,
    "UNDRAFTED": _undrafted,
    "PAUSE": _pause,
    "RESUME": _resume,
    "HELD": _held,
    "DROPPED": _dropped,
}


def place(given: Record) -> Place:
    """The place that was written as plain data."""
    tuples = {"known": tuple(given["known"]), "server": tuple(given["server"])}
    return Place(**{**given, **tuples})


def pack(standing: Standing) -> Record:
    """Where a place stands, as plain data."""
    plain = asdict(standing)
    for name in ("marks", "revisions", "own"):
        plain[name] = list(plain[name])
    plain["passed"] = [asdict(one) for one in standing.passed]
    return plain


def _unpack(record: Record) -> Standing:
    given = {name: value for name, value in record.items() if name not in ("event", "at")}
    given["place"] = place(given["place"])
    given["position"] = Position(**given.get("position", {}))
    given["marks"] = deque(given.get("marks", ()), maxlen=MARKS)
    given["passed"] = deque((Passed(**one) for one in given.get("passed", ())), maxlen=BACKGROUND)
    given["words"] = {id: Words(**one) for id, one in given.get("words", {}).items()}
    for name in ("revisions", "own"):
        given[name] = deque(given.get(name, ()), maxlen=REMEMBERED)
    given["parts"] = tuple(given.get("parts", ("", "", 0)))
    return Standing(**given)
