"""What a search shows: the person's sentence above the agent's echoes of it, the passage, and how to go on."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.search import results
from dotagent.search.index import Hit, Index
from dotagent.search.turn import Passage
from dotagent.text import tokens

QUERY = "when is the violin lesson"


def turn(number: int, text: str, speaker: str = "ana") -> Passage:
    return Passage(number, f"{number:032x}", "dev", speaker, "2026-11-21T20:17:20Z", text)


def hit(number: int, text: str, speaker: str = "ana", **more: object) -> Hit:
    return Hit(turn(number, text, speaker), 1.0, **more)  # type: ignore[arg-type]


def numbers(hits: list[Hit]) -> list[int]:
    return [one.turn.number for one in hits]


def test_the_agents_echo_comes_behind_the_person_whom_it_echoes() -> None:
    echo = hit(9, "Noted: your violin lesson is on 3 May with Dr. Okonkwo.", "me")
    other = hit(5, "Buy milk.")
    said = hit(2, "My violin lesson is on 3 May with Dr. Okonkwo.")
    assert numbers(results.ranked([echo, other, said], QUERY)) == [5, 2, 9]
    assert numbers(results.ranked([said, echo], QUERY)) == [2, 9]
    assert numbers(results.ranked([echo, said, other], QUERY)) == [2, 5, 9]


def test_an_answer_is_no_echo_because_it_repeats_the_question_and_one_word() -> None:
    answer = hit(9, "Your violin lesson with Dr. Okonkwo is on Friday at 14:30 in Vienna.", "me")
    others = [hit(2, "I fly to Vienna."), hit(3, "The violin is red.")]
    assert numbers(results.ranked([answer, *others], "When is the violin lesson with Dr. Okonkwo?")) == [9, 2, 3]


def test_what_the_agent_alone_said_stays_where_it_is() -> None:
    own = hit(9, "I booked train R41 for the lesson, platform 7, 38 euros.", "me")
    said = hit(2, "My violin lesson is on 3 May.")
    assert numbers(results.ranked([own, said], QUERY)) == [9, 2]
    assert numbers(results.ranked([own, hit(3, "Buy milk.")], QUERY)) == [9, 3]
    assert results.ranked([], QUERY) == []


@pytest.mark.parametrize(
    ("text", "words", "page", "near"),
    [
        ("violin lesson", "violin lesson", 1, None),
        ("violin lesson page 2", "violin lesson", 2, None),
        ("the page 2", "the", 2, None),
        ("page 2", "page 2", 1, None),
        ("near #412", "near #412", 1, "412"),
        ("near 412", "near 412", 1, "412"),
        ("Near 48ff46ff918a", "Near 48ff46ff918a", 1, "48ff46ff918a"),
        ("near ◱hash=48ff46ff918a gist=x◲", "near ◱hash=48ff46ff918a gist=x◲", 1, "48ff46ff918a"),
        ("near the harbour", "near the harbour", 1, None),
        ("what is near", "what is near", 1, None),
    ],
)
def test_what_is_asked_for(text: str, words: str, page: int, near: str | None) -> None:
    found = results.parse_query(text)
    assert (found.words, found.page, found.near and found.near.text) == (words, page, near)


def test_the_lines() -> None:
    answer = hit(3, "warm it to sixty degrees", "me", part=2, parts=3)
    assert [results.line(one, lambda id: id[-1]) for one in (hit(2, "Which glue?"), answer)] == [
        "2  2026-11-21T20:17  ana in dev: Which glue?",
        "3  2026-11-21T20:17  me in dev: …warm it to sixty degrees… (part 2 of 3)",
    ]
    around = results.format_around([turn(1, "a"), turn(2, "b")], f"{2:032x}", lambda id: id[-1])
    assert [line.split(" ")[0] for line in around.split("\n")] == ["", "2"]


def test_near_brings_the_neighbours_of_the_room_whole(tmp_path: Path) -> None:
    index = Index(tmp_path / "recall.db")
    long = "It rained. " * 200
    index.add([turn(at, f"turn {at}") for at in range(1, 9)] + [Passage(99, "9" * 32, "other", "bo", "", "else")])
    index.add([turn(10, long), turn(11, "after")])
    assert [one.number for one in index.near(f"{5:032x}", 2)] == [3, 4, 5, 6, 7]
    assert [one.number for one in index.near(f"{1:032x}", 2)] == [1, 2, 3]
    assert index.near(f"{10:032x}", 1)[1].text == long
    assert [one.number for one in index.near("9" * 12, 3)] == [99]
    assert index.near("abcdef012345", 3) == []


@given(st.lists(st.text(max_size=60), max_size=30), st.integers(1, 8), st.integers(0, 200))
def test_pages_hold_every_row_once_and_no_more_than_there_is_room_for(rows: list[str], most: int, room: int) -> None:
    pages = results.pages(rows, most, room)
    assert [row for page in pages for row in page] == rows
    for page in pages:
        assert 1 <= len(page) <= most
        assert len(page) == 1 or sum(tokens.estimate(f"{row}\n") for row in page) <= room


def test_of_what_the_reader_has_before_it_the_first_words_are_shown() -> None:
    long = hit(2, "The lesson " + "and so on " * 20)
    assert len(results.line(long, str)) > 200
    assert len(results.line(long, str, {long.turn.id})) < 160


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The dentist appointment is at 4 on Friday.", "We moved the dentist appointment to 5."),
        ("I eat fish twice a week.", "I no longer eat fish."),
        ("Der Zahnarzt ist am Freitag um 4.", "Der Zahnarzt ist jetzt um 5."),
        ("牙医预约在星期五四点。", "牙医预约改到五点。"),
        ("歯医者の予約は金曜日の四時です。", "歯医者の予約は五時に変わりました。"),
    ],
)
def test_messages_of_one_person_about_one_matter_follow_the_best_of_them(older: str, newer: str) -> None:
    """Their dates show which of them is still valid. Another person's words keep their place."""
    first, between, last = hit(2, older), hit(5, "I sold the tent."), hit(9, newer)
    assert numbers(results.ranked([first, between, last], "?")) == [2, 9, 5]
    assert numbers(results.ranked([last, between, first], "?")) == [9, 2, 5]
    assert numbers(results.ranked([first, hit(1, older), between, last], "?")) == [2, 9, 1, 5]
    assert numbers(results.ranked([first, between, hit(9, newer, "bo")], "?")) == [2, 5, 9]
    assert numbers(results.ranked([first, between, hit(9, "I feed the fish.")], "?")) == [2, 5, 9]


def test_what_the_agent_says_again_of_a_note_comes_last() -> None:
    echo, said = hit(9, "Your violin lesson is on 3 May.", "me"), hit(2, "Buy milk.")
    assert numbers(results.ranked([echo, said], QUERY, ["MEMORY.md:1: violin lesson on 3 May"])) == [2, 9]
    assert numbers(results.ranked([echo, said], QUERY)) == [9, 2]


def test_a_long_message_does_not_follow_a_short_one_with_the_same_few_words() -> None:
    short = hit(2, "Feed the cat at noon.")
    long = hit(9, "Before noon the plumber mends the kitchen sink, then I feed the cat, paint a door and call Bo.")
    assert numbers(results.ranked([short, hit(5, "I sold the tent."), long], "?")) == [2, 5, 9]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "I plan the meals of the week and need a list for the market on Saturday.",
            "The gifts for the wedding need a plan, and Bo paints the garden fence on Saturday.",
        ),
        ("昨日は友だちと海で泳いだのが楽しかったです。", "明日は母の誕生日なのでケーキを買いに行きます。"),
    ],
    ids=["English", "Japanese"],
)
def test_messages_that_share_less_than_half_of_their_words_keep_their_order(first: str, second: str) -> None:
    assert numbers(results.ranked([hit(2, first), hit(5, "I sold the tent."), hit(9, second)], "?")) == [2, 5, 9]
