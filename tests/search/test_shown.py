"""What a search shows: the person's sentence above the agent's echoes of it, the passage, and how to go on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.search import shown
from dotagent.search.index import Hit, Index
from dotagent.search.turn import Passage

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
    assert numbers(shown.ranked([echo, other, said], QUERY)) == [5, 2, 9]
    assert numbers(shown.ranked([said, echo], QUERY)) == [2, 9]


def test_what_the_agent_alone_said_stays_where_it_is() -> None:
    own = hit(9, "I booked train R41 for the lesson, platform 7, 38 euros.", "me")
    said = hit(2, "My violin lesson is on 3 May.")
    assert numbers(shown.ranked([own, said], QUERY)) == [9, 2]
    assert numbers(shown.ranked([own, hit(3, "Buy milk.")], QUERY)) == [9, 3]
    assert shown.ranked([], QUERY) == []


def test_of_an_exchange_what_was_said_first_stands_first() -> None:
    asked, answer = hit(2, "Which glue for the shelf?"), hit(3, "Hide glue: warm it to sixty degrees.", "me")
    for lead, beside in ((asked, answer), (answer, asked)):
        both = hit(lead.turn.number, lead.turn.text, lead.turn.speaker, beside=beside)
        assert numbers(shown.sides(both)) == [2, 3]
    parrot = hit(3, "Glue for the shelf, then.", "me")
    assert numbers(shown.sides(hit(2, "Which glue for the shelf?", beside=parrot))) == [2]


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
    found = shown.asked(text)
    assert (found.words, found.page, found.near and found.near.text) == (words, page, near)


def test_the_lines() -> None:
    answer = hit(3, "warm it to sixty degrees", "me", part=2, parts=3)
    told = shown.listed([hit(2, "Which glue?", beside=answer)], lambda id: id[-1])
    assert told.split("\n") == [
        "2  2026-11-21T20:17  ana in dev: Which glue?",
        "  3  2026-11-21T20:17  me in dev: …warm it to sixty degrees… (part 2 of 3)",
    ]
    around = shown.around([turn(1, "a"), turn(2, "b")], f"{2:032x}", lambda id: id[-1])
    assert [line.split(" ")[0] for line in around.split("\n")] == ["", "2"]


def test_what_a_person_said_is_found_among_an_agents_long_answers(tmp_path: Path) -> None:
    """An exchange is one thing, found by either side: the person's sentence stands for it, its answer beside it."""
    index = Index(tmp_path / "recall.db")
    long = "\n\n".join(f"- Step {at}: sand the shelf, then think of the varnish and of the glue." for at in range(30))
    talk = []
    for at in range(1, 41, 2):
        talk += [turn(at, f"What about board {at}?"), turn(at + 1, long, "me")]
    talk[20:22] = [turn(21, "I bought the varnish for the shelf in Malmö."), turn(22, f"{long}\n\nEnjoy it.", "me")]
    index.add(talk)
    first = index.search("where did I buy the varnish for the shelf", 5)[0]
    assert first.turn.number == 21
    found = index.search("varnish for the shelf", 40)
    assert len({(one.turn.number + 1) // 2 for one in found}) == len(found)  # an exchange once
    enjoy = index.search("enjoy", 1)[0]
    assert {one.turn.number for one in shown.sides(enjoy)} >= {22} or enjoy.turn.number == 21


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
    pages = shown.pages(rows, most, room)
    assert [row for page in pages for row in page] == rows
    for page in pages:
        assert 1 <= len(page) <= most
        assert len(page) == 1 or sum(len(row.encode("utf-8", "replace")) + 1 for row in page) <= room


def test_of_an_exchange_without_one_side_the_other_is_left() -> None:
    said, answer = hit(2, "My lesson is on 3 May."), hit(3, "Noted.", "me")
    both = replace(said, beside=answer)
    assert numbers(shown.without([both, hit(5, "Buy milk.")], {answer.turn.id})) == [2, 5]
    assert shown.without([both], {answer.turn.id})[0].beside is None
    assert numbers(shown.without([both], {said.turn.id})) == [3]
    assert shown.without([both], {said.turn.id, answer.turn.id}) == []
    assert shown.without([both], set()) == [both]


def test_of_what_the_reader_has_before_it_the_first_words_are_shown() -> None:
    long = hit(2, "The lesson " + "and so on " * 20)
    assert len(shown.told(long, str)) > 200
    assert len(shown.told(long, str, {long.turn.id})) < 160


def test_an_older_turn_names_what_corrects_it() -> None:
    newer = turn(9, "We moved the lesson to 5 " + "and so on " * 20)
    told = shown.told(hit(2, "The lesson is at 4.", later=newer), lambda id: f"#{int(id, 16)}")
    assert told.startswith("#2  2026-11-21T20:17  ana in dev: The lesson is at 4. (later: #9 “We moved the lesson to 5")
    assert told.endswith("…”)") and len(told) < 170
