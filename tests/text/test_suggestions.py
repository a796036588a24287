"""What a person may have meant."""

from __future__ import annotations

from dotagent.text import suggestions


def test_the_nearest_word_is_named_and_none_that_is_far() -> None:
    assert suggestions.hint("stauts", ["agents", "status"]) == ": did you mean status?"
    assert suggestions.hint("xyzzy", ["agents", "status"]) == "."
    assert suggestions.hint("x", []) == "."
    assert suggestions.hint("--wrong", ["--json"]) == "."  # only the dashes are alike
    assert suggestions.hint("--jsn", ["--json"]) == ": did you mean --json?"


def test_what_is_wrong_with_a_table_is_told_with_all_that_there_is() -> None:
    rules: dict[str, suggestions.Rule] = {
        "room": (lambda value: value == "dev", "must be dev"),
        "at": (bool, "must be said"),
    }
    assert suggestions.flaw({"room": "dev", "at": 1}, rules, "unknown") == suggestions.flaw({}, rules, "unknown") == ""
    assert suggestions.flaw({"room": "dev", "at": 0}, rules, "unknown") == "at must be said"
    assert (
        suggestions.flaw({"rom": 1}, rules, "unknown") == "unknown 'rom': did you mean room? Possible names: room, at"
    )
    assert suggestions.suggest_all("x", []) == ". Possible names: none"
