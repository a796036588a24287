"""YAML as version 1.2 reads it: what older readers take for a truth value, a number or a date stays the text it is."""

from __future__ import annotations

import pytest

from dotagent.text import yaml_values


@pytest.mark.parametrize("text", ["NO", "yes", "on", "22:30", "007", "2026-01-01", "0x10", "1_000", "1.2.3", "+1", "."])
def test_texts_stay_texts(text: str) -> None:
    assert yaml_values.read(f"a: {text}\n{text}: b") == {"a": text, text: "b"}


def test_numbers_truth_values_and_nothing_are_those_of_json() -> None:
    assert yaml_values.read("[-3, 0, 1.50, 2e3, true, FALSE, null, ~, '5']") == [
        -3, 0, 1.5, 2000.0, True, False, None, None, "5"
    ]  # fmt: skip
    assert yaml_values.read("a:\nb: {<<: {c: 1}, d: 2}") == {"a": None, "b": {"c": 1, "d": 2}}
    assert yaml_values.read("") is None


@pytest.mark.parametrize("text", ["[1, 2", "a: b: c", "!!python/name:os.system", "a: &b [*c]"])
def test_what_is_not_yaml_is_one_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"line 1|constructor"):
        yaml_values.read(text)
