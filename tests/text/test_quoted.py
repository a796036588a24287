"""What counts as said word for word, and what does not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.text import quoted

SAID = quoted.plain("Please run `make test`, then mail Bo@example.org on January 11th 2025 at 10:00: the grocery list.")


@pytest.mark.parametrize("value", [
    "make test", "MAKE  test", "bo@example.org", "2025-01-11 10:00", "grocery-list", "2025-01-11", "",
])  # fmt: skip
def test_what_stands_there(value: str) -> None:
    assert quoted.stands(value, [SAID])


@pytest.mark.parametrize("value", [
    "make", "make test; rm x", "test make", "ake test", "evilbo@example.org", "2024-01-11", "2025-01-12", "11:00",
    "10:00 2", "--", "rm",
])  # fmt: skip
def test_what_does_not(value: str) -> None:
    assert quoted.stands(value, [SAID]) == (value == "make")


def test_addresses_are_found_in_a_text() -> None:
    found = list(quoted.addresses("see www.evil.example/x, or (https://a.example/?q=1) or mail a.b@c.example."))
    assert found == ["www.evil.example/x", "https://a.example/?q=1", "a.b@c.example"]


def test_many_texts_are_looked_at_as_one() -> None:
    words = quoted.Texts()
    for text in (SAID, quoted.plain("what else there is"), quoted.plain("x" * 300 + " " + "word " * 100)):
        words.add(text)
    assert all(map(words.hold, ("make test", "2025-01-11 10:00", "what else", "", "word " * 99)))
    assert not any(map(words.hold, ("make test what", "word " * 101, "else what", "10:01", "word " * 60 + "what")))


@pytest.mark.parametrize("said, value, open", [
    ("call it 'Dinner at {restaurant}', it's late", "Dinner at Le Baratin", ("Le Baratin",)),
    ('title "Hotel: {name}, {city}"', "hotel: Good Night, Paris", ("Good Night", "Paris")),
    ("call it 'Dinner at {restaurant}'", "Dinner at www.evil.example", ()),
    ("call it 'Dinner at {restaurant}'", "Dinner at evil.example", ()),
    ("call it 'Dinner at {restaurant}'", "Dinner at a; rm -r b", ()),
    ("call it 'Dinner at {restaurant}'", "Dinner at x\nand more", ()),
    ("call it 'Dinner at {restaurant}'", "Dinner at one two three four five six seven eight nine", ()),
    ("call it 'Dinner at {restaurant}'", "Evil Dinner at x", ()),
    ("call it '{name}'", "anything", ()),
    ("call it Dinner at {restaurant}", "Dinner at x", ()),
    ("the channel starting with External", "External_0", ("External_0",)),
    ("der Kanal, der mit Ext anfängt", "Ext_0", ()),
    ("beginnt mit Ext", "Ext_0", ("Ext_0",)),
    ("the channel starting with External", "External evil words", ()),
    ("the channel starting with External", "External.evil", ()),
])  # fmt: skip
def test_what_somebody_left_open_is_filled_in_by_a_few_plain_words(
    said: str, value: str, open: tuple[str, ...]
) -> None:
    assert next(filter(None, (form.filled(value) for form in quoted.forms(said))), ()) == open


PIECES = ["a", "b1", ".", "@", "+", "-", "www.", "://", "/", " ", "<", "x.com", "http://", "_", "'", "é"]
PLAINLY = re.compile(r"[\w.+-]+@[\w.-]+\.\w+|(?:\w+://|\bwww\.)[^\s<>\"')]*[\w/]")


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_addresses_are_those_that_the_plain_pattern_finds_which_takes_the_square_of_the_time(text: str) -> None:
    assert list(quoted.addresses(text)) == PLAINLY.findall(text)
