"""Undoing a swap, because a person wishes it: the context is again what it was before, with all that happened since.

What LIFE and blobs say without that swap and those after it is the context, as far as the limit allows. It is a swap
like any: one line in LIFE, and living on and deriving anew come to the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dotagent.compaction import receipt
from dotagent.errors import Trouble
from dotagent.life import context, replay
from dotagent.life.context import Entry
from dotagent.life.events import Daily, Document, Error, Faded, Recent, Swap
from dotagent.life.heads import AGAIN
from dotagent.life.replay import View, size
from dotagent.life.session import Session
from dotagent.life.state import State, change
from dotagent.store import disk
from dotagent.store.blobs import Blobs
from dotagent.store.home import Home
from dotagent.text.reference import short

ROOM = 1.25  # times the limit: what comes back may fill so much, so that the next compaction has time before the floor


@dataclass(frozen=True)
class Restored:
    """The context as it would be: its entries, the numbers of those that come back, how many do not find room."""

    entries: list[Entry]
    back: tuple[int, ...]
    over: int
    before: State
    """The state as it was before the swap."""


def undone(home: Home, view: View, self_id: str, swap: str, limits: tuple[int, int]) -> Restored:
    """What undoing the swap of this full id would make of a life; `limits` are the context's as set, and in force.
    Raises Trouble for no swap of this life, BlobMissing and BlobCorrupt."""
    at = next((offset for line, offset in receipt.swaps(home, self_id) if line.id == swap), None)
    if at is None:
        raise Trouble(f"agent {short(self_id)} has no swap {short(swap)}")
    before = replay.derive(home, self_id, limits[0], until=at).state
    full = replay.derive(home, self_id, limits[0], without=at).entries
    room = int(ROOM * limits[1] / view.state.model.ratio)
    bare = _said_once(home.store(), full, before)
    if sum(map(size, bare)) <= room:
        return Restored(bare, _back(view.entries, bare), 0, before)
    entries, over = _fitting(view.entries, full, room)
    return Restored(entries, _back(view.entries, entries), over, change(before, heard=view.state.heard))


def undo(session: Session, swap: str) -> bool:
    """Let the context be as if there had been no such swap; False when it is so already. Raises as `undone` does."""
    view = View(session.state, tuple(session.entries))
    limits = (session.settings.context_limit, session.limit)
    made = undone(session.home, view, session.id, swap, limits)
    if made.entries == session.entries:
        return False
    state, forgetting, heard = session.state, session.state.forgetting, session.state.heard
    ratio, there = state.model.ratio, {entry.number for entry in made.entries if entry.event != Faded.WORD}
    kept = dict.fromkeys((*made.before.forgetting.kept, *forgetting.kept))
    after = int(sum(map(size, made.entries)) * ratio)
    left = change(
        forgetting,
        compaction=None,
        spare={},
        kept=tuple(number for number in kept if number in there),
        settled=after,
        back=made.back,
        unsaid="",
    )
    new = change(state, forgetting=left, heard=change(heard, shown=made.before.heard.shown))
    session.swap(made.entries, Swap("unfade", f"{session.tokens}->{after}", swap), new)
    return True


def grant(session: Session, wish: Path) -> bool:
    """Grant the wish in this file: the full id of what the swap left that shall be undone. False when nothing comes of
    it; what cannot be granted is told."""
    done = False
    try:
        done = undo(session, disk.read(wish).decode("utf-8", "replace").strip())
    except (Trouble, ValueError) as wrong:
        session.record(Error(f"unfade: {wrong}"))
    disk.remove(wish)
    return done


def _said_once(store: Blobs, entries: Sequence[Entry], before: State) -> list[Entry]:
    """The entries without what swaps after `before` said again: the context shows it further up."""
    found, told, due = list[Entry](), set[str](), before.forgetting.restate
    for entry in entries:
        if (
            entry.event in AGAIN
            and entry.event != Daily.WORD
            and entry.line.detail != "edited"
            and entry.number > before.number
        ):
            again = entry.line.id in told if entry.event == Document.WORD else not due
            due = due and entry.event != Recent.WORD
            if again:
                found.append(_bare(store, entry))
                continue
        if entry.event == Document.WORD and not entry.stripped:
            told.add(entry.line.id)
        found.append(entry)
    return found


def _bare(store: Blobs, entry: Entry) -> Entry:
    return context.entry(entry.line, entry.number, lambda id: store.get(id).body, 0, stripped=True) or entry


def _fitting(now: Sequence[Entry], full: Sequence[Entry], room: int) -> tuple[list[Entry], int]:
    """The context with as much of the full one in it as there is room for: the most relevant summaries give way first,
    of equals the newest, then what was stripped; and how many stay."""
    left, chosen, over = room - sum(map(size, now)), dict[int, list[Entry]](), 0
    units = [(one, whole) for one, whole in receipt.units(now, full) if whole and whole != [one]]
    for one, whole in sorted(units, key=lambda unit: (-receipt.relevance(unit[0]), -unit[0].number)):
        more = sum(map(size, whole)) - size(one)
        if more <= left:
            left -= more
            chosen[one.number] = whole
        else:
            over += 1
    entries = [each for one in now for each in chosen.get(one.number, [one])]
    return sorted(entries, key=lambda entry: entry.number), over


def _back(now: Sequence[Entry], then: Sequence[Entry]) -> tuple[int, ...]:
    """The numbers of what stands in the context then for a summary of now."""
    known = {entry.line for entry in now}
    return tuple(entry.number for entry in then if entry.line not in known)
