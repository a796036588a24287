"""The events of a life: one frozen dataclass each, which renders and parses the detail of its line in LIFE.md.

Everybody goes through these, so that a line's form is known in one place. One that none can read is kept, passed over.
"""

from __future__ import annotations

from collections.abc import Mapping

from dotagent.life.event import FORMER as FORMER
from dotagent.life.event import Event, event, named, pairs, rest
from dotagent.life.event import parse as parse


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
    """A room is to be told what no model says: that another provider answers, that a `budget` is nearly used, that the
    window of the provider:model in `guess` is a guess, what the last swap let fade (`fade=told`)."""

    room: str
    budget: str = named("")
    guess: str = named("")
    fade: str = named("")
    text: str = rest()


# --- what it hears


@event("JOIN", head=1)
class Join(Event):
    """It hears a room from an offset on; `mark` is the hash of the line there, `-` at the very start; `media` are the
    last pictures, PDFs and sounds that came with what was said before, as text/media.py lists them."""

    room: str
    offset: int
    mark: str
    media: str = named("")
    by: str = named("")  # whose words its blob holds beside its person's, as life/origins.py names them: `agent,others`
    bridged: str = ""  # `bridged` when somebody from behind a bridge has spoken there


@event("LEAVE", head=1)
class Leave(Event):
    """It hears a room no longer."""

    room: str


@event("HEAR", head=1)
class Hear(Event):
    """A message of a room: how far that is heard now, and who spoke (`USER:ana`, `AGENT:9f8e7d6c5b4a`, `OWNER`);
    `media` are the pictures, PDFs and sounds that came with it, as text/media.py lists them; `by=person` where a group
    heard one whom settings name as this life's person, `by=own` an agent that never heard a stranger."""

    room: str
    offset: int
    mark: str
    media: str = named("")
    by: str = named("")
    who: str = rest()


@event("PAPER", head=1, blob=True)
class Document(Event):
    """A new version of a document that a person or the agent edits: MEMORY.md, SEGMENT.md … Where it only grew, `since`
    is how many bytes the context shows already."""

    name: str
    since: int = named(0)


@event("DAILY", head=1)
class Daily(Event):
    """What is new in the note of a day, `memory/<day>.md`, up to so many bytes, whose hash is `mark`; without a blob it
    wrote that itself."""

    day: str
    size: int
    mark: str


@event("NOTE", head=1)
class Note(Event):
    """A word of the harness to the model: `form`, `empty`, `circles` (it does the same again), `owed` (a room still
    waits), `another` (agent answers), `told` (the harness does)."""

    room: str
    why: str


@event("ENDED", head=2)
class Ended(Event):
    """A command that outlived its turn has ended: its number, the room it was started in, and how; its blob holds
    what it printed that was not read yet."""

    number: int
    room: str
    how: str = rest()


@event("SPAWNED")
class Spawned(Event):
    """A helper was given words that are for it to answer: its id, the room of the turn; how many such it has by now."""

    life: str
    room: str
    words: int


@event("RETURNED", head=2, blob=True)
class Returned(Event):
    """A helper has come to rest: its id, the room in which its work was asked for, and how: `done`, at its limit of
    `turns`, `tokens` or `seconds`, `failed` (no model answered) or `died`; its blob is what it said; `by=own` where
    no stranger's words were before it."""

    life: str
    room: str
    how: str
    by: str = named("")


@event("RESTED")
class Rested(Event):
    """As a helper it has come to rest: how many words of other agents it had heard by then, and how, as in RETURNED."""

    heard: int
    how: str


@event("WAKE", head=2, blob=True)
class Wake(Event):
    """The clock woke it: the job (or `heartbeat`, or `boot` at a start), the room, when it was due, and perhaps `late`,
    `missed` (too late to be made up) or `asked` (at once, by a person); its blob tells what is to be done."""

    job: str
    room: str
    due: str
    how: str = ""


@event("BEAT")
class Beat(Event):
    """What became of what a heartbeat said: `ok` (nothing), `alert`, `again` (an alert of the last day, not repeated);
    the heartbeat's time, and the digest of the words."""

    how: str
    due: str
    digest: str


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
    """A request brought no answer: its kind, and `retryable`, `final`, `stopped` where the turn was ended, or `held`
    where none was made: then for which room."""

    kind: str
    again: str = ""
    room: str = named("")


@event("AWAY")
class Away(Event):
    """A provider brought no answer to a call: the failure's kind, the request, the hint. Another is asked instead."""

    provider: str
    kind: str
    call: str
    why: str = rest()


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
    """A call is done (`ok`, or `error`, or its person is `asked` first); what it showed is the blob, also where that is
    a picture, PDF or sound; `by` says whose words those are where it is not as usual for the tool."""

    tool: str
    how: str = "ok"
    media: str = named("")
    by: str = named("")


@event("FLUSH", head=0, blob=True)
class Flush(Event):
    """Before the oldest fades: a turn in silence, in which it may write down what must last."""

    room: str


@event("KEEP")
class Keep(Event):
    """The entry of this number may not fade."""

    number: int


@event("STANDS", blob=True)
class Stands(Event):
    """What a person said once for all, in their words, under a number of its own: who said it and when, in which entry
    (0: not known), and instead of which other; its blob is what it stands in."""

    number: int
    who: str
    at: str
    entry: int = 0
    instead: int = named(0)
    words: str = rest()


@event("LAPSED")
class Lapsed(Event):
    """What stood under this number stands no longer: its person took it away."""

    number: int


@event("CANDIDATE")
class Candidate(Event):
    """What it would write of itself or of its person, under a number: the file, how sure it is in hundredths, the entry
    in which a person said so (0: in none), and whether that is `pending` or `applied`, `by=hand` where a person wrote
    it themselves; its blob is that message, its gist the words."""

    number: int
    file: str
    sure: int
    entry: int
    how: str
    by: str = named("")
    told: str = rest()


@event("DECIDED")
class Decided(Event):
    """What became of a candidate, `applied` or `rejected`, and by whom."""

    number: int
    how: str
    by: str = rest()


@event("ALTERNATE")
class Alternate(Event):
    """Which SOUL is in force: `on` with the alternate one, its blob, or `off` with its own; and why."""

    how: str
    why: str = rest()

    @property
    def name(self) -> str:
        """The document that it is a version of, or, without a blob, no longer."""
        return "SOUL_EVIL.md"


@event("STANDING", head=0, blob=True)
class Wishes(Event):
    """All that stands, said again after a swap, or anew since it was `edited`."""

    how: str = ""


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
    """The context is another now: its blob lists the state and the entries. One of a person's `unfade` undoes the swap
    of this blob, and those after it."""

    why: str = ""
    tokens: str = named("")
    undoes: str = named("")


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


@event("FORGOT")
class Forgot(Event):
    """Something was forgotten for good: its id in `forgotten/record.jsonl`, how many sentences, for whom."""

    id: str
    items: int
    by: str = rest()


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
