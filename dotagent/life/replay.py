"""Replay: derive an agent's state and context from its LIFE and blobs.

The result is not stored. A test checks that a running agent has the same state and context. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from dotagent.errors import Trouble
from dotagent.life import context, events, slices
from dotagent.life.context import Entry
from dotagent.life.events import Boot, Swap
from dotagent.life.fold import apply
from dotagent.life.slices import Unfolded
from dotagent.life.state import State, accepted, change
from dotagent.store import disk, log
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.text import tokens
from dotagent.text.lazy import dataclass
from dotagent.text.reference import short

if TYPE_CHECKING:
    from dotagent.life.snapshot import Row
    from dotagent.store.lineage import Origin

SHARE = 16  # an entry may have a sixteenth of the context's limit
LEAST_SHARE = 150  # tokens
T = TypeVar("T")
Fold = Callable[[State, Line], State]


@dataclass(frozen=True)
class View:
    """The state and context of an agent. `unread` are the lines since the last swap that this version cannot read."""

    state: State
    entries: Sequence[Entry]
    unread: tuple[Line | int, ...] = ()
    """An unreadable event, or the byte offset of a line that is not an event."""


@dataclass(frozen=True)
class Step:
    """A line of LIFE, the state after it, and the entry that it made, if any. An unreadable line changes nothing; if it
    is not an event, `line` is its byte offset."""

    line: Line | int
    state: State
    entry: Entry | None = None
    readable: bool = True


def derive(home: Home, self_id: str, limit: int, *, without: int | None = None, until: int | None = None) -> View:
    """Return the state and the context of an agent, from its LIFE since the last swap, and its blobs. `limit` is in
    tokens.

    With `without`, the swap at this byte offset and later ones are ignored. With `until`, only the first bytes of LIFE
    are read.
    """
    before = until if without is None else without
    (state, entries), steps = read_since_swap(home, self_id, limit, before, until)
    unread = list[Line | int]()
    for step in steps:
        state = step.state
        if step.entry:
            entries.append(step.entry)
        if not step.readable:
            unread.append(step.line)
    if state.audience and (audience := born_for(home.store(), self_id)):  # LIFE or a snapshot may say otherwise
        state = change(state, audience=audience)
    return View(state, tuple(entries), tuple(unread))


def read_since_swap(
    home: Home, self_id: str, limit: int, before: int | None = None, until: int | None = None, fold: Fold = apply
) -> tuple[tuple[State, list[Entry]], Iterator[Step]]:
    """Return the state and the entries after the last readable swap before a byte offset, otherwise those of the
    agent's beginning, and the steps since then, up to `until`. With `fold=fold.sized`, only facts about the model are
    right in the states."""
    store, path = home.store(), home.agent(self_id) / "LIFE.md"
    last = _last(path, before, lambda swap: swapped(store, swap, limit))
    (state, entries), start = last or (_first_state(home, self_id, limit), 0)
    if last:
        state = _complete(store, path, state, start)
    return (state, entries), steps(store, log.read(path, start), state, limit, until, fold)


def steps(
    store: Blobs, lines: Iterable[Line | int], state: State, limit: int, until: int | None, fold: Fold
) -> Iterator[Step]:
    """Yield the steps of these lines after this state, up to the byte offset `until`."""
    known, most = None, 0
    for line in lines:
        if until is not None and (line if isinstance(line, int) else line.end - 1) >= until:
            return
        if isinstance(line, int) or events.parse(line) is None:
            yield Step(line, state, readable=False)
            continue
        state = fold(state, line)
        if state.model is not known:
            known, most = state.model, share(limit, state)
        found = None
        if line.event != Boot.WORD or not state.number:  # otherwise the line belongs to another log
            found = context.entry(line, state.number + 1, store.body, most)
        if found:
            state = change(state, number=found.number)
        yield Step(line, state, found)


def standing(home: Home, self_id: str, until: int | None = None) -> State:
    """Return the state of an agent from its LIFE, or from its first bytes, without the blobs that a context needs."""
    store, path = home.store(), home.agent(self_id) / "LIFE.md"
    last = _last(path, until, lambda swap: _read_swap(store, swap)[0])
    there = None if last else origin(home, self_id)
    begun = _continue_state(standing(home, there.agent, there.end)) if there else State()
    state, start = last or (begun, 0)
    if last:
        state = _complete(store, path, state, start)
    for line in log.lines(path, start):
        if until is not None and line.end > until:
            break
        state = apply(state, line)
    return state


def _first_state(home: Home, self_id: str, limit: int) -> tuple[State, list[Entry]]:
    """Return the state and the entries with which the agent began: none, or for a fork those of the other agent. Raises
    Trouble."""
    there = origin(home, self_id)
    if there is None:
        return State(), []
    view = derive(home, there.agent, limit, until=there.end)
    return _continue_state(view.state), list(view.entries)


def _continue_state(state: State) -> State:
    """Return the state with which a fork begins, from the state of the other agent."""
    from dotagent.life.continuation import continued  # few agents continue another's life

    return continued(state)


def origin(home: Home, self_id: str) -> Origin | None:
    """Return what the agent continues, if it is a fork. Raises Trouble if the other log is lost or has another
    audience."""
    store = home.store()
    with suppress(BlobMissing, BlobCorrupt):  # then it is not known
        if b"\ncontinues: " not in store.get(self_id).body.partition(b"\n\n")[0]:
            return None
    from dotagent.store import lineage, log_search  # few agents continue the log of another

    there = lineage.origin(store, self_id)
    if there is None:
        return None
    path = home.agent(there.agent) / "LIFE.md"
    who = f"agent {short(self_id)} continues the log of agent {short(there.agent)}"
    if not (disk.is_file(path) and log_search.has_event_at(path, there.end, there.at)):
        raise Trouble(f"{who}, whose LIFE.md is missing or changed; restore that agent from a backup")
    if born_for(store, there.agent) not in ("", born_for(store, self_id)):
        raise Trouble(
            f"{who}, whose audience (who can read it) differs; remove the directory of one of these two agents"
        )
    return there


def limit(setting: int, state: State) -> int:
    """Return the size in tokens at which entries of the context begin to fade.

    The setting limits the whole prompt. So this subtracts the prompt's fixed part, and leaves room for entries that
    arrive while summaries are prepared. If the model's window is smaller, so is the limit."""
    room = max(tokens.LEAST, int((setting - fixed(state)) / tokens.OVERFULL))
    if state.model.refused:
        room = min(room, max(tokens.LEAST, int((accepted(state) - fixed(state)) / tokens.OVERFULL)))
    return min(room, state.model.most or room)


def fixed(state: State) -> int:
    """Return the tokens of a prompt before its entries: SOUL, the instructions, the tools and the documents."""
    return int(state.model.fixed * state.model.ratio) or tokens.HEAD


def born_for(store: Blobs, self_id: str) -> str:
    """Return the audience in the agent's birth blob, which its id verifies, or "" if the blob is lost."""
    try:
        return soul(store, self_id)[0]
    except (BlobMissing, BlobCorrupt):
        return ""


def soul(store: Blobs, self_id: str) -> tuple[str, str]:
    """Return the audience and the SOUL in the agent's birth blob. Raises BlobMissing or BlobCorrupt."""
    first, _, text = store.get(self_id).body.decode("utf-8", "replace").partition("\n\n")
    return first.partition("\n")[0].removeprefix("audience: "), text


def _last(path: Path, before: int | None, read: Callable[[Line], T]) -> tuple[T, int] | None:
    """Apply `read` to the last swap that is readable, before a byte offset if given. Return the result and the offset
    of its line, or None.

    If a swap is lost, the one before it and all later events give the same state.
    """
    start = log.last_offset(path, Swap.WORD, before)
    while start is not None:
        try:
            return read(next(log.lines(path, start))), start
        except (BlobMissing, BlobCorrupt, ValueError):  # doctor reports it
            start = log.last_offset(path, Swap.WORD, start)
    return None


def swapped(store: Blobs, swap: Line, limit: int) -> tuple[State, list[Entry]]:
    """Return the state and the entries after a swap. Raises BlobMissing, BlobCorrupt, and ValueError if the blob is not
    a snapshot."""
    state, rows = _read_swap(store, swap)
    most = share(limit, state)
    found = (context.entry(line, number, store.body, most, stripped=stripped) for number, stripped, line in rows)
    return state, [entry for entry in found if entry]


def _read_swap(store: Blobs, swap: Line) -> tuple[State, list[Row]]:
    from dotagent.life import snapshot  # loaded only for an agent that has forgotten something

    return snapshot.decode(store.get(swap.id).body, swap.at)


def _complete(store: Blobs, path: Path, state: State, start: int) -> State:
    """Return the state at the swap with this byte offset, with what an earlier version or fewer capabilities left
    out."""
    missed = any(isinstance(kept, Unfolded) and name in slices.find_all() for name, kept in state.slices.items())
    if state.used.day and state.heard.origins and not missed:
        return state
    from dotagent.life import older_swaps

    return older_swaps.completed(store, path, state, start)


def share(setting: int, state: State) -> int:
    """Return the most tokens of an entry's content, for this setting or the model's smaller window. No learned factor
    changes it, so that no later count of a server cuts an entry that was shown whole; a refusal does."""
    most = min(setting, accepted(state)) if state.model.refused else setting
    room = int((most - tokens.HEAD) / tokens.OVERFULL)
    return max(LEAST_SHARE, min(room, state.model.most or room) // SHARE)
