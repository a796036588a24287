"""The receipt of a swap, for any two contexts: also where summaries of the one overlap summaries of the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dotagent.compaction import receipt
from dotagent.life import context
from dotagent.life.context import Entry
from dotagent.life.events import Faded
from dotagent.store.log import Line

AT = "2026-01-01T00:00:00.{:06d}Z"
MOST = 24  # entries of a life


def said(number: int) -> Entry:
    line = Line(AT.format(number), "HEAR", "dev 114 a204f28e6e4c USER:ana", f"{number:032x}", "said")
    made = context.entry(line, number, lambda id: b"x" * number, 1000)
    assert made
    return made


def summary(first: int, last: int, salt: int) -> Entry:
    line = Line(AT.format(first), "FADED", Faded(f"{first}-{last}", salt).detail(), f"{first:030x}{last:02x}", "sum")
    made = context.entry(line, first, lambda id: b"s" * (first + salt), 1000)
    assert made
    return made


@st.composite
def contexts(draw: st.DrawFn) -> list[Entry]:
    """A context of MOST entries: some by themselves, some in summaries, and some kept inside a summary's span."""
    made, at = list[Entry](), 1
    while at <= MOST:
        last = min(MOST, at + draw(st.sampled_from([0, 0, 1, 3, 8])))
        kept = draw(st.sets(st.integers(at, last), max_size=2))
        inside = [number for number in range(at, last + 1) if number not in kept]
        if last > at and inside:
            made.append(summary(inside[0], inside[-1], draw(st.integers(0, 9))))
            made += map(said, sorted(kept))
        else:
            made += map(said, range(at, last + 1))
        at = last + 1
    return sorted(made, key=lambda entry: entry.number)


@given(contexts(), contexts())
def test_what_left_is_the_difference_to_the_byte(was: list[Entry], now: list[Entry]) -> None:
    found = receipt.Receipt(was[0].line, receipt.amount(was), receipt.amount(now), tuple(receipt.items(was, now)))
    assert found.left() == found.was - found.now


@given(contexts(), contexts())
def test_each_entry_is_in_one_part(first: list[Entry], second: list[Entry]) -> None:
    parts = receipt.matched(first, second)
    assert sorted((one for part in parts for one in part[0]), key=lambda one: one.number) == first
    assert sorted((one for part in parts for one in part[1]), key=lambda one: one.number) == second


def test_a_summary_matches_the_entries_that_it_replaced() -> None:
    was = [said(1), said(2), said(3), said(4)]
    now = [summary(1, 3, 5), said(2), said(4)]
    assert receipt.matched(was, now) == [
        ([said(1), said(3)], [summary(1, 3, 5)]),
        ([said(2)], [said(2)]),
        ([said(4)], [said(4)]),
    ]
    assert [(one.how, one.first, one.last) for one in receipt.items(was, now)] == [("summed", 1, 3)]
    assert [(one.how, one.first, one.last) for one in receipt.items(now, was)] == [("back", 1, 3)]
