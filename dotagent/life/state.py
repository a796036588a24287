"""The state: where a life stands. It is folded from LIFE (`fold.py`), and stored nowhere but in a swap's blob."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from dotagent.life.events import Effect
from dotagent.store.rooms import Position


@dataclass(frozen=True)
class Heard:
    """What of the world the life has seen."""

    rooms: Mapping[str, Position] = field(default_factory=dict)
    """How far each subscribed room was heard."""
    wakes: Mapping[str, int] = field(default_factory=dict)
    """How often other agents woke this one there since a person spoke."""
    bridged: bool = False
    """Whether it ever heard someone from behind a bridge."""
    documents: Mapping[str, str] = field(default_factory=dict)
    """The newest version of each document it was shown."""
    ended: tuple[int, ...] = ()
    """The last commands that outlived their turn of whose end it was told, by number."""
    ends: int = 0
    """How often such an end woke it since a person spoke."""
    spawned: Mapping[str, str] = field(default_factory=dict)
    """Its helpers by id: `<room> <words> <told>`, as woken.Help tells."""
    made: int = 0
    """How many helpers it made since a person or the clock spoke."""
    agents: int = 0
    """How many words of other agents it heard."""
    woken: tuple[str, ...] = ()
    """The last runs of jobs that woke it, each `job@time`."""
    alerts: Mapping[str, str] = field(default_factory=dict)
    """The last alerts of heartbeats, by their digest: the heartbeat's time."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """How far the last daily notes were heard: `size hash`, by their day."""
    shown: Mapping[str, str] = field(default_factory=dict)
    """The versions of SEGMENT, SUMMARISE and EXAMPLE that the prompt's head has: those of the last swap."""
    origins: tuple[str, ...] = ()
    """Whose words were ever before it (origins.py); none: not known."""
    question: str = ""
    """What its person is asked (questions.py)."""
    allowed: str = ""
    """The call that its person allowed and that is still to be done: `reply index`."""
    always: tuple[str, ...] = ()
    """What its person allowed once for all."""


@dataclass(frozen=True)
class Turn:
    """The present turn: what waits, what is asked, what is being done."""

    wake: str = ""
    """The room whose message waits to be asked about."""
    room: str = ""
    """The room of the turn: where a reply without a call is said."""
    unanswered: tuple[str, ...] = ()
    """Rooms that were told `(no answer: …)` and still wait."""
    call: str = ""
    """The request that is out."""
    provider: str = ""
    """Where it went."""
    reply: str = ""
    """The reply whose calls are being done."""
    cut: bool = False
    """Whether that reply was cut off by a limit."""
    done: int = 0
    """How many of its calls are done."""
    whose: tuple[str, ...] = ()
    """Whose words were before the model when it was asked for that; none: not known."""
    effect: Effect | None = None
    """An effect that has begun and not ended."""
    unread: bool = False
    """Whether a result waits to be read."""
    corrected: bool = False
    """Whether the model was already shown the right form, or asked once more, in this turn."""
    untold: str = ""
    """Why a call failed, while its room has not been told."""
    told: tuple[str, ...] = ()
    """`room kind`: failures that a room was told of since a person last spoke there."""
    failed: str = ""
    """`final` or `retryable` when the last call failed, `stopped` when the turn was ended for going on and on."""
    deaths: int = 0
    """How often a process ended without a word since anything was done."""
    slept: bool = False
    """Whether the last process said that it ends."""
    beat: str = ""
    """The time of the heartbeat that this turn is; empty for any other."""
    flush: bool = False
    """Whether this turn is one in silence before the oldest fades."""
    judged: str = ""
    """The digest of what this heartbeat said last, once it is known what becomes of it."""
    steps: int = 0
    """Requests since something was heard."""
    long: int = 0
    """How often in this turn the prompt was too long for the model."""
    passed: tuple[str, ...] = ()
    """Providers that brought no answer to what is asked, while there was another to ask."""

    @property
    def waits(self) -> bool:
        """Whether the model is to be asked: something was heard, or a result is to be read."""
        return self.unread or bool(self.wake)


@dataclass(frozen=True)
class Model:
    """What was learnt of the model."""

    sent: int = 0
    """The estimate of the request that is out, in tokens."""
    ratio: float = 1.0
    """Tokens that the provider counts, for one that is estimated."""
    upstream: str = ""
    """Who gave the last answer behind a provider that passes requests on."""
    most: int = 0
    """Tokens of context beyond which the model was found not to take it; 0: not found yet."""
    head: int = 0
    """The same at the last swap: what the prompt's head goes by, which stays as it is between two."""
    away: Mapping[str, str] = field(default_factory=dict)
    """Providers that brought no answer and gave none since: `time kind hint`."""
    by: Mapping[str, str] = field(default_factory=dict)
    """Which provider answered last in each room."""
    guessed: str = ""
    """The provider and model of which a room was told that its window is a guess."""


@dataclass(frozen=True)
class Used:
    """What answers took, live and beside the conversation, by the person's own days."""

    asks: int = 0
    """Requests to models, in all."""
    tokens: int = 0
    """Tokens, in all: the prompts' and the answers'."""
    day: str = ""
    """The last day on which one did."""
    day_tokens: int = 0
    """Tokens on that day: the prompts' and the answers'."""
    day_cost: int = 0
    """The same in millionths of a US dollar, as far as prices are known."""
    month_tokens: int = 0
    month_cost: int = 0
    counted: tuple[str, ...] = ()
    """The last answers beside the conversation: LIFE may tell of one twice, and it counts once."""
    told: tuple[str, ...] = ()
    """Budgets of which it was told that little is left, each with its day."""
    ahead: str = ""
    """The time in LIFE and the true one, when LIFE's was found to be ahead."""


@dataclass(frozen=True)
class Compaction:
    """A compaction under way: entries `first` to `last` are cut into chunks, and the needed ones are summed up."""

    first: int = 0
    last: int = 0
    tries: int = 1
    call: str = ""
    """The segment request that is out."""
    plan: str = ""
    """The blob of the chunks, once they are known."""
    out: Mapping[str, str] = field(default_factory=dict)
    """Summarise requests that are out: request -> `first-last`."""
    tried: Mapping[str, int] = field(default_factory=dict)
    """How often each chunk's summary was asked for."""
    made: Mapping[str, str] = field(default_factory=dict)
    """Summaries: `first-last` -> blob and relevance."""
    why: str = "limit"
    """Why it began: `limit`, or `asked` by a person."""
    plain: bool = False
    """Whether a summary could not be had, so that no more are asked for."""


@dataclass(frozen=True)
class Forgetting:
    """Where forgetting stands."""

    kept: tuple[int, ...] = ()
    """Entries that may not fade, by number."""
    spare: Mapping[str, str] = field(default_factory=dict)
    """Summaries made and not needed, by the id of their members' ids: blob, relevance, and `first-last`."""
    compaction: Compaction | None = None
    """The compaction that is under way."""
    flushed: bool = False
    """Whether there was such a turn since the last swap."""
    settled: int = 0
    """Tokens of the context after the last swap: what did not get smaller then is not tried again at once."""
    restate: bool = False
    """Whether a swap has happened and what it left out of sight is still to be said again."""
    standing: Mapping[str, str] = field(default_factory=dict)
    """What people said once for all, by its number: `<time> <entry> <blob> <who> <words>`."""
    stood: int = 0
    """The last of these numbers."""
    back: tuple[int, ...] = ()
    """Entries that a person took back, by number: the next compaction takes them last."""
    unsaid: str = ""
    """What the last swap let fade, in words, where a room shall be told and was not yet."""


@dataclass(frozen=True)
class State:
    """Where a life stands."""

    audience: str = ""
    """`private <person>`, `group` or `helper`."""
    number: int = 0
    """The number of the newest entry."""
    heard: Heard = Heard()
    turn: Turn = Turn()
    model: Model = Model()
    forgetting: Forgetting = Forgetting()
    used: Used = Used()


S = TypeVar("S")


def change(state: S, **fields: object) -> S:
    """The state, or a part of it, with these fields changed: `replace`, ten times as fast, since a resume folds
    thousands of events."""
    assert fields.keys() <= state.__dict__.keys(), fields
    made = object.__new__(type(state))
    made.__dict__.update(state.__dict__, **fields)
    return made
