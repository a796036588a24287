"""The events of a compaction and of standing instructions, and their folds. An agent imports this module only when it
reads one of these events, or when the compaction code does (LATER in event.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from dotagent.life.background_events import find_held
from dotagent.life.event import Event, event, named_field, rest
from dotagent.life.slices import on
from dotagent.life.state import Compaction, State, change, change_forgetting, wake
from dotagent.store.log import Line

STANDING = 200  # standing instructions that the state contains


@event("STANDS", blob=True)
class Stands(Event):
    """A standing instruction is an instruction that always stays in the context. dotagent found the instruction when a
    summary replaced the entry that contains it, or a person added the instruction with the command `standing`. `number`
    is the number of the instruction, `who` is the author of the instruction, `at` is its time, and `entry` is the
    number of the entry in the context that contains the instruction (0: unknown). `instead` is the number of an older
    instruction that this one replaces. `words` is the instruction itself, and the stored file (blob) contains the text
    from which dotagent took the instruction."""

    number: int
    who: str
    at: str
    entry: int = 0
    instead: int = named_field(0)
    words: str = rest()


@event("LAPSED")
class Lapsed(Event):
    """A person removed the standing instruction `number`."""

    number: int


@event("SEGMENT", blob=True)
class Segment(Event):
    """dotagent begins to prepare summaries (a compaction): dotagent asks the model to divide the entries `first` to
    `last` of the context into groups, called chunks. `tries` says how many times dotagent has sent this request. `why`
    is `limit` if the context reached its limit, `asked` if a person used the command `fade`, and `rest` if no message
    came for some time. In this case, `lasts` is how many seconds the model's server keeps a prompt in its cache after
    the last use: the summaries replace entries only then. The stored file (blob) contains the request."""

    first: int
    last: int
    tries: int
    why: str = "limit"
    lasts: int = named_field(0)


@event("CHUNKS", blob=True)
class Chunks(Event):
    """dotagent has divided old entries of the context into groups, called chunks. `count` is the number of these
    groups. `how` is `model` if a model chose the groups of entries, and `extractive` if dotagent chose the groups
    without a model. The stored file (blob) contains a list of the groups, as JSON. For each group of entries, this list
    contains the numbers of the first and the last entry, a number that says how relevant the entries still are, a short
    description (the gist), and the summary if dotagent has it already."""

    count: int
    how: str = ""


@event("SUMMARISE", blob=True)
class Summarise(Event):
    """dotagent asks the model to summarise a group of old entries (a chunk). `span` contains the numbers of the first
    and the last entry of this group, and `tries` says how many times dotagent has sent this request. The stored file
    (blob) contains the request."""

    span: str
    tries: int


@event("SUMMARY", blob=True)
class Summed(Event):
    """The summary of a group of old entries (a chunk) is ready, and the stored file (blob) contains this summary.
    `span` contains the numbers of the first and the last entry of the group. `relevance` says how relevant this group
    of entries still is, from 1 to 10. `key` is a hash of the summarised entries: if the same entries form a group
    again, dotagent finds the summary by this hash and makes no new summary. `how` is `extractive` if dotagent made the
    summary without a model."""

    span: str
    key: str
    relevance: int
    how: str = ""  # `extractive` if no model wrote it


@event("STAYED")
class Stayed(Event):
    """A compaction ended, but no summary replaced entries, because the new context would not be smaller. `tokens` is
    the size of the context. dotagent prepares summaries again only after the context has grown."""

    tokens: int


def _drop(table: Mapping[str, str], gone: str) -> dict[str, str]:
    return {one: told for one, told in table.items() if gone not in (one, told)}


@on(Stands)
def _stands(event: Stands, state: State, line: Line) -> State:
    known = _drop(state.forgetting.standing, str(event.instead))
    if len(known) >= STANDING:
        known = _drop(known, _least(known))
    told = {str(event.number): f"{event.at} {event.entry} {line.id} {event.who} {event.words}"}
    return change_forgetting(state, standing=known | told, stood=event.number)


def _least(known: Mapping[str, str]) -> str:
    """Return the number of the oldest instruction that is only a fact, or of the oldest instruction."""
    from dotagent.text.standing_instructions import stands  # loaded late, because few agents need it

    return next((number for number, told in known.items() if not stands(told.split(" ", 4)[-1])), next(iter(known)))


@on(Lapsed)
def _lapsed(event: Lapsed, state: State, line: Line) -> State:
    return change_forgetting(state, standing=_drop(state.forgetting.standing, str(event.number)))


@on(Segment)
def _segment(event: Segment, state: State, line: Line) -> State:
    now = Compaction(event.first, event.last, event.tries, line.id, why=event.why, frame=find_held(state))
    return change_forgetting(state, compaction=change(now, lasts=event.lasts))


@on(Chunks)
def _chunks(event: Chunks, state: State, line: Line) -> State:
    now = state.forgetting.compaction  # None after a swap, which ends the compaction
    return change_forgetting(state, compaction=change(now, call="", plan=line.id)) if now else state


@on(Summarise)
def _summarise(event: Summarise, state: State, line: Line) -> State:
    now, span = state.forgetting.compaction, event.span
    if now is None:
        return state
    out = {**_drop(now.out, span), line.id: span}
    return change_forgetting(state, compaction=change(now, out=out, tried={**now.tried, span: event.tries}))


@on(Summed)
def _summary(event: Summed, state: State, line: Line) -> State:
    """Record the summary of a chunk, also by its members' ids, in case that this compaction does not use it."""
    now, told, extractive = state.forgetting.compaction, f"{line.id} {event.relevance}", event.how == "extractive"
    if not extractive:  # next time a model may write a better one
        state = change_forgetting(state, spare={**state.forgetting.spare, event.key: f"{told} {event.span}"})
    if now is None:
        return state
    made, plain = {**now.made, event.span: told}, now.plain or extractive
    return change_forgetting(state, compaction=change(now, out=_drop(now.out, event.span), made=made, plain=plain))


@on(Stayed)
def _fold_stayed(event: Stayed, state: State, line: Line) -> State:
    return change_forgetting(state, compaction=None, spare={}, settled=event.tokens)


@event("FLUSH", blob=True)
class Flush(Event):
    """A hidden turn begins, in which the agent saves facts and says nothing: before summaries replace entries, dotagent
    asks the model to write down facts that must last. The stored file (blob) contains this request."""

    room: str


@event("STANDING", blob=True)
class Wishes(Event):
    """The list of standing instructions appears in the context again, because summaries replaced entries or because a
    person changed the list (`how` is `edited`). The stored file (blob) contains this list of instructions."""

    how: str = ""


@event("FADE")
class Fade(Event):
    """At the next event SWAP, a summary replaces a group of old entries (a chunk). `span` contains the numbers of the
    first and the last entry of this group. `why` is the reason: `limit` (the context reached its limit), `asked` (a
    person used the command `fade`), `rest` (no message came for some time) or `floor` (the context was so large that
    dotagent did not wait for a model). `relevance` says how relevant this group of entries still is, and `tokens` is
    the size of the group before and after the replacement. The stored file (blob) contains a list of the entries that
    the summary replaces. From this list, dotagent can find the original of each entry that the summary replaces."""

    span: str
    why: str
    relevance: int = named_field(0)
    tokens: str = named_field("")


@event("FAINT")
class Faint(Event):
    """dotagent reminds the model of old entries that a summary replaced and that are related to a new message."""


@on(Flush)
def _flush(event: Flush, state: State, line: Line) -> State:
    state = change_forgetting(state, flushed=True)
    return wake(state, event.room, flush=True)
