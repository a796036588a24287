"""What a person may have meant."""

from __future__ import annotations

from dotagent.text import near


def test_the_nearest_word_is_named_and_none_that_is_far() -> None:
    assert near.hint("stauts", ["agents", "status"]) == ": did you mean status?"
    assert near.hint("xyzzy", ["agents", "status"]) == "."
    assert near.hint("x", []) == "."


def test_what_is_wrong_with_a_table_is_told_with_all_that_there_is() -> None:
    rules: dict[str, near.Rule] = {"room": (lambda value: value == "dev", "must be dev"), "at": (bool, "must be said")}
    assert near.flaw({"room": "dev", "at": 1}, rules, "unknown") == near.flaw({}, rules, "unknown") == ""
    assert near.flaw({"room": "dev", "at": 0}, rules, "unknown") == "at must be said"
    assert near.flaw({"rom": 1}, rules, "unknown") == "unknown 'rom': did you mean room? There are room, at"
    assert near.among("x", []) == ". There are none"
