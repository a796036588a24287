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
    shown: Mapping[str, str] = field(default_factory=dict)
    """The versions of SEGMENT and SUMMARISE that the prompt's head refers to: those of the last swap."""


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
    steps: int = 0
    """Requests since something was heard."""
    long: int = 0
    """How often in this turn the prompt was too long for the model."""


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
    settled: int = 0
    """Tokens of the context after the last swap: what did not get smaller then is not tried again at once."""
    restate: bool = False
    """Whether a swap has happened and what it left out of sight is still to be said again."""


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


S = TypeVar("S")


def change(state: S, **fields: object) -> S:
    """The state, or a part of it, with these fields changed: `replace`, ten times as fast, since a resume folds
    thousands of events."""
    assert fields.keys() <= state.__dict__.keys(), fields
    made = object.__new__(type(state))
    made.__dict__.update(state.__dict__, **fields)
    return made
