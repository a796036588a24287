"""What a bridge's journal says: a pure fold of its records into where each place stands.

Nothing of it is stored but as records. What is announced (IN, OUT, DRAFT) and not confirmed when a process died is in
doubt: the next one looks in the room, or there, whether it happened.
"""

from __future__ import annotations

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
    heading: str  # the room's audience as its heading says it, e.g. `private discord/ana`
    heard: int = 0  # the order of the last message that was taken
    position: Position = field(default_factory=Position)  # behind the last message of an agent that was sent there
    marks: list[str] = field(default_factory=list)  # of the lines before, the latest first
    since: str = ""  # when it was bound to its room: what agents said there before is not for it
    said: dict[str, str] = field(default_factory=dict)  # the time in the tag of the last message sent, by agent
    passed: list[Passed] = field(default_factory=list)
    words: dict[str, Words] = field(default_factory=dict)
    revisions: list[str] = field(default_factory=list)
    last: str = ""  # the id of the last message that woke
    own: list[str] = field(default_factory=list)  # ids of own messages there, sent or drafted
    out: Record | None = None  # the piece that was announced and is not confirmed
    parts: tuple[str, str, int] = ("", "", 0)
    """Of which message (agent, time) how many pieces were sent, while not all are."""
    drafts: list[str] = field(default_factory=list)  # ids of messages there that show an answer as it is written
    drafting: Record | None = None  # the draft that was announced and is not confirmed

    def fold(self, record: Record) -> None:
        """Let something have happened in this place."""
        match record["event"]:
            case "IN":
                self.passed.clear()
                self.last = record["id"]
                self._taken(record)
            case "PASS":
                self._pass(record)
                self._taken(record)
            case "OUT":
                self.out = record
            case "SENT" | "FAILED":
                self._sent(record)
            case "DRAFT":
                self.drafting = record
            case "DRAFTED":
                self.drafting = None
                if record.get("id"):
                    self.drafts.append(record["id"])
                    self._owns(record["id"])
            case "UNDRAFTED" if record["id"] in self.drafts:
                self.drafts.remove(record["id"])

    def _pass(self, record: Record) -> None:
        """A message that does not wake; an edit or deletion of one that waits changes that one."""
        passed = Passed(record["id"], record["name"], record["time"], record["text"])
        waiting = {one.id: one for one in self.passed}
        if record["kind"] == "deleted" and record["id"] in waiting:
            del waiting[record["id"]]
        elif record["kind"] == "new" or record["id"] in waiting:
            waiting[record["id"]] = passed
        else:
            waiting[f"{record['id']} {record['revision']}"] = passed
        self.passed = list(waiting.values())[-BACKGROUND:]

    def _taken(self, record: Record) -> None:
        woke = record["event"] == "IN"
        if record["kind"] == "new":
            self.heard = max(self.heard, record["order"])
            self.words[record["id"]] = Words(record["name"], record["first"], woke)
        else:
            name = named(record["id"], record["kind"], record["revision"])
            self.revisions = [*self.revisions, name][-REMEMBERED:]
            known = self.words.get(record["id"])
            if known and record["kind"] == "edited":
                self.words[record["id"]] = Words(known.name, record["first"], known.woke or woke)
        while len(self.words) > REMEMBERED:
            del self.words[next(iter(self.words))]

    def _sent(self, record: Record) -> None:
        """A piece is there, or never will be; with the last one the position moves."""
        self.out = None
        self.parts = (record["agent"], record["time"], record["n"])
        if id := record.get("id"):
            if id in self.drafts:
                self.drafts.remove(id)
            self._owns(id)
        if "end" in record:
            self.position = Position(*record["end"])
            self.marks = [self.position.mark, *self.marks][:MARKS]
            self.said[record["agent"]] = record["time"]
            self.parts = ("", "", 0)

    def _owns(self, id: str) -> None:
        if id not in self.own:
            self.own = [*self.own, id][-REMEMBERED:]


@dataclass
class Ledger:
    """Where a bridge stands."""

    places: dict[str, Standing] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)  # the name in rooms of each person's id
    paused: bool = False
    held: dict[str, Record] = field(default_factory=dict)
    """Messages that are acknowledged to the server and not in their room yet, by place and id."""
    doubt: Record | None = None  # the last IN: whether its lines are in the room is known only by looking

    def fold(self, record: Record) -> None:
        """Let a record have happened. One that says nothing of the state changes nothing."""
        match record["event"]:
            case "PLACE":
                standing = _unpack(record)
                self.places[standing.place.id] = standing
            case "NAME":
                self.names[record["id"]] = record["name"]
            case "PAUSE" | "RESUME":
                self.paused = record["event"] == "PAUSE"
            case "HELD":
                message = record["message"]
                self.held[key(message["place"]["id"], message["held"])] = message
            case "DROPPED":
                self.held.pop(key(record["place"], record["held"]), None)
            case "DOUBT":
                self.doubt = record
            case "HEARD":
                self.doubt = None
            case "IN" | "PASS" as event:
                self.places[record["place"]].fold(record)
                self.held.pop(key(record["place"], str(record.get("held", record["id"]))), None)
                self.doubt = record if event == "IN" else self.doubt
            case "OUT" | "SENT" | "FAILED" | "DRAFT" | "DRAFTED" | "UNDRAFTED":
                self.places[record["place"]].fold(record)

    def waiting(self, place: str) -> list[Record]:
        """The messages of a place that are held, in order."""
        return [held for held in self.held.values() if held["place"]["id"] == place]

    def records(self) -> Iterator[Record]:
        """The records from which the same state is folded again, except what is in doubt."""
        for id, name in self.names.items():
            yield {"event": "NAME", "id": id, "name": name}
        for standing in self.places.values():
            yield {"event": "PLACE", **asdict(standing)}
        if self.paused:
            yield {"event": "PAUSE"}
        for held in self.held.values():
            yield {"event": "HELD", "message": held}


def key(place: str, id: str) -> str:
    """A held message's name."""
    return f"{place} {id}"


def named(id: str, kind: str, revision: str) -> str:
    """What tells a message, an edit and a deletion of it apart."""
    return id if kind == "new" else f"{id} {kind} {revision}"


NOBODY = Words("unknown", "", False)
"""What is remembered of a message that was never taken."""


def place(given: Record) -> Place:
    """The place that was written as plain data."""
    if isinstance(given["server"], list):  # earlier, names were not told apart from ids: the next message tells them
        given = {**given, "server": next(iter(given["server"]), ""), "known": (), "ids": ()}
    return Place(**{**given, "known": tuple(given["known"]), "ids": tuple(given["ids"])})


_MADE: Mapping[str, Callable[[Any], Any]] = {
    "place": place,
    "position": lambda given: Position(**given),
    "passed": lambda given: [Passed(**one) for one in given],
    "words": lambda given: {id: Words(**one) for id, one in given.items()},
    "parts": tuple,
}
"""How the fields of a Standing that are no plain data are made of it."""


def _unpack(record: Record) -> Standing:
    given = {name: value for name, value in record.items() if name not in ("event", "at")}
    return Standing(**{name: _MADE[name](value) if name in _MADE else value for name, value in given.items()})
