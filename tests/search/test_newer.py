"""What was corrected stands behind what corrects it and names it; nothing else does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import ROOT
from talk import FILLER, first_of, life, numbers, turn

from dotagent.search.index import Hit, Index

MADE = json.loads((ROOT / "bench/data/newer.json").read_text(encoding="utf-8"))
OLD, NEW = "The dentist appointment is at 4 on Friday.", "We moved the dentist appointment to 5."


def marks(hits: list[Hit]) -> dict[int, int]:
    """From the turns that were corrected to those that they name."""
    sides = [side for hit in hits for side in (hit, hit.beside) if side]
    return {side.turn.number: side.later.number for side in sides if side.later}


@pytest.mark.parametrize("pair", [one for one in MADE if one["corrects"] and not one.get("at once")][1::3])
def test_a_correction_comes_first_and_the_older_names_it(tmp_path: Path, pair: dict[str, str]) -> None:
    hits = life(tmp_path, turn(40, pair["older"]), turn(90, pair["newer"])).search(pair["asked"])
    assert first_of(hits, 40, 90) == 90
    assert marks(hits) in ({40: 90}, {})


def test_the_words_of_the_correction_are_told(tmp_path: Path) -> None:
    hits = life(tmp_path, turn(40, OLD), turn(90, f"{NEW} Lunch is at noon.")).search("dentist appointment")
    (later,) = (hit.later for hit in hits if hit.later)
    assert later.text.startswith("We moved the dentist appointment to 5") and later.number == 90


@pytest.mark.parametrize("pair", [one for one in MADE if not one["corrects"]][::2])
def test_what_repeats_or_adds_or_is_of_another_thing_corrects_nothing(tmp_path: Path, pair: dict[str, str]) -> None:
    assert not marks(life(tmp_path, turn(40, pair["older"]), turn(90, pair["newer"])).search(pair["asked"]))


def test_another_person_the_agent_and_a_tool_correct_nobody(tmp_path: Path) -> None:
    for n, who in enumerate(("bo", "me", "tool")):
        (tmp_path / str(n)).mkdir()
        index = life(tmp_path / str(n), turn(40, OLD, "ana"), turn(90, NEW, who))
        assert not marks(index.search("dentist appointment"))


def test_a_correction_in_another_room_counts(tmp_path: Path) -> None:
    index = life(tmp_path, turn(40, OLD, room="other"), turn(90, NEW))
    assert marks(index.search("dentist appointment")) == {40: 90}


def test_the_older_never_marks_the_newer(tmp_path: Path) -> None:
    assert not marks(life(tmp_path, turn(40, NEW), turn(90, OLD)).search("dentist appointment"))


def test_a_reply_takes_back_what_was_just_said(tmp_path: Path) -> None:
    """Unless an answer between asks something else, or it has no other value."""
    said = turn(40, "The meeting with Anna is on Monday at ten.")
    for n, (between, reply, corrected) in enumerate(
        [
            ("Noted.", "No, it is Tuesday now.", {40: 42}),
            ("Shall I remind you on Sunday?", "No, on Saturday.", {}),
            ("Noted.", "No, thank you.", {}),
        ]
    ):
        (tmp_path / str(n)).mkdir()
        index = life(tmp_path / str(n), said, turn(41, between, "me"), turn(42, reply))
        assert marks(index.search("when is the meeting with Anna")) == corrected


def test_a_chain_leads_to_the_newest(tmp_path: Path) -> None:
    later = "The dentist appointment was moved to 6 on Monday."
    hits = life(tmp_path, turn(40, OLD), turn(90, NEW), turn(120, later)).search("dentist appointment")
    assert [number for number in numbers(hits) if number in (40, 90, 120)] == [120, 90, 40]
    assert marks(hits) == {40: 120, 90: 120}


def test_a_question_about_the_talk_itself_is_answered_in_its_order(tmp_path: Path) -> None:
    index = life(tmp_path, turn(40, OLD), turn(90, NEW))
    assert not marks(index.search("a summary of the dentist appointment"))


def test_a_reminder_names_the_newest(tmp_path: Path) -> None:
    index = life(tmp_path, turn(40, OLD), turn(90, NEW))
    named = numbers(index.remind("When is the dentist appointment?", seconds=5))
    assert 90 in named and 40 not in named


WORDS = st.sampled_from([OLD, NEW, "No, at 6.", "Actually the dentist appointment is on Monday.", *FILLER[:3]])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(WORDS, st.sampled_from(["ana", "bo", "me"])), min_size=2, max_size=12))
def test_marks_lead_from_the_older_to_the_newer_of_one_person(tmp_path: Path, said: list[tuple[str, str]]) -> None:
    index = Index(tmp_path / "recall.db")
    index.make_anew()
    index.add([turn(n + 1, text, who) for n, (text, who) in enumerate(said)])
    hits = index.search("dentist appointment", 12)
    places = {side.turn.number: n for n, hit in enumerate(hits) for side in (hit, hit.beside) if side}
    for older, newer in marks(hits).items():
        assert older < newer and said[older - 1][1] == said[newer - 1][1] != "me"
        assert places[newer] <= places[older] and newer not in marks(hits)
    assert len(set(numbers(hits))) == len(hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
