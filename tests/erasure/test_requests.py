"""What is asked to be forgotten: a name is all of its words, one told in two ways is one, a second statement has the
subject of the first."""

from __future__ import annotations

import pytest

from dotagent.erasure import matches, requests
from dotagent.text import passages


def found(request: str, *told: str) -> set[str]:
    return {one.words for one in matches.match_sentences([("x", "\n\n".join(told))], request)}


@pytest.mark.parametrize(
    ("name", "meant", "another"),
    [
        ("Professor Smith", "Professor Smith teaches algebra.", "Professor Jones teaches algebra."),
        ("Dr. Patel", "Dr. Patel is at the clinic.", "Dr. Nguyen is at the clinic."),
        ("Flight 123", "Flight 123 leaves from gate A5.", "Flight 456 leaves from gate A5."),
        ("Book A", "Book A is a thriller.", "Book B is a thriller."),
        ("Anna van der Berg", "Anna van der Berg likes tea.", "Anna Weber likes tea."),
        ("Anna Weber", "Anna likes tea.", "Weber Street is closed."),
        ("Anna Weber", "Yes, Weber's tea is cold.", "Otto Weber likes tea."),
        ("Иван Петров", "Иван купил чай.", "Анна Петрова купила чай."),
    ],
)
def test_a_name_is_all_of_its_words_or_a_part_that_stands_alone(name: str, meant: str, another: str) -> None:
    assert found(f"forget everything about {name}", meant, another, "Nothing else.") == {meant}


@pytest.mark.parametrize(
    ("request_", "ways"),
    [
        ("forget patient Maria Petrou (Μαρία Πέτρου)", ["patient Maria Petrou", "Μαρία Πέτρου"]),
        ("forget Ana / Аня", ["Ana", "Аня"]),
        ("user Ahmed aka أحمد", ["user Ahmed", "أحمد"]),
        ("employee Galit Cohen גלית", ["employee Galit Cohen", "גלית"]),
        ("Kim Minji 김민지 account", ["Kim Minji account", "김민지"]),
        ("patient Mueller, Hans (Müller)", ["patient Mueller, Hans", "Müller"]),
        ("forget that the party (the one in May) was loud", ["forget that the party (the one in May) was loud"]),
        ("забудь пароль от Netflix", ["забудь пароль от Netflix"]),
        ("forget the trip to 北京", ["forget the trip to 北京"]),
        ("forget everything about Book A", ["forget everything about Book A"]),
        ('forget "Ana (Аня) was here"', ['forget "Ana (Аня) was here"']),
    ],
)
def test_a_name_in_two_ways_is_looked_for_in_each(request_: str, ways: list[str]) -> None:
    assert requests.ways(request_) == ways


def test_both_ways_are_found_and_nothing_else() -> None:
    told = ("Patient Μαρία Πέτρου had a test.", "The same as Maria Petrou in our books.", "A patient had tea.")
    assert found("forget patient Maria Petrou (Μαρία Πέτρου)", *told) == set(told[:2])


def test_a_second_statement_is_about_whom_the_first_is() -> None:
    told = ("Otto has a dog and works as a cook in Malmö.", "Otto collects stamps.", "Ana works in Oslo.")
    assert found("forget Otto's work in Malmö", *told) == {"works as a cook in Malmö."}
    assert found("forget that Otto never had a car", "Otto has no car and has never driven one.", "Tea.") == {
        "Otto has no car and has never driven one."
    }


def test_of_two_that_fit_as_well_the_one_with_the_name_is_first() -> None:
    told = ("Otto has travelled in the south.", "Otto has never been to Japan.")
    assert matches.match_sentences([("x", "\n\n".join(told))], "Otto's Japan travels")[0].words == told[1]


SAID = [
    ("chats/dev.md", "I told you the alarm code is 5521.\n\nI told you about the trip.\n\nThe alarm is loud."),
    ("blob", "Ask me about “5521” and I quote it.\n\nThe bus number is 5529."),
]


def test_what_shares_only_the_frame_of_the_sentence_is_not_meant() -> None:
    found = matches.match_sentences(SAID, "what I told you about my medication")
    assert found and all(one.doubt == matches.FRAME for one in found)
    found = matches.match_sentences(
        [*SAID, ("x", "The medication is ramipril.")], "what I told you about my medication"
    )
    assert "I told you the alarm code is 5521." not in [one.words for one in found if not one.doubt]


def test_what_has_the_same_number_is_shown_and_not_meant() -> None:
    found = matches.match_sentences(SAID, "forget that I told you the alarm code")
    assert [(one.words, one.doubt) for one in found] == [
        ("I told you the alarm code is 5521.", ""),
        ("Ask me about “5521” and I quote it.", matches.SAME),
    ]


FACT = "The vault of Ludmilla opens with 7 Turns of the copper key"


@pytest.mark.parametrize("gap", range(FACT.count(" ")))
@pytest.mark.parametrize("indent", ["", "  "])
def test_a_request_is_found_wherever_its_words_wrap(gap: int, indent: str) -> None:
    words = FACT.split()
    told = f"Tea is cold. {' '.join(words[: gap + 1])}\n{indent}{' '.join(words[gap + 1 :])}. Bread is warm."
    listed = found(f"forget that {FACT}", told)
    assert len(listed) <= 2
    left = passages.Passages(listed).gone(told)
    assert set(passages.words(left)) == {"tea", "is", "cold", "forgotten", "bread", "warm"}
