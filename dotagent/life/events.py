"""The events of a life: one frozen dataclass each, which renders and parses the detail of its line in LIFE.md.

Everybody who writes or reads a detail does it through these, so that the format of a line is known in one place. A
line that none of them can read, be it an older version's, a newer one's or a person's edit, is kept and passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from dotagent.life.event import EVENTS, Event, event, named, pairs, rest
from dotagent.store.log import Line


@event("BOOT", head=2)
class Boot(Event):
    """A life begins, for this audience; its blob is the SOUL."""

    audience: str = rest()


@event("RESUME", head=0)
class Resume(Event):
    """It goes on in a new process, with this provider."""

    provider: str = rest()


@event("SLEEP")
class Sleep(Event):
    """It ends until it is resumed."""


@event("TORN", head=1)
class Torn(Event):
    """The end of LIFE.md was torn; it is kept in the file of this name."""

    file: str = rest()


@event("CLOCK", head=0)
class Clock(Event):
    """The true time, where LIFE's times have run ahead of it: the machine's clock went ahead once, and came back."""

    at: str


@event("ERROR")
class Error(Event):
    """Something is wrong that a person must know of."""

    text: str = rest()


@event("TELL")
class Tell(Event):
    """A room is to be told something that no model says, as that another provider answers from now on."""

    room: str
    text: str = rest()


# --- what it hears


@event("JOIN", head=1)
class Join(Event):
    """It hears a room from an offset on; `mark` is the hash of the line there, `-` at the very start."""

    room: str
    offset: int
    mark: str
    bridged: str = ""  # `bridged` when somebody from behind a bridge has spoken there


@event("LEAVE", head=1)
class Leave(Event):
    """It hears a room no longer."""

    room: str


@event("HEAR", head=1)
class Hear(Event):
    """A message of a room: how far that is heard now, and who spoke (`USER:ana`, `AGENT:9f8e7d6c5b4a`, `OWNER`)."""

    room: str
    offset: int
    mark: str
    who: str = rest()


@event("PAPER", head=1, blob=True)
class Document(Event):
    """A new version of a document that a person or the agent edits: MEMORY.md, SEGMENT.md …"""

    name: str = rest()


@event("NOTE", head=1)
class Note(Event):
    """A word of the harness to the model: `form`, `empty`, `owed` (a room still waits), `another` (agent answers)."""

    room: str
    why: str


# --- what it asks


@event("ASK", blob=True)
class Ask(Event):
    """A request to a model is out: for which room, and about how many tokens it has."""

    provider: str
    room: str
    size: int = 0


@event("REPLY", head=0, blob=True)
class Reply(Event):
    """A model's answer; `told` has its finish, provider, model, usage in tokens and who answered behind it."""

    room: str = ""
    told: Mapping[str, str] = pairs()


@event("USAGE")
class Spent(Event):
    """What a call beside the conversation used, as in a Reply."""

    told: Mapping[str, str] = pairs()


@event("FAIL", head=1)
class Fail(Event):
    """A request brought no answer: its kind, and `retryable`, `final`, or `stopped` where the turn was ended."""

    kind: str
    again: str = ""


@event("LONG")
class Long(Event):
    """The prompt was too long for the model: its size as told (0: not told), and the context's, in tokens."""

    told: int
    tokens: int


@event("WINDOW")
class Window(Event):
    """The model takes no more context than so many tokens."""

    tokens: int


# --- what it does


@event("EFFECT")
class Effect(Event):
    """A tool is about to do what others see; `what` is what it needs to recognise its effect in the world."""

    tool: str
    what: str = rest()


@event("DID")
class Did(Event):
    """A call is done, and there is nothing to read of it."""

    tool: str


@event("TOOL", head=2)
class Result(Event):
    """A call is done (`ok`, or `error`); what it showed is the blob."""

    tool: str
    how: str = "ok"


@event("KEEP")
class Keep(Event):
    """The entry of this number may not fade."""

    number: int


# --- what it forgets


@event("SEGMENT", blob=True)
class Segment(Event):
    """A compaction begins: the chunks of entries `first` to `last` are asked for; `why`: `limit`, or `asked`."""

    first: int
    last: int
    tries: int
    why: str = "limit"


@event("CHUNKS", blob=True)
class Chunks(Event):
    """The chunks are known, by a `model` or made `extractive`."""

    count: int
    how: str = ""


@event("SUMMARISE", blob=True)
class Summarise(Event):
    """The summary of the chunk `first-last` is asked for, the `tries`th time."""

    span: str
    tries: int


@event("SUMMARY", blob=True)
class Summed(Event):
    """The summary of the chunk `first-last`, and its relevance, 1 to 10; `key` names the chunk's members."""

    span: str
    key: str
    relevance: int
    how: str = ""  # `extractive` when no model wrote it


@event("FADE")
class Fade(Event):
    """A chunk leaves the context: why, and how many tokens become how many."""

    span: str
    why: str
    relevance: int = named(0)
    tokens: str = named("")


@event("SWAP")
class Swap(Event):
    """The context is another now: its blob lists the state and the entries."""

    why: str = ""
    tokens: str = named("")


@event("STAYED")
class Stayed(Event):
    """A compaction ended without making anything smaller; the context has so many tokens."""

    tokens: int


@event("LIFE", head=0)
class Recent(Event):
    """After a swap: LIFE's last lines, as far as the context does not show them; `settled` is its size in tokens."""

    settled: int = -1


@event("FAINT", head=0)
class Faint(Event):
    """Forgotten turns to which what was just heard refers."""


@event("WARN", head=0)
class Warn(Event):
    """A word to the agent about its own compaction."""


@event("FADED", head=2)
class Faded(Event):
    """The entry that stands for the entries `first-last`, by a tree; in no LIFE, but in trees and swaps."""

    span: str
    relevance: int = named(0)
    summary: str = named("")  # the blob of their summary; empty for a tree's leaf
    members: int = named(0)  # how many lines a tree's leaf has; 0: not told

    @property
    def last(self) -> int:
        """The number of the last entry that it stands for. Raises ValueError."""
        return int(self.span.partition("-")[2])


FORMER = ("SAY", "RUN", "EDIT")  # words by which versions before EFFECT announced one


@lru_cache(maxsize=4)  # the fold, the context and who looks for what cannot be read ask for the same line
def parse(line: Line) -> Event | None:
    """The event in a line, None when it cannot be read."""
    kind = EVENTS.get(line.event)
    try:
        if line.event in FORMER:
            return Effect(line.event, line.detail)
        return kind.read(line.detail) if kind and (line.id or not kind.BLOB) else None
    except ValueError:
        return None
