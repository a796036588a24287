"""What a person may have meant."""

from __future__ import annotations

from dotagent.text import suggestions


def test_the_nearest_word_is_named_and_none_that_is_far() -> None:
    assert suggestions.hint("stauts", ["agents", "status"]) == ": did you mean status?"
    assert suggestions.hint("xyzzy", ["agents", "status"]) == "."
    assert suggestions.hint("x", []) == "."
    assert suggestions.hint("--wrong", ["--json"]) == "."  # only the dashes are alike
    assert suggestions.hint("--jsn", ["--json"]) == ": did you mean --json?"
    assert suggestions.suggest_all("x", []) == ". Possible names: none"
