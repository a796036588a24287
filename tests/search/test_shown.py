"""A reminder does not search what the context shows, and gives the same result as a search that does."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from talk import life, numbers, remembered, turn

from dotagent.search.index import Index
from dotagent.search.rank import PLACE, REACH, ROOM
from dotagent.search.shown import TOP, ShownTurns
from dotagent.search.table import PERSONS, Table

PLACES = st.tuples(st.integers(1, 3), st.integers(1, 60)).map(lambda one: one[0] * ROOM + one[1])
QUESTION = "Which seat did I book on the flight to Tokyo?"


@given(st.lists(st.lists(PLACES, max_size=40), max_size=4))
def test_the_ranges_leave_out_only_shown_turns_with_shown_neighbours(added: list[list[int]]) -> None:
    shown = ShownTurns()
    for places in added:
        shown.add(places)
    ranges = shown.ranges()
    assert ranges[0][1] == TOP and ranges[-1][0] == 0 and ranges == sorted(ranges, reverse=True)
    for place in {place + step for place in shown.places | {ROOM} for step in range(-REACH, REACH + 1)}:
        searched = any(low <= key <= high for low, high in ranges for key in (place * PLACE, place * PLACE + PLACE - 1))
        assert searched or {place + step for step in range(-REACH, REACH + 1)} <= shown.places


def test_a_long_context_is_neither_looked_up_again_nor_searched(tmp_path: Path) -> None:
    shown = list(range(3, 2000))
    life(tmp_path, *(turn(number, f"The flight to Tokyo is on day {number}.") for number in range(1, 2001))).close()
    (path,) = tmp_path.glob("*.db")
    table = Table(path)
    before = table.shown(shown)
    shown.append(2000)
    after = table.shown(shown)
    assert after is before and len(after.places) == 1998 and not after.due(2000)
    ((_, keys),) = table.leads(PERSONS, {("flight",): 2000}, after.ranges())
    assert {1, 2} < {row.number for row in table.rows(keys)} and len(keys) == 2 + 2 * REACH
    table.close()


def test_a_turn_that_is_filed_later_is_left_out_then(tmp_path: Path) -> None:
    index, shown = remembered(tmp_path), [900]
    index.remind(QUESTION, exclude=shown)
    index.add([turn(900, f"{QUESTION} 14A?"), turn(901, "The seat to Tokyo is 14A.")])
    found = set(numbers(index.remind(QUESTION, exclude=shown)))
    assert 901 in found and 900 not in found


@given(st.integers(5, 60), st.integers(0, 60), st.integers(1, 5))
def test_numbers_at_the_end_of_the_same_sequence_count(first: int, count: int, step: int) -> None:
    index = Index(Path("/nowhere/recall.db"))
    index.add([turn(n, f"The seat {n % 7} on the flight to Tokyo, day {n % 5}.") for n in range(1, 100)])
    shown = list(range(first, first + count, step))
    index.remind(QUESTION, exclude=shown)
    shown.extend(range(first + count, 90))
    grown = index.remind(QUESTION, exclude=shown)
    assert grown == index.remind(QUESTION, exclude=tuple(shown)) and not {*numbers(grown)} & {*shown}
