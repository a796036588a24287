"""Undo a swap at a person's request: the context is restored, with everything that happened since.

The new context is derived from LIFE and blobs without that swap and later ones, within the limit. The undo is itself a
swap, one line in LIFE, so a running agent and a replay reach the same state. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dotagent.compaction import receipt
from dotagent.errors import Misuse, Trouble
from dotagent.life import context, replay
from dotagent.life.context import Entry, tokens_of
from dotagent.life.events import Daily, Document, Error, Faded, Recent, Swap
from dotagent.life.heads import AGAIN
from dotagent.life.replay import View
from dotagent.life.session import Session
from dotagent.life.state import State, change
from dotagent.store import disk
from dotagent.store.blobs import Blobs
from dotagent.store.home import Home
from dotagent.text.lazy import dataclass, replace
from dotagent.text.reference import short
from dotagent.text.sizes import plural

ROOM = 1.25  # times the limit that restored entries may fill, so that the next compaction is not urgent


@dataclass(frozen=True)
class Restored:
    """The context after an undo: its entries, the numbers of restored ones, and how many do not fit."""

    entries: list[Entry]
    back: tuple[int, ...]
    over: int
    before: State
    """The state before the swap."""


def undone(home: Home, view: View, self_id: str, swap: str, limits: tuple[int, int]) -> Restored:
    """Return the result of undoing the swap with this full id. `limits` are the context's limits as set, and in effect.
    Raises Trouble if the agent has no such swap, BlobMissing and BlobCorrupt."""
    at = next((offset for line, offset in receipt.swaps(home, self_id) if line.id == swap), None)
    if at is None:
        raise Trouble(
            f"no summaries of agent {short(self_id)} have the id {short(swap)}; `forgotten --swaps` lists the ids"
        )
    before = replay.derive(home, self_id, limits[0], until=at).state
    full = replay.derive(home, self_id, limits[0], without=at).entries
    other = view.state.model.other
    now = [one.weighed(None, other) for one in view.entries]
    full = tuple(one.weighed(None, other) for one in full)
    room = int(ROOM * limits[1] / view.state.model.ratio)
    bare = _without_repeats(home.store(), full, before)
    if tokens_of(bare) <= room:
        return Restored(bare, _back(now, bare), 0, before)
    entries, over = _fitting(home.store(), now, full, room)
    return Restored(entries, _back(now, entries), over, change(before, heard=view.state.heard))


def undo(session: Session, swap: str) -> bool:
    """Undo the swap. Return False if that changes nothing. Raises the errors of `undone`."""
    view = View(session.state, session.entries)
    limits = (session.settings.context_limit, session.limit)
    made = undone(session.home, view, session.id, swap, limits)
    if made.entries == session.entries:
        return False
    state, forgetting, heard = session.state, session.state.forgetting, session.state.heard
    ratio, there = state.model.ratio, {entry.number for entry in made.entries if entry.event != Faded.WORD}
    kept = dict.fromkeys((*made.before.forgetting.kept, *forgetting.kept))
    after = int(tokens_of(made.entries) * ratio)
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
    """Handle the request in this file, which contains the full id of the swap to undo. Return False if nothing changed;
    failures are recorded."""
    done = False
    try:
        done = undo(session, disk.read(wish).decode("utf-8", "replace").strip())
    except (Trouble, ValueError) as wrong:
        session.record(Error(f"unfade: {wrong}"))
    disk.remove(wish)
    return done


def ask(home: Home, self_id: str, swap: str, setting: int) -> str:
    """Save the request to undo the swap with this full id, and say what will happen. `setting` is the context's limit
    as set. Raises Misuse if it would restore nothing, and the errors of `undone`."""
    path, view = home.agent(self_id), replay.derive(home, self_id, setting)
    made = undone(home, view, self_id, swap, (setting, replay.limit(setting, view.state)))
    if made.entries == list(view.entries):
        full = "the context has no space for more messages"
        why = full if made.over else "the context already contains everything that summaries replaced"
        raise Misuse(f"undoing swap {short(swap)} would bring back nothing: {why}")
    disk.make_dir(path / "run")
    disk.replace(path / "run" / "unfade", swap.encode())
    many = plural(sum(one.event != Faded.WORD for one in made.entries if one.number in made.back), "message")
    stay = plural(made.over, "summary stays", "summaries stay")
    rest = f", but {stay}, because the context has no space for more messages" if made.over else ""
    when = "now" if disk.is_locked(path / "LIFE.md") else "when the agent runs next"
    return f"{many} of swap {short(swap)} will come back {when}{rest}"


def _without_repeats(store: Blobs, entries: Sequence[Entry], before: State) -> list[Entry]:
    """Return the entries without what swaps after `before` repeated, because the context shows it earlier."""
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
                found.append(_strip_entry(store, entry))
                continue
        if entry.event == Document.WORD and not entry.stripped:
            told.add(entry.line.id)
        found.append(entry)
    return found


def _strip_entry(store: Blobs, entry: Entry) -> Entry:
    made = context.entry(entry.line, entry.number, store.body, 0, stripped=True)
    return replace(made, other=entry.other) if made else entry


def _fitting(store: Blobs, now: Sequence[Entry], full: Sequence[Entry], room: int) -> tuple[list[Entry], int]:
    """Return the context with as much of the full one as fits, and how many summaries stay. The most relevant summaries
    are expanded first, then the newest, then stripped entries.

    A summary stays if the full context has a part of it only inside another summary, which reaches further. This
    happens when an earlier undo is undone."""
    left, chosen, over = room - tokens_of(now), list[Entry](), 0

    def rank(part: tuple[list[Entry], list[Entry]]) -> tuple[int, int]:
        return max(map(receipt.relevance, part[0]), default=0), max((one.number for one in part[0]), default=0)

    for one, whole in sorted(receipt.matched(now, full), key=rank, reverse=True):
        more = tokens_of(whole) - tokens_of(one)
        fits = one == whole or more <= left
        left -= more if fits else 0
        over += 0 if fits else 1
        chosen += whole if fits else one
    return sorted(chosen, key=lambda entry: entry.number), over


def _back(now: Sequence[Entry], then: Sequence[Entry]) -> tuple[int, ...]:
    """Return the numbers of the entries that replace a summary of the present context."""
    known = {entry.line for entry in now}
    return tuple(entry.number for entry in then if entry.line not in known)
