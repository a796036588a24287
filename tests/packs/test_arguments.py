"""A call's arguments against a tool's JSON schema."""

from __future__ import annotations

import pytest

from dotagent.capabilities.toolpacks import arguments
from dotagent.capabilities.toolpacks.site import NotDone

LETTERS = r"^\p{L}+$"


def schema(**rules: object) -> dict[str, object]:
    return {"type": "object", "properties": {"a": rules}}


@pytest.mark.parametrize("value", [19.99, 8.2, 0.07, 4.35, 1e300, 0, -0.03])
def test_an_amount_of_cents_is_a_multiple_of_a_cent(value: float) -> None:
    arguments.check(schema(type="number", multipleOf=0.01), {"a": value})


@pytest.mark.parametrize(("value", "step"), [(19.995, 0.01), (7, 2), (0.5, 1)])
def test_another_number_is_none(value: float, step: float) -> None:
    with pytest.raises(NotDone, match=rf"a: {value} is not a multiple of {step}"):
        arguments.check(schema(type="number", multipleOf=step), {"a": value})


@pytest.mark.parametrize(
    "pattern", [LETTERS, r"^[\p{Lu}\d]+$", r"^(?<year>\d{4})$", r"\u{1F600}", r"\cJ", r"^\\\p{L}", "^[a-z]+$"]
)
def test_a_pattern_of_javascript_spoils_no_tool(pattern: str) -> None:
    assert arguments.flaw(schema(type="string", pattern=pattern)) == ""
    named = {"patternProperties": {pattern: {}}, "additionalProperties": False, "unevaluatedProperties": False}
    assert arguments.flaw(named) == ""
    arguments.check({**schema(type="string", pattern=pattern), "patternProperties": {LETTERS: {}}}, {"a": "letters"})
    arguments.check({**named, "patternProperties": {pattern: {}, LETTERS: {}}}, {"b": 1})


@pytest.mark.parametrize("pattern", ["[", r"^\p{L}+(", r"\\p{L}(", "a{2}{3}("])
def test_a_pattern_that_nobody_can_read_is_a_flaw(pattern: str) -> None:
    assert "is not a 'regex'" in arguments.flaw(schema(type="string", pattern=pattern))


def test_a_pattern_of_both_is_checked() -> None:
    with pytest.raises(NotDone, match="a: '7' does not match"):
        arguments.check(schema(type="string", pattern="^[a-z]+$"), {"a": "7"})
    with pytest.raises(NotDone, match="not match any of the regexes"):
        arguments.check({"patternProperties": {"^a": {}}, "additionalProperties": False}, {"b": 1})
