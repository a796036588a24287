"""What a message reminds of, unasked: when it is due, and when nothing is."""

from __future__ import annotations

from pathlib import Path

import pytest
from talk import numbers, remembered


def test_a_question_about_the_past_is_reminded_of(tmp_path: Path) -> None:
    index = remembered(tmp_path)
    named = index.remind("Remind me, which seat did I book on the flight to Tokyo?", exclude=range(30, 46))
    assert {5, 6} <= set(numbers(named)) and len(named) <= 5
    assert numbers(index.remind("And the seat to Tokyo?", exclude=(), most=1)) == numbers(named)[:1]


@pytest.mark.parametrize(
    "text", ["hello", "ok, thanks!", "How are you today?", "The weather is fine, let us go out.", ""]
)
def test_small_talk_reminds_of_nothing(tmp_path: Path, text: str) -> None:
    assert remembered(tmp_path).remind(text, exclude=()) == []


def test_what_is_live_is_not_named(tmp_path: Path) -> None:
    index = remembered(tmp_path)
    assert index.remind("Which seat to Tokyo?", exclude=()) != []
    assert index.remind("Which seat to Tokyo?", exclude=range(1, 50)) == []


def test_who_tells_is_reminded_only_of_the_same_matter(tmp_path: Path) -> None:
    index = remembered(tmp_path)
    assert numbers(index.remind("Cusco, alpacas, my sister breeds them.", exclude=()))[0] == 40
    assert index.remind("My sister painted the kitchen.", exclude=()) == []


def test_one_word_that_is_often_said_reminds_of_nothing(tmp_path: Path) -> None:
    index = remembered(tmp_path)
    assert index.search("What about the kettle?") != []
    assert index.remind("What about the kettle?") == []
    assert numbers(index.remind("What about the alpacas?"))[0] == 40


def test_who_names_one_that_was_heard_is_reminded_sooner(tmp_path: Path) -> None:
    index = remembered(tmp_path)
    assert index.remind("Which present would my sister like best?") == []
    assert numbers(index.remind("Which present would Ana's sister like best?"))[0] == 40


def test_a_question_behind_a_tale_is_a_part_of_it(tmp_path: Path) -> None:
    index = remembered(tmp_path)
    assert numbers(index.remind("Which flight?"))[0] in (5, 6)
    assert index.remind("The soup was good and the train came late. Which flight?") == []
