"""One thing in several spellings is one thing; another that only looks like it is not."""

from __future__ import annotations

import pytest

from dotagent.erasure import spellings


def same(one: str, other: str) -> bool:
    return bool(spellings.forms(spellings.names(one)) & spellings.forms(spellings.names(other)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("her phone: +1-415-555-0123.", "415-555-0123"),
        ("550e8400-e29b-41d4-a716-446655440000", "550E8400E29B41D4A716446655440000"),
        ("4111-1111-1111-1111", "4111111111111111"),
        ("123-45-6789", "123456789"),
        ('"john.doe"@company.com', "john.doe@company.com"),
        ("ada+promo@example.com", "Ada@example.com"),
        ("192.168.001.005", "(192.168.1.5)"),
        ("2025-12-25", "12/25/2025"),
        ("25.12.2025", "2025-12-25"),
    ],
)
def test_the_same(one: str, other: str) -> None:
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("order_2024_001", "order_2024_0010"),
        ("alice@acme.io", "alice.smith@acme.io"),
        ("bob@example.com", "bob@example.com.uk"),
        ("TKT-100", "TKT-1000"),
        ("4711", "4711"),  # too short to be known without its words
        ("192.168.1.5", "192.168.1.50"),
        ("2025-12-25", "2025-12-24"),
        ("415-555-0123", "415-555-0124"),
    ],
)
def test_another(one: str, other: str) -> None:
    assert not same(one, other)


def test_what_names_nothing() -> None:
    assert spellings.names("The cafeteria is closed, e.g. on Mondays.") == frozenset()
    assert spellings.names("My PIN (4711) is for mycompany.com.") == {"4711", "mycompany.com"}
