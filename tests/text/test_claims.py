"""Lines of IDENTITY.md and USER.md as claims: what each says, by which evidence, and how one is put into a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.text import claims
from dotagent.text.claims import Claim


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        ("- **Name:** Ana", Claim("- **Name:**", "Name", "Ana")),
        ("Name: Ana", Claim("Name:", "Name", "Ana")),
        ("* What to call them: Captain ", Claim("* What to call them:", "What to call them", "Captain")),
        ("- **Timezone:** Europe/Lisbon (0.9 #12 I live in Lisbon)",
         Claim("- **Timezone:**", "Timezone", "Europe/Lisbon", 0.9, 12, "I live in Lisbon")),
        ("- **Timezone:** UTC (.7)", Claim("- **Timezone:**", "Timezone", "UTC", 0.7)),
        ('- **Vibe:** dry (1.0, #3: "yes")', Claim("- **Vibe:**", "Vibe", "dry", 1.0, 3, "yes")),
        ("- **Name:** Ana (work)", Claim("- **Name:**", "Name", "Ana (work)")),
        ("likes tea", Claim("", "", "likes tea")),
        ("- **Name:**", None), ("- **Name:**  ", None), ("# USER", None), ("", None), (" \t", None),
        ("- **Name:** (0.9 #1 x)", None),
    ],
)  # fmt: skip
def test_what_a_line_claims(line: str, claim: Claim | None) -> None:
    assert claims.read(line) == claim


TEMPLATE = "# USER\n\n- **Name:**\n- **Timezone:**\n"


def test_a_field_is_put_in_its_place_and_what_is_none_below() -> None:
    once = claims.put(TEMPLATE, "Timezone: Europe/Lisbon")
    assert once == "# USER\n\n- **Name:**\n- **Timezone:** Europe/Lisbon\n"
    assert claims.put(once, "Timezone: UTC") == once.replace("Europe/Lisbon", "UTC")
    assert claims.put(TEMPLATE, "Pets: a cat").endswith("- **Timezone:**\n- **Pets:** a cat\n")
    assert claims.put("", "likes tea") == "likes tea\n" == claims.put("likes tea\n", "likes tea")


@given(st.text(alphabet="ab:*-# (0.9#)\n\"'", max_size=60), st.text(alphabet="abc:*-() ", min_size=1, max_size=20))
def test_what_is_put_once_is_there_and_put_again_changes_nothing(text: str, told: str) -> None:
    once = claims.put(text, told)
    assert claims.put(once, told) == once
    made = claims.read(told)
    assert made is None or made.value.split()[0] in once
