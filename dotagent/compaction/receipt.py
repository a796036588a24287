"""The receipt of a swap: the entries that left the context, their summaries, and stripped and restored entries.

It is not stored, but computed as the difference between the context before and after a swap, entry by entry, so its
sums are exact to the byte. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dotagent.life import context, events, fold, replay
from dotagent.life.context import Entry
from dotagent.life.events import Faded, Swap
from dotagent.store import log, log_search
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.text.lazy import dataclass


@dataclass(frozen=True)
class Amount:
    """Numbers of entries, estimated tokens, and bytes as in context.md."""

    entries: int = 0
    tokens: int = 0
    bytes: int = 0

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.entries - other.entries, self.tokens - other.tokens, self.bytes - other.bytes)


@dataclass(frozen=True)
class Change:
    """One change: entries that became a summary (`summed`), became smaller (`stripped`, `cut`) or larger (`back`)."""

    how: str
    first: int
    last: int
    was: Amount
    now: Amount
    entry: Entry
    """The summary's entry, or the changed one."""


@dataclass(frozen=True)
class Receipt:
    """The effect of a swap: its line in LIFE, the context before and after, and each change."""

    swap: Line
    was: Amount
    now: Amount
    items: tuple[Change, ...]

    def left(self, *ways: str) -> Amount:
        """Return what left the context by changes of these kinds, or by all."""
        found = [one.was - one.now for one in self.items if not ways or one.how in ways]
        return Amount(*(sum(getattr(one, name) for one in found) for name in ("entries", "tokens", "bytes")))


def swaps(home: Home, self_id: str) -> Iterator[tuple[Line, int]]:
    """Yield each swap of an agent, oldest first, with the byte offset of its line."""
    path = home.agent(self_id) / "LIFE.md"
    return ((line, log.begin(path, line)) for line in log_search.picked(path, (Swap.WORD,)))


def last(home: Home, self_id: str) -> Line | None:
    """Return the last swap that removed something and was not undone, or None."""
    standing = list[Line]()
    for line, _ in swaps(home, self_id):
        event = events.parse(line)
        if isinstance(event, Swap) and event.undoes:
            at = next((at for at, one in enumerate(standing) if one.id == event.undoes), len(standing))
            del standing[at:]
        elif event:
            standing.append(line)
    return standing[-1] if standing else None


def receipt(home: Home, self_id: str, limit: int, swap: Line, offset: int) -> Receipt:
    """Return the receipt of a swap. Raises BlobMissing, BlobCorrupt, and ValueError if the context after it is
    unreadable."""
    (_, was), steps = replay.read_since_swap(home, self_id, limit, offset, offset, fold.sized)
    was += [step.entry for step in steps if step.entry]
    now = replay.swapped(home.store(), swap, limit)[1]
    return Receipt(swap, amount(was), amount(now), tuple(items(was, now)))


def amount(entries: Sequence[Entry]) -> Amount:
    """Return the total size of the entries."""
    return Amount(len(entries), sum(map(replay.size, entries)), sum(len(context.render(one)) for one in entries))


def items(was: Sequence[Entry], now: Sequence[Entry]) -> list[Change]:
    """Return the differences between two contexts of an agent, in order."""
    found = list[Change]()
    for one, members in units(now, was):
        if members and [entry.line for entry in members] != [one.line]:
            found.append(Change("summed", *span(one), amount(members), amount([one]), one))
        elif members and members != [one]:
            grown = len(context.render(one)) > len(context.render(members[0]))
            how = "back" if grown else "stripped" if one.stripped else "cut"
            found.append(Change(how, *span(one), amount(members), amount([one]), one))
    summed = {item.first for item in found if item.how == "summed"}
    for one, members in units(was, now):
        if members and [entry.line for entry in members] != [one.line] and one.number not in summed:
            found.append(Change("back", *span(one), amount([one]), amount(members), one))
    return sorted(found, key=lambda item: (item.first, item.last))


def units(summed: Sequence[Entry], plain: Sequence[Entry]) -> list[tuple[Entry, list[Entry]]]:
    """Return each entry of one context with the entries of the other that are equal, or that it covers.

    A summary covers the entries between its first and last number, except entries that exist separately or are covered
    by a summary inside.
    """
    known, found = {entry.line for entry in plain}, dict[Line, list[Entry]]({entry.line: [] for entry in summed})
    covering = [entry for entry in summed if entry.event == Faded.WORD and entry.line not in known]
    covering.sort(key=lambda one: span(one)[1] - one.number)
    for entry in plain:
        first, last = span(entry)
        over = next((one for one in covering if one.number <= first and last <= span(one)[1]), entry)
        if line := next((one.line for one in (entry, over) if one.line in found), None):
            found[line].append(entry)
    return [(entry, found[entry.line]) for entry in summed]


def relevance(entry: Entry) -> int:
    """Return a summary's relevance, or 0 for another entry."""
    event = events.parse(entry.line)
    return event.relevance if isinstance(event, Faded) else 0


def span(entry: Entry) -> tuple[int, int]:
    """Return the first and the last number that an entry covers."""
    event = events.parse(entry.line)
    return entry.number, event.last if isinstance(event, Faded) else entry.number
