"""Words that can be compared: forms of one word meet, other languages stay as they are spelled."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import ANY_TEXT

from dotagent.text.words import KIND, STOP, fold, raw, stem, stems


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("booked", "booking"), ("flew", "flies"), ("bus", "buses"), ("running", "ran"), ("children", "kid"),
        ("photos", "picture"), ("stopped", "stop"), ("celebration", "celebrate"), ("Ana's", "ANA"),
        ("Zürich", "zurich"),
    ],
)  # fmt: skip
def test_forms_of_one_word_meet(one: str, other: str) -> None:
    assert stems(one) == stems(other) != []


def test_too_common_words_go_and_the_order_stays() -> None:
    assert raw("I don't know what the 2 boats’ names are.") == [
        "i",
        "dont",
        "know",
        "what",
        "the",
        "2",
        "boats",
        "names",
        "are",
    ]
    assert stems("I don't know what the 2 boats’ names are.") == ["know", "2", "boat", "nam"]
    assert not KIND & STOP


def test_a_script_without_spaces_is_pairs_of_letters() -> None:
    assert raw("東京の天気 ok") == ["東京", "京の", "の天", "天気", "ok"]


def test_a_word_that_only_looks_like_a_stop_word_keeps_its_accents() -> None:
    assert raw("Mẹ chờ em tôi") == ["mẹ", "cho", "em", "toi"]
    assert stems("Mẹ và me") == ["mẹ", "va"]


@given(ANY_TEXT)
def test_any_text_has_words(text: str) -> None:
    assert all(word and word == word.lower() for word in raw(text))
    assert stems(text) == [stem(word) for word in raw(text) if word not in STOP]


@given(st.text(alphabet="aZ9éß’'` ._-\n", max_size=40) | st.text(st.characters(max_codepoint=0xFF)))
def test_words_are_the_runs_of_letters_and_digits(text: str) -> None:
    plain = [
        re.sub("['’`]", "", re.sub("['’`]s?$", "", word))
        for word in re.findall(r"[^\W_]+(?:['’`][^\W_]+)*", fold(text))
    ]
    known = [word for word in raw(text) if word.isascii() and word not in STOP]
    assert known == [word[:40] for word in plain if word.isascii() and word not in STOP]
