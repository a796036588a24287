"""Tables: aligned, never wider than a screen, nothing lost where a column may go on below."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT

from dotagent.text import table
from dotagent.text.table import WIDTH, columns


def test_words_stand_left_and_numbers_right() -> None:
    assert list(table.table(("room", ">bytes", "last"), [("dev", "14", "now"), ("trip-to-kyoto", "1,234", "")])) == [
        "room           bytes  last",
        "dev               14  now",
        "trip-to-kyoto  1,234",
    ]


def test_it_counts_what_a_terminal_counts() -> None:
    shown = list(table.table(("name", "x"), [("京都", "1"), ("e\u0301", "2"), ("👍", "3")]))
    assert shown == ["name  x", "京都  1", "e\u0301     2", "👍    3"]


def test_the_widest_is_cut_and_an_ellipsis_says_so() -> None:
    shown = list(table.table(("id", "gist", "x"), [("a" * 12, "word " * 40, "end")]))
    assert columns(shown[1]) <= WIDTH and re.fullmatch("a{12}  word .*word… +end", shown[1])


def test_it_is_as_wide_as_it_may_be() -> None:
    for width in (60, 80):
        for wrap in (False, True):
            rows = table.table(("id", "gist", "text"), [("a" * 12, "word " * 9, "word " * 40)], wrap=wrap, width=width)
            assert max(map(columns, rows)) <= width


def test_the_last_may_go_on_below() -> None:
    text = " ".join(f"word{number}" for number in range(60))
    shown = list(table.table(("id", "text"), [("a" * 12, text), ("b", "short")], wrap=True))
    assert " ".join(" ".join(line.removeprefix("a" * 12) for line in shown[1:-1]).split()) == text
    assert all(line.startswith(" " * 14 + "word") for line in shown[2:-1]) and shown[-1] == "b             short"


def test_what_is_too_long_without_a_space_is_broken_all_the_same() -> None:
    assert table.wrapped("x" * 250) == ["x" * 100, "x" * 100, "x" * 50]
    assert table.wrapped("") == [""]


@pytest.mark.slow
@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT, ANY_TEXT), max_size=5), st.booleans())
def test_no_line_is_wider_than_a_screen_and_no_cell_makes_a_row(rows: list[tuple[str, str, str]], wrap: bool) -> None:
    wide = [tuple(cell * 20 for cell in row) for row in rows]
    for given_rows in (rows, wide):
        shown = list(table.table(("one", ">two", "three"), given_rows, wrap=wrap))
        assert all(columns(line) <= WIDTH for line in shown)
        assert not any(end in line for line in shown for end in "\n\r\t\x1b")
        assert wrap or len(shown) == 1 + len(rows)
