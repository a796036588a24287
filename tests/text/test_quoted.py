"""What counts as said word for word, and what does not."""

from __future__ import annotations

import pytest

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
