"""Which of some sayings a text is most like."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dotagent.text import alike

SAYINGS = [
    "Count the lines of pot.txt.",
    "Join attic, please.",
    "lou, are you cold?",
    "Which is bigger, a horse or a cow?",
    "Schreib noch pink in pot.txt dazu.",
    "Read https://shed.example/news and sum it up.",
]
KNOWN = alike.index(SAYINGS)


def nearest(text: str) -> str:
    return SAYINGS[alike.scores(KNOWN, text)[0][0]]


def test_a_text_finds_its_like_in_other_words_forms_and_spellings() -> None:
    assert nearest("how many lines are in the file notes/trip.md? count") == SAYINGS[0]
    assert nearest("pls joining the room chess") == SAYINGS[1]
    assert nearest("ben, are you coming?") == SAYINGS[2], "who is called is a name, whoever it is"
    assert nearest("whihc one is the bigger: a dog or a cat") == SAYINGS[3]
    assert nearest("Schreibst du bitte blau in farben.txt?") == SAYINGS[4]
    assert nearest("what does http://harbour.example:80/tides say") == SAYINGS[5]


def test_the_same_is_all_alike_and_the_order_is_by_likeness() -> None:
    for at, one in enumerate(SAYINGS):
        found = alike.scores(KNOWN, one)
        assert found[0][0] == at and abs(found[0][1] - 1) < 1e-9
        assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_words_that_nobody_said_make_a_text_less_like_anything() -> None:
    bare, strange = (alike.scores(KNOWN, f"Join attic{more}")[0][1] for more in ("", " xylophone quartz bivouac"))
    assert strange < bare


def test_nothing_is_like_nothing() -> None:
    assert alike.scores(KNOWN, "") == alike.scores(KNOWN, "?!") == alike.scores(alike.index([]), "Join attic.") == []


@given(st.text())
def test_whatever_it_is_no_two_places_are_the_same_and_none_is_more_than_all_alike(text: str) -> None:
    found = alike.scores(KNOWN, text)
    assert len({at for at, _ in found}) == len(found) and all(0 < score < 1 + 1e-9 for _, score in found)


@given(st.lists(st.text(min_size=1), max_size=5))
def test_any_sayings_can_be_known(sayings: list[str]) -> None:
    known = alike.index(sayings)
    for one in sayings:
        found = alike.scores(known, one)
        assert not found or found[0][1] > 1 - 1e-9
