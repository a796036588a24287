"""The state of an agent. It is computed from LIFE (`fold.py`), and stored only in a swap's blob."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from dotagent.life.events import Effect
from dotagent.store.rooms import Position
from dotagent.text import tokens
from dotagent.text.lazy import dataclass, field

WAKES = 3  # how often other agents start a turn in a room after a person's last message


@dataclass(frozen=True)
class Heard:
    """The messages, documents and other news that the agent has received."""

    rooms: Mapping[str, Position] = field(default_factory=dict)
    """The position of the last read message in each subscribed room."""
    wakes: Mapping[str, int] = field(default_factory=dict)
    """How often other agents started a turn in each room since a person's last message."""
    bridged: bool = False
    """Whether it ever received a message through a bridge."""
    documents: Mapping[str, str] = field(default_factory=dict)
    """The newest recorded version of each document."""
    ended: tuple[int, ...] = ()
    """The numbers of the last commands that outlived their turn and whose end is recorded."""
    ends: int = 0
    """How often such an end started a turn since a person's last message."""
    spawned: Mapping[str, str] = field(default_factory=dict)
    """Its helpers by id: `<room> <words> <told>`, as in background_events.Help."""
    made: int = 0
    """How many helpers it created since a person's last message, or since a turn began again."""
    agents: int = 0
    """How many messages of other agents it received."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """How far the last daily notes were read: `size hash`, by day."""
    shown: Mapping[str, str] = field(default_factory=dict)
    """The versions of SEGMENT, SUMMARISE and EXAMPLE in the prompt's head: those of the last swap."""
    origins: tuple[str, ...] = ()
    """The origins of all text that was ever in its context (origins.py); empty if unknown."""
    since: int = 0
    """The number of the first entry with foreign text; 0 if unknown."""
    questions: Mapping[str, str] = field(default_factory=dict)
    """The open questions to its person (questions.py), by number."""
    asked: int = 0
    """The number of the last question."""
    allowed: str = ""
    """The approved calls that have not run yet: `reply index;reply index`."""
    always: tuple[str, ...] = ()
    """The keys of effects that its person always allows."""


@dataclass(frozen=True)
class Turn:
    """The present turn: what waits, the pending request, and the action in progress."""

    wake: str = ""
    """The room whose message waits for a request."""
    room: str = ""
    """The room of the turn, for replies without a call."""
    unanswered: tuple[str, ...] = ()
    """Rooms that got `(no answer: …)` and still wait."""
    call: str = ""
    """The pending request."""
    provider: str = ""
    """The provider of the request."""
    reply: str = ""
    """The reply whose calls are running."""
    cut: bool = False
    """Whether a limit cut off that reply."""
    done: int = 0
    """How many of its calls are done."""
    whose: tuple[str, ...] = ()
    """The origins of the text in the context at the time of the request; empty if unknown."""
    effect: Effect | None = None
    """An effect that has begun and not ended."""
    message: int = 0
    """The entry of its person's message that this turn answers; 0 if something else began the turn."""
    frame: tuple[int, ...] = ()
    """The entries that this turn answers: its first message, and messages that came later."""
    plan: str = ""
    """The agent's last plan: the first entry of that turn's frame, and the plan's blob."""
    look: str = ""
    """The pending request of the second look at that message (second_look.py)."""
    looker: str = ""
    """The provider of that request."""
    looked: str = ""
    """The blob of the second look's answer, or `-` for no answer."""
    used: tuple[int, ...] = ()
    """The numbers of that answer's calls that have begun."""
    instead: int = 0
    """The number of the call that runs instead of the reply's own call, counted from 1."""
    unread: bool = False
    """Whether the model has not seen a result yet."""
    corrected: bool = False
    """Whether the model was asked to correct its reply, and has done nothing since."""
    untold: str = ""
    """Why a call failed, until the room has been informed."""
    told: tuple[str, ...] = ()
    """`room kind`: failures that a room was informed of since a person's last message there."""
    failed: str = ""
    """`final` or `retryable` if the last call failed, `stopped` if the turn reached a limit."""
    deaths: int = 0
    """How often a process crashed since the last completed action."""
    slept: bool = False
    """Whether the last process recorded its end."""
    quiet: str = ""
    """The name of this turn for a capability, if no one waits for the agent's messages; otherwise ""."""
    flush: bool = False
    """Whether this is the silent turn before the oldest entries fade."""
    steps: int = 0
    """Requests since the last message."""
    long: int = 0
    """How often in this turn the prompt was too long for the model."""
    passed: tuple[str, ...] = ()
    """Providers that did not answer the pending request while there was another to try."""

    @property
    def waits(self) -> bool:
        """Return True if the model must be asked, because a message or a result waits. A result that came before the
        agent's first turn waits for the next message: no room needs an answer to it."""
        return bool(self.wake or (self.unread and self.room))

    @property
    def held(self) -> tuple[int, ...]:
        """Return the frame while the turn continues. Afterwards these entries may fade."""
        begun = self.call or self.look or self.effect or (self.reply and not self.done)
        return self.frame if begun or self.waits or self.unanswered else ()


@dataclass(frozen=True)
class Model:
    """Facts about the model."""

    sent: int = 0
    """The estimated tokens of the pending request."""
    fixed: int = 0
    """The estimated tokens of the last prompt before its entries; 0 if unknown."""
    rest: int = -1
    """How many of the tokens of the pending request stand for characters outside ASCII; -1 if unknown."""
    plain: float = 1.0
    """The provider's tokens for one token of a size."""
    other: float = 1.0
    """The factor for characters outside ASCII. Sizes contain it already."""
    upstream: str = ""
    """The service behind a routing provider that gave the last answer."""
    most: int = 0
    """The largest context in tokens for which the model's window has room; 0 if unknown."""
    refused: int = 0
    """The tokens of the smallest prompt that the model refused as too long; 0 if it refused none."""
    head: int = 0
    """The tokens of a whole prompt that the model accepted at the last swap (replay.accepted). It sets the size of the
    prompt's head, which must not change between swaps."""
    away: Mapping[str, str] = field(default_factory=dict)
    """Providers that failed and have not answered since: `time kind hint`."""
    by: Mapping[str, str] = field(default_factory=dict)
    """The last provider that answered in each room."""
    guessed: str = ""
    """The provider and model whose window was reported to a room as a guess."""

    @property
    def ratio(self) -> float:
        """Return the provider's tokens for one token of a size, within what a tokenizer can have."""
        return min(3.0, max(0.4, self.plain))


@dataclass(frozen=True)
class Used:
    """The usage of calls, live and in the background, by days in the person's time zone."""

    asks: int = 0
    """Requests to models in total."""
    tokens: int = 0
    """Tokens of prompts and answers in total."""
    day: str = ""
    """The last day with a call."""
    day_tokens: int = 0
    """Tokens of prompts and answers on that day."""
    day_cost: int = 0
    """The cost on that day in millionths of a US dollar, if prices are known."""
    month_tokens: int = 0
    month_cost: int = 0
    counted: tuple[str, ...] = ()
    """The last answers outside the conversation: LIFE may contain one twice, and it counts once."""
    told: tuple[str, ...] = ()
    """Budgets whose warning was posted, each with its day."""
    ahead: str = ""
    """LIFE's time and the true time, if LIFE's was found to be ahead."""


@dataclass(frozen=True)
class Compaction:
    """A compaction in progress: entries `first` to `last` are divided into chunks, and chosen chunks are summarised."""

    first: int = 0
    last: int = 0
    tries: int = 1
    call: str = ""
    """The pending segment request."""
    plan: str = ""
    """The blob of the chunks, once they are known."""
    out: Mapping[str, str] = field(default_factory=dict)
    """Pending summarise requests: request -> `first-last`."""
    tried: Mapping[str, int] = field(default_factory=dict)
    """How often the summary of each chunk was requested."""
    made: Mapping[str, str] = field(default_factory=dict)
    """Summaries: `first-last` -> blob and relevance."""
    frame: tuple[int, ...] = ()
    """Entries that the turn answered when this began (Turn.frame): the chunks leave them out."""
    why: str = "limit"
    """Why it began: `limit`, `asked` by a person, or `rest`."""
    lasts: int = 0
    """For how many seconds after the last reply the swap waits, because a cache keeps the prompt (`rest`)."""
    plain: bool = False
    """Whether a summary failed, so that no more are requested."""


@dataclass(frozen=True)
class Forgetting:
    """The state of forgetting."""

    kept: tuple[int, ...] = ()
    """Entries that may not fade, by number."""
    spare: Mapping[str, str] = field(default_factory=dict)
    """Summaries that are not used yet, by a hash of their members' ids: blob, relevance, and `first-last`."""
    compaction: Compaction | None = None
    """The compaction in progress."""
    flushed: bool = False
    """Whether the silent turn has happened since the last swap."""
    settled: int = 0
    """Tokens of the context after the last swap: what did not shrink then is not tried again at once."""
    restate: bool = False
    """Whether a swap happened and the events outside the context must still be listed."""
    standing: Mapping[str, str] = field(default_factory=dict)
    """Standing instructions by number: `<time> <entry> <blob> <who> <words>`."""
    stood: int = 0
    """The number of the last standing instruction."""
    back: tuple[int, ...] = ()
    """The numbers of entries that a person restored: the next compaction takes them last."""
    unsaid: str = ""
    """The report of the last swap, until the room has it."""


@dataclass(frozen=True)
class State:
    """The state of an agent."""

    audience: str = ""
    """`private <person>`, `group` or `helper`."""
    number: int = 0
    """The number of the newest entry."""
    heard: Heard = Heard()
    turn: Turn = Turn()
    model: Model = Model()
    forgetting: Forgetting = Forgetting()
    used: Used = Used()
    slices: Mapping[str, object] = field(default_factory=dict)
    """The slices of capabilities, by name (slices.py)."""


FRAME = 32  # entries that a turn's frame has at most

S = TypeVar("S")


def accepted(state: State) -> int:
    """Return the tokens of a whole prompt that the model is taken to accept: what its window leaves, and less than it
    refused. Return 0 if neither is known."""
    model, bounds = state.model, list[int]()
    if model.most:
        bounds.append(int(tokens.MOST * model.most) + tokens.HEAD)
    if model.refused:
        bounds.append(int((0.5 if state.turn.long > 1 else 0.8) * model.refused))
    return min(bounds, default=0)


def framed(state: State, room: str, *, goes_on: bool = False) -> tuple[int, ...]:
    """Return the turn's frame with the next entry added. If the present turn is over, the entry begins a new frame,
    unless the work of this turn `goes_on`."""
    turn, number = state.turn, state.number + 1
    goes_on = goes_on or bool(turn.unread or turn.wake or room in turn.unanswered)
    return (*turn.frame[:1], *turn.frame[1:][2 - FRAME :], number) if goes_on else (number,)


def change(state: S, **fields: object) -> S:
    """Return the state, or a part of it, with these fields changed. It is ten times as fast as `replace`, because a
    resume folds thousands of events."""
    assert fields.keys() <= state.__dict__.keys(), fields
    made = object.__new__(type(state))
    made.__dict__.update(state.__dict__, **fields)
    return made


def change_turn(state: State, **fields: object) -> State:
    """Return the state with these fields of its turn changed."""
    return change(state, turn=change(state.turn, **fields))


def change_forgetting(state: State, **fields: object) -> State:
    """Return the state with these fields of its forgetting changed."""
    return change(state, forgetting=change(state.forgetting, **fields))


def wake(state: State, room: str, *, quiet: str = "", flush: bool = False, anew: bool = False) -> State:
    """Return the state after an event woke the agent for a room that it has joined. In a `quiet` turn no one waits for
    its messages. `anew` resets the count of new helpers, as a person's message does."""
    if anew:
        state = change(state, heard=change(state.heard, made=0))
    if room not in state.heard.rooms:
        return state
    message = state.turn.message if state.turn.wake else 0  # a person's message from the meantime still waits
    new = {"wake": room, "quiet": quiet, "flush": flush, "corrected": False, "steps": 0, "long": 0}
    return change(state, turn=change(state.turn, message=message, frame=framed(state, room), **new))
