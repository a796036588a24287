"""Sizes in tokens: the estimate costs nothing and is near enough; the exact count needs no network."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT, ROOT

from bench import exact
from dotagent.text import tokens

PROSE = (ROOT / "SOUL.md").read_text("utf-8")


@given(ANY_TEXT, st.text())
def test_the_estimate_grows_with_the_text(one: str, two: str) -> None:
    assert tokens.estimate(one) >= 1
    assert tokens.estimate(one + two) >= tokens.estimate(one)
    assert tokens.estimate(one) == tokens.estimate(one.encode("utf-8", "replace"))


def test_the_estimate_is_a_little_too_much_for_prose() -> None:
    counted = exact.count(PROSE)
    assert counted < tokens.estimate(PROSE) < 1.5 * counted


def test_exact_counts_are_those_of_cl100k() -> None:
    assert exact.count("") == 0
    assert exact.count("hello world") == 2
    assert exact.count("<|endoftext|>") > 1  # what looks like a marker is text
    assert exact.count("日本語") == 4
