"""What a person may have meant."""

from __future__ import annotations

from dotagent.text import near


def test_the_nearest_word_is_named_and_none_that_is_far() -> None:
    assert near.hint("stauts", ["agents", "status"]) == ": did you mean status?"
    assert near.hint("xyzzy", ["agents", "status"]) == "."
    assert near.hint("x", []) == "."
