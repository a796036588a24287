"""A bridge's state, computed from the records of its journal without side effects. Owns nothing on disk.

Only the records are stored. An action that is announced (IN, OUT, DRAFT) but not confirmed when a process crashed is in
doubt: the next process checks the room or the network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dotagent.bridges import Place
from dotagent.store.rooms import Position
from dotagent.text.lazy import asdict, dataclass, field

BACKGROUND = 20  # messages that did not start a turn, kept for the next that does
REMEMBERED = 200  # messages, edits and own ids remembered for each place
MARKS = 20  # lines that help to find the position in a room again after an editor
Record = dict[str, Any]


@dataclass(frozen=True)
class Words:
    """A remembered message: its author, its first words, whether it started a turn, and a mark of all its words."""

    name: str
    first: str
    woke: bool
    mark: str = ""  # a mark of the whole message; earlier versions wrote ""


@dataclass(frozen=True)
class Passed:
    """A message that did not start a turn. The next message that starts a turn includes it."""

    id: str
    name: str
    at: str
    text: str


@dataclass
class Standing:
    """The state of a place: how far its messages were taken, and how far its room was sent there."""

    place: Place
    room: str
    heading: str  # the audience in the room's heading, e.g. `private discord/ana`
    heard: int = 0  # the order of the last message taken
    position: Position = field(default_factory=Position)  # after the last message of an agent sent there
    marks: list[str] = field(default_factory=list)  # marks of earlier lines, latest first
    since: str = ""  # when its room was assigned; earlier messages of agents are not for it
    said: dict[str, str] = field(default_factory=dict)  # by agent: the time in the tag of the last message sent
    passed: list[Passed] = field(default_factory=list)
    words: dict[str, Words] = field(default_factory=dict)
    revisions: list[str] = field(default_factory=list)
    last: str = ""  # id of the last message that started a turn
    own: list[str] = field(default_factory=list)  # ids of the bot's messages there, sent or drafted
    out: Record | None = None  # the announced and unconfirmed piece
    parts: tuple[str, str, int] = ("", "", 0)
    """How many pieces of an incompletely sent message (agent, time) were sent."""
    drafts: list[str] = field(default_factory=list)  # ids of messages there that show an unfinished answer
    drafting: Record | None = None  # the announced and unconfirmed draft

    def fold(self, record: Record) -> None:
        """Apply a record to this place."""
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
        """Add a message that does not start a turn, or apply an edit or deletion to a waiting one."""
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
            self.words[record["id"]] = Words(record["name"], record["first"], woke, record.get("mark", ""))
        else:
            name = version_name(record["id"], record["kind"], record["revision"])
            self.revisions = [*self.revisions, name][-REMEMBERED:]
            known = self.words.get(record["id"])
            if known and record["kind"] == "edited":
                self.words[record["id"]] = Words(
                    known.name, record["first"], known.woke or woke, record.get("mark", "")
                )
        while len(self.words) > REMEMBERED:
            del self.words[next(iter(self.words))]

    def _sent(self, record: Record) -> None:
        """Record that a piece was sent or never will be. After the last piece the position moves."""
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
    """The state of a bridge."""

    places: dict[str, Standing] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)  # the name in rooms of each person's id
    moved: dict[str, str] = field(default_factory=dict)  # the new id of a place by its old id
    paused: bool = False
    held: dict[str, Record] = field(default_factory=dict)
    """Messages that are acknowledged to the server but not yet in their room, by place and id."""
    doubt: Record | None = None  # the last IN, whose lines may be in the room or not

    def fold(self, record: Record) -> None:
        """Apply a record. One without state changes nothing."""
        match record["event"]:
            case "PLACE":
                standing = _unpack(record)
                self.places[standing.place.id] = standing
            case "NAME":
                self.names[record["id"]] = record["name"]
            case "MOVED":
                self.moved[record["old"]] = record["new"]
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
        """Return the held messages of a place, in order."""
        return [held for held in self.held.values() if held["place"]["id"] == place]

    def records(self) -> Iterator[Record]:
        """Yield records that produce the same state, except for an action in doubt."""
        for id, name in self.names.items():
            yield {"event": "NAME", "id": id, "name": name}
        for standing in self.places.values():
            yield {"event": "PLACE", **asdict(standing)}
        for old, new in self.moved.items():
            yield {"event": "MOVED", "old": old, "new": new}
        if self.paused:
            yield {"event": "PAUSE"}
        for held in self.held.values():
            yield {"event": "HELD", "message": held}


def key(place: str, id: str) -> str:
    """Return the key of a held message."""
    return f"{place} {id}"


def version_name(id: str, kind: str, revision: str) -> str:
    """Return a name that distinguishes a message, its edits and its deletion."""
    return id if kind == "new" else f"{id} {kind} {revision}"


NOBODY = Words("unknown", "", False)
"""Describes a message that was never taken."""


def place(given: Record) -> Place:
    """Build a place from plain data."""
    if isinstance(given["server"], list):  # earlier versions: the next message corrects it
        given = {**given, "server": next(iter(given["server"]), ""), "known": (), "ids": ()}
    return Place(**{**given, "known": tuple(given["known"]), "ids": tuple(given["ids"])})


_MADE: Mapping[str, Callable[[Any], Any]] = {
    "place": place,
    "position": lambda given: Position(**given),
    "passed": lambda given: [Passed(**one) for one in given],
    "words": lambda given: {id: Words(**one) for id, one in given.items()},
    "parts": tuple,
}
"""How to build the fields of a Standing that are not plain data."""


def _unpack(record: Record) -> Standing:
    given = {name: value for name, value in record.items() if name not in ("event", "at")}
    return Standing(**{name: _MADE[name](value) if name in _MADE else value for name, value in given.items()})
