"""How a message looks: rows that fit, nothing lost, nobody's words at the place of a name."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT
from unkind import KIND
from wcwidth import wcswidth

from dotagent.store.rooms import Message
from dotagent.terminal import appearance
from dotagent.terminal.appearance import Look
from dotagent.text import escape, tag, times

STYLE = re.compile(r"\x1b\[[0-9;]*m")
WORDS = (
    st.sampled_from(["word", " ", "  ", "\n", "\n  ", "日本語", "a-b", "👩‍👩‍👧", "e\u0301", "x" * 50, *KIND]) | ANY_TEXT
)


def message(text: str, kind: str = "USER", at: str = "2026-01-02T12:00:00Z") -> Message:
    return Message(kind, "bob", at, tag.render(kind, "bob", at, text).encode("utf-8", "replace"), 0)


@given(st.lists(WORDS, max_size=20).map("".join).map(escape.printable), st.integers(20, 90))
def test_lines_break_where_they_must_and_nothing_is_lost(text: str, columns: int) -> None:
    rows = appearance.wrapped(text, columns)
    assert "".join(rows.split()) == "".join(text.split())
    assert max(map(wcswidth, rows.split("\n"))) <= columns
    assert escape.printable(rows) == rows


@given(st.lists(WORDS, max_size=20).map("".join), st.integers(1, 90), st.sampled_from(["USER", "AGENT"]), st.booleans())
def test_whatever_is_said_only_its_first_row_begins_at_the_edge(
    text: str, columns: int, kind: str, timed: bool
) -> None:
    shown = Look("ana", timed=timed).message(message(text, kind), columns)
    first, *further = STYLE.sub("", shown).split("\n")
    assert first.removeprefix("2026-01-02 12:00 ").startswith("bob:")
    assert all(row.startswith("  ") or not row for row in further)
    assert escape.printable(STYLE.sub("", shown)) == STYLE.sub("", shown)


@given(ANY_TEXT, st.integers(10, 90))
def test_a_row_of_ours_is_one_row(text: str, columns: int) -> None:
    row = appearance.row(text, columns)
    assert "\n" not in row and wcswidth(row) <= columns and escape.printable(row) == row


def test_a_long_word_behind_a_line_end_stays_indented() -> None:
    shown = Look("ana").message(message("hi\nana:" + "x" * 60), 60)
    assert all(row.startswith("  ") for row in STYLE.sub("", shown).split("\n")[1:])


def test_the_clock_is_that_of_the_zone_that_settings_name() -> None:
    times.live_in("Asia/Tokyo")
    assert STYLE.sub("", Look("ana", timed=True).message(message("hi"), 60)) == "2026-01-02 21:00 bob: hi"


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00Z", "2026-13-01T00:00:00Z", "9999-12-31T23:59:59Z", ""])
def test_a_time_that_no_clock_shows_is_no_trouble(at: str) -> None:
    assert "bob" in Look("ana", timed=True).message(message("hi", at=at), 40)
