"""What is asked to be forgotten: a name is all of its words, one told in two ways is one, a second statement has the
subject of the first."""

from __future__ import annotations

import pytest

from dotagent.forgetting import asked, finding


def found(request: str, *told: str) -> set[str]:
    return {one.words for one in finding.among([("x", "\n\n".join(told))], request)}


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
    assert asked.ways(request_) == ways


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
    assert finding.among([("x", "\n\n".join(told))], "Otto's Japan travels")[0].words == told[1]
