"""Signs of change in several languages, what takes nothing back, and which values two texts have otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.text import corrected
from dotagent.text.corrected import DENIES, NEWS, REVOKES
from dotagent.text.words import raw, stems


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("I no longer eat fish.", REVOKES),
        ("I don't work there any more.", REVOKES),
        ("We moved the dentist to five.", REVOKES),
        ("Not Anna but Hannah brings it.", REVOKES),
        ("Ich esse keinen Fisch mehr.", REVOKES),
        ("La réunion est reportée à jeudi.", REVOKES),
        ("La cena ya no es el viernes.", REVOKES),
        ("Non abito più a Torino.", REVOKES),
        ("A reunião foi adiada.", REVOKES),
        ("De vergadering is verplaatst.", REVOKES),
        ("Встреча перенесена на среду.", REVOKES),
        ("Spotkanie przełożono na środę.", REVOKES),
        ("会议改到星期三了。", REVOKES),
        ("会議は水曜日に変更しました。", REVOKES),
        ("I've never been to Oslo.", DENIES),
        ("Ich war noch nie in Oslo.", DENIES),
        ("The rent is now 950 euros.", NEWS),
        ("The fence is green.", 0),
        ("I can do no more today, but longer walks are fine.", 0),
        ("I now eat vegetables, too", NEWS),
        ("I also have a new bicycle.", 0),
        ("I will never forget it.", 0),
    ],
)
def test_the_sign_of_a_text(text: str, sign: int) -> None:
    assert max(one.sign for one in corrected.clauses(text)) == sign
    assert corrected.may_change(raw(text)) or not sign


def test_a_clause_is_about_neither_its_signs_nor_its_values() -> None:
    (one,) = corrected.clauses("We moved the dentist appointment from Monday to 5 May")
    assert one.about == set(stems("dentist appointment"))


@pytest.mark.parametrize("text", ["No, it is Tuesday.", "Actually, on Friday", "Nein, um neun!", "不是。星期三"])
def test_a_reply_that_takes_back(text: str) -> None:
    assert corrected.replies(text)
    assert corrected.may_change(raw(text))


@pytest.mark.parametrize("text", ["No problem, John.", "Nobody knows, no.", "", "?"])
def test_no_such_reply(text: str) -> None:
    assert not corrected.replies(text)


def test_values_that_differ() -> None:
    assert corrected.differ("at 4 on Friday", "at 5 on Friday") == {"number"}
    assert corrected.differ("I have 8 cards", "there are 10 cards now") == {"number", "of card"}
    assert "of april" in corrected.differ("by April 5", "until April 1, 2024")
    assert corrected.differ("with Anna on Monday", "with Hannah on Tuesday") == {"name", "day"}
    assert not corrected.differ("on Monday", "at 5") and not corrected.differ("on Monday", "on Monday at 5")


@given(st.text(max_size=200))
def test_any_text_can_be_looked_at(text: str) -> None:
    assert all(one.about is not None for one in corrected.clauses(text))
    assert not corrected.differ(text, text)
    assert corrected.may_change(raw(text)) or not any(one.sign for one in corrected.clauses(text))
