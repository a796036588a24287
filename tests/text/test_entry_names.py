"""Names of entries as models write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.text.entry_names import Named, find_name

ID = "9f8e7d6c5b4a"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("412", Named("", 412, marked=False)),
        ("#412 please", Named("", 412)),
        ("entry 412", Named("", 412)),
        ("entries 412-430 full", Named("", 412, full=True)),
        ("412 3", Named("", 412, page=3, marked=False)),
        (f"{ID} page 2", Named(ID, 0, page=2)),
        (f"{ID.upper()} 2", Named(ID, 0, page=2)),
        (f"{ID} full 2", Named(ID, 0, page=2, full=True)),
        (f"◱hash={ID} gist=Ana's flight to Tokyo: QF12, 3 May◲", Named(ID, 0)),
        (f"12 or {ID}", Named(ID, 0, only=False)),
        ("seat 14A", None),
        ("number 0", None),
        ("number 0, so #007", Named("", 7, only=False)),
        ("the flight of 3 May", Named("", 3, only=False, marked=False)),
    ],
)
def test_what_is_named(text: str, name: Named | None) -> None:
    assert find_name(text) == name


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_names_something_or_nothing(before: str, after: str) -> None:
    found = find_name(f"{before} #412 {after}")
    assert found and (found.id or found.number) and found.page >= 0
    find_name(before + after)
