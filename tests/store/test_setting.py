"""The rules for settings, and what is wrong with a table."""

from __future__ import annotations

from dotagent.store import setting


def test_what_is_wrong_with_a_table_is_told_with_all_that_there_is() -> None:
    rules: dict[str, setting.Rule] = {
        "room": (lambda value: value == "dev", "must be dev"),
        "at": (bool, "must be said"),
    }
    assert setting.flaw({"room": "dev", "at": 1}, rules, "unknown") == setting.flaw({}, rules, "unknown") == ""
    assert setting.flaw({"room": "dev", "at": 0}, rules, "unknown") == "at must be said"
    assert setting.flaw({"rom": 1}, rules, "unknown") == "unknown 'rom': did you mean room? Possible names: room, at"
