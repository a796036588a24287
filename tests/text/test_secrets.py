"""Secrets: each kind is known and masked, and what only looks a little like one is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import PLANTED, said

from dotagent.text import secrets


def test_there_are_twelve_kinds_and_each_is_planted_here() -> None:
    assert {kind.name for kind in secrets.KINDS} == set(PLANTED) and len(PLANTED) >= 12


@pytest.mark.parametrize("kind", PLANTED)
def test_each_kind_is_masked_and_what_stands_around_it_stays(kind: str) -> None:
    text, secret = said(kind), PLANTED[kind]
    assert secrets.kinds(text) == [kind]
    masked = secrets.masked(text)
    assert masked == text.replace(secret, f"[masked: {kind}]") and secrets.kinds(masked) == []
    assert secrets.masked(text, known=text) == text


@pytest.mark.parametrize(
    "text",
    [
        "the door code is 4711, ring twice", "my password is on the fridge", "blob 9f8e7d6c5b4a3f2e1d0c9b8a7f6e5d4c",
        "2026-11-22T20:03:14.123456Z", "call +49 170 1234567", "https://example.com:8080/a@b", "a token costs 3 cents",
        "v1.2.3 of foo.bar.baz", "basic understanding of mathematics", "order 1234567890123456", "sk-learn and hf_hub",
        "the key is under the mat", "IBAN DE89 3704 0044 0532 0130 00", "secret: ask me",
    ],
)  # fmt: skip
def test_what_is_no_secret_is_left_alone(text: str) -> None:
    assert secrets.masked(text) == text


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from([*map(said, PLANTED), "plain words", "\n", "key=", "://", ".", "1 "])
        | st.text("aB3-_.: ", max_size=40)
    )
)
def test_nothing_that_is_masked_holds_a_secret_of_these(parts: list[str]) -> None:
    masked = secrets.masked(" ".join(parts))
    assert not [kind for kind in PLANTED if PLANTED[kind] in masked]


@given(st.lists(st.sampled_from([*map(said, PLANTED), "1234 ", "5678", "key", "é", "", "token:"]), max_size=120))
def test_many_texts_are_masked_as_each_of_them(texts: list[str]) -> None:
    assert list(secrets.mask_all(texts)) == [secrets.masked(text) for text in texts]


def test_what_is_masked_stays_as_it_is() -> None:
    for text in PLANTED.values():
        once = secrets.masked(text)
        assert secrets.masked(once) == once
    assert secrets.masked("password: [masked: password]") == "password: [masked: password]"


@given(st.text(alphabet="4 -5x.:\u0664", max_size=60))
def test_the_quick_check_misses_no_number_of_a_card(text: str) -> None:
    card = next(kind for kind in secrets.KINDS if kind.name == "card number")
    assert card.sign and (card.sign(text) or not card.form.search(text))
