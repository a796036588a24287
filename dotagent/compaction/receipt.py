"""The receipt of a swap: what exactly left the context, which summary covers it, what was stripped, what came back.

Nothing of it is stored: it is the difference between what LIFE and blobs say of the context before a swap and after
it, entry by entry, so its sums are the context's own to the byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dotagent.life import context, events, replay
from dotagent.life.context import Entry
from dotagent.life.events import Faded, Swap
from dotagent.store import log
from dotagent.store.home import Home
from dotagent.store.log import Line


@dataclass(frozen=True)
class Amount:
    """So many entries, tokens by the plain estimate, and bytes as they stand in context.md."""

    entries: int = 0
    tokens: int = 0
    bytes: int = 0

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.entries - other.entries, self.tokens - other.tokens, self.bytes - other.bytes)


@dataclass(frozen=True)
class Change:
    """One change: entries that became a summary (`summed`), less of themselves (`stripped`, `cut`) or more (`back`)."""

    how: str
    first: int
    last: int
    was: Amount
    now: Amount
    entry: Entry
    """The summary's entry; else the changed one."""


@dataclass(frozen=True)
class Receipt:
    """What a swap did: its line in LIFE, the context before and after, and each change in it."""

    swap: Line
    was: Amount
    now: Amount
    items: tuple[Change, ...]

    def left(self, *ways: str) -> Amount:
        """What left the context by changes of these kinds, or by all."""
        found = [one.was - one.now for one in self.items if not ways or one.how in ways]
        return Amount(*(sum(getattr(one, name) for one in found) for name in ("entries", "tokens", "bytes")))


def swaps(home: Home, self_id: str) -> Iterator[tuple[Line, int]]:
    """Each swap of a life, oldest first, and the byte offset at which its line begins."""
    begin = 0
    for end, line in log.picked(home.agent(self_id) / "LIFE.md", 0, (Swap.WORD,)):
        if line:
            yield line, begin
        begin = end


def last(home: Home, self_id: str) -> Line | None:
    """The last swap that made something leave and that no person undid."""
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
    """The receipt of a swap. Raises BlobMissing, BlobCorrupt, and ValueError where what it left cannot be read."""
    was = replay.derive(home, self_id, limit, until=offset).entries
    now = replay.swapped(home.store(), swap, limit)[1]
    return Receipt(swap, amount(was), amount(now), tuple(items(was, now)))


def amount(entries: Sequence[Entry]) -> Amount:
    """How much the entries are."""
    return Amount(len(entries), sum(map(replay.size, entries)), sum(len(context.render(one)) for one in entries))


def items(was: Sequence[Entry], now: Sequence[Entry]) -> list[Change]:
    """What is different between two contexts of a life, in order."""
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
    """Each entry of the one context with those of the other that are the same, or that it covers.

    A summary covers what lies between its first and last number, but for what stands for itself there or is covered by
    one within.
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
    """How relevant a summary is; 0 for an entry that is none."""
    event = events.parse(entry.line)
    return event.relevance if isinstance(event, Faded) else 0


def span(entry: Entry) -> tuple[int, int]:
    """The first and the last number that an entry stands for."""
    event = events.parse(entry.line)
    return entry.number, event.last if isinstance(event, Faded) else entry.number
