"""The receipt of a swap: the entries that left the context, their summaries, and stripped and restored entries.

It is not stored, but computed as the difference between the context before and after a swap, entry by entry, so its
sums are exact to the byte. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dotagent.life import context, events, fold, replay
from dotagent.life.context import Entry, tokens_of
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
    return Amount(len(entries), tokens_of(entries), sum(len(context.render(one)) for one in entries))


def items(was: Sequence[Entry], now: Sequence[Entry]) -> list[Change]:
    """Return the differences between two contexts of an agent, in order."""
    found = list[Change]()
    for before, after in matched(was, now):
        if before == after:
            continue
        one, how = _first_summary(after), "summed"
        if [entry.line for entry in before] == [entry.line for entry in after]:
            one = after[0]
            grown = len(context.render(one)) > len(context.render(before[0]))
            how = "back" if grown else "stripped" if one.stripped else "cut"
        elif one is None or len(before) < len(after):
            one, how = _first_summary(before) or one or (before or after)[0], "back"
        found.append(Change(how, *span(one), amount(before), amount(after), one))
    return sorted(found, key=lambda item: (item.first, item.last))


def matched(first: Sequence[Entry], second: Sequence[Entry]) -> list[tuple[list[Entry], list[Entry]]]:
    """Return two contexts of an agent in parts that match, in order. A part is an entry that both have, or the smallest
    group of entries on each side that stand for the same originals.

    Usually one side of a group is a single summary. It has several if summaries of the two contexts overlap.
    """
    both = {entry.line for entry in first} & {entry.line for entry in second}
    pairs, groups, reach = dict[Line, tuple[list[Entry], list[Entry]]](), list[tuple[list[Entry], list[Entry]]](), 0
    sides = [(entry, side) for side, entries in enumerate((first, second)) for entry in entries]
    for entry, side in sorted(sides, key=lambda one: one[0].number):
        if entry.line in both:
            pairs.setdefault(entry.line, ([], []))[side].append(entry)
            continue
        if entry.number > reach:
            groups.append(([], []))
        reach = max(reach, span(entry)[1])
        groups[-1][side].append(entry)
    return sorted([*pairs.values(), *groups], key=lambda part: (part[0] or part[1])[0].number)


def _first_summary(entries: Sequence[Entry]) -> Entry | None:
    return next((entry for entry in entries if entry.event == Faded.WORD), None)


def relevance(entry: Entry) -> int:
    """Return a summary's relevance, or 0 for another entry."""
    event = events.parse(entry.line)
    return event.relevance if isinstance(event, Faded) else 0


def span(entry: Entry) -> tuple[int, int]:
    """Return the first and the last number that an entry covers."""
    event = events.parse(entry.line)
    return entry.number, event.last if isinstance(event, Faded) else entry.number
