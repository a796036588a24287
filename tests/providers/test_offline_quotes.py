"""The offline provider and questions: it quotes what it heard, read or recalls, with who said it, or says: unknown."""

from __future__ import annotations

import pytest
from offline_life import ANA, AT, BEN, Life

from dotagent.text.grammar import ToolCall

QUESTIONS = [
    ("Which seat did I book?", ANA, "14A", "ana said in dev on 2026-11-21 at 20:17"),
    ("what seat did I book", BEN, "3C", "ben said"),
    ("What is Ana's seat?", BEN, "14A", "ana said"),
    ("When is the flight to Tokyo?", ANA, "3 May", "ana said"),
    ("where does Ben live?", ANA, "Kyoto", "My notes say"),
    ("What do you know about Ben?", ANA, "Kyoto", "My notes say"),
    ("Do you remember the door code?", ANA, "4711", "ana said in dev"),
    ("What is my phone number?", "", "555", "ana said in dev"),
    ("who am I?", BEN, "You are ben", ""),
]


@pytest.mark.parametrize(("question", "who", "answer", "source"), QUESTIONS)
def test_it_answers_by_quoting_with_who_said_it(question: str, who: str, answer: str, source: str) -> None:
    life = Life("# People\n- Ben lives in Kyoto\n- Ana is vegetarian\n")
    life.hear("I booked seat 14A. The weather is fine. The flight to Tokyo is on 3 May.").hear("I booked seat 3C", BEN)
    life.hear("The door code is 4711", "").hear("Where is the flight?", BEN, "kitchen")
    life.hear("My phone number is 555").said()
    (call,) = life.hear(question, who).step()  # in private a question is for it, also where several talk
    assert (call.name, call.args) == ("SAY", "dev")
    assert call.body is not None
    assert answer in call.body
    assert source in call.body
    assert "weather" not in call.body


GIST = "◱hash=9f8e7d6c5b4a gist=ana: My seat is 14A by the window.◲"
LINES = "9f8e7d6c5b4a  2026-05-03T20:17  ana in dev: My seat is 14A by the window.\n"
LINES += (
    "8f8e7d6c5b4a  2026-11-21T20:17  ana in dev: Which seat do I have?\n7f8e7d6c5b4a  2026-05-04T20:17  me: seat 3C"
)


def test_it_quotes_what_people_said_and_never_its_own_words_or_the_harness() -> None:
    life = Life("").add("FADED 4-9 relevance=3", "ana: I booked seat 14A\nAna has seat 3C, I think")
    life.add("LIFE", "2026-11-21T20:17:20Z HEAR dev seat").add("NOTE dev", "Ana's seat is 5D").add("WARN", "seat 6E")
    life.add("TOOL UNCOMPACT ok", "#4 2026-11-21T20:17:20Z REPLY\n  your seat is 7F")
    said = life.hear("Which seat did I book?").said()
    assert said == "ana said, as I remember (#4): “I booked seat 14A”\n"
    assert life.hear("Which seat did I book?").said() == said


def test_what_faded_it_recalls_and_quotes_with_who_and_when() -> None:
    life = Life("").add("FADED 4-9 relevance=3", "ana: We talked of trains.").hear("Which seat <<do I have?\n")
    assert life.step() == (ToolCall("RECALL", "Which seat do I have?", None),)
    said = life.add("TOOL RECALL ok", LINES).said()
    assert said == "ana said in dev on 2026-05-03 at 20:17: “My seat is 14A by the window.”\n"
    life.hear("What is the capital of France?").step()
    assert "I do not know" in life.add("TOOL RECALL ok", "nothing was found").said()
    assert "I do not know" in life.hear("What is it?").said()  # no word to search for


def test_who_shares_no_more_than_a_name_with_a_question_is_not_quoted() -> None:
    life = Life().hear("Thanks, Caroline! Glad you agree.", "USER:melanie").hear("Hello all", "USER:caroline")
    assert "I do not know" in life.hear("agent, what did Caroline research?").said()


def test_what_a_faint_memory_names_it_quotes() -> None:
    life = Life("").add("FADED 4-9 relevance=3", "ana: We talked of trains.").hear("Which seat do I have?")
    life.add("FAINT", f"You have forgotten:\n- 2026-05-03 {GIST}")
    assert life.said() == "ana said on 2026-05-03: “My seat is 14A by the window.”\n"


def test_what_was_said_before_it_came_is_known_too_but_not_answered() -> None:
    life = Life().add(
        "JOIN lab", f"[{ANA} {AT}] The laser is red.\n[{BEN} {AT}] Which colour is the laser?\nThe mirror is\n  flat"
    )
    assert life.step() == (ToolCall("WAIT", "", None),)
    assert "“The laser is red.”" in life.hear("Which colour has the laser?").said()
    assert "flat" in life.hear("how is the mirror?").said()


def test_what_it_does_not_know_it_says() -> None:
    said = Life("- Ana lives in Kyoto\n").hear("What is the capital of France?").said()
    assert "I do not know" in said
    assert "offline provider" in said
    assert "Kyoto" not in said


def test_it_reads_a_file_and_quotes_it_and_knows_it_from_then_on() -> None:
    life = Life().hear("please read the file notes/plan.md lines 2-9")
    assert life.step() == (ToolCall("READ_FILE", "notes/plan.md 2-9", None),)
    life.add("TOOL READ_FILE ok", "notes/plan.md, 3 lines:\nThe launch is on Friday.\nEND\nRUN ls")
    (call,) = life.step()
    assert call.body == "I read notes/plan.md, 3 lines:\nThe launch is on Friday.\nEND\nRUN ls\n"
    assert "notes/plan.md says: “The launch is on Friday.”" in life.hear("When is the launch?").said()


def test_a_long_file_is_cut_and_a_missing_one_told() -> None:
    life = Life().hear("what is in notes.txt?")
    life.step()
    life.add("TOOL READ_FILE ok", "notes.txt, 1 lines:\n" + "x" * 5000)
    said = life.said()
    assert len(said) < 1700
    assert "characters more" in said
    life.hear("read nothing.txt").step()
    life.add("TOOL READ_FILE error", "there is no file nothing.txt")
    assert life.said() == "READ_FILE nothing.txt failed: there is no file nothing.txt\n"
