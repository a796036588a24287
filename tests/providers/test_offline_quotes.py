"""The offline provider and questions: it quotes what it heard, read or recalls, with who said it, or says: unknown."""

from __future__ import annotations

import pytest
from offline_life import ANA, AT, BEN, Life

from dotagent.text.grammar import ToolCall

QUESTIONS = [
    ("Which seat did I book?", ANA, "14A", "You told me: “I booked seat 14A.” (in dev on 2026-11-21 at 20:17)"),
    ("what seat did I book", BEN, "3C", "You told me: “I booked seat 3C”"),
    ("What is Ana's seat?", BEN, "14A", "ana said: “I booked seat 14A.” (in dev"),
    ("When is the flight to Tokyo?", ANA, "3 May", "You told me"),
    ("where does Ben live?", ANA, "Kyoto", "My notes say"),
    ("What do you know about Ben?", ANA, "Kyoto", "My notes say"),
    ("Do you remember the door code?", ANA, "4711", "You told me"),
    ("What is my phone number?", "", "555", "You told me"),
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
    assert said == "You told me: “I booked seat 14A” (as I remember, #4)\n"
    assert life.hear("Which seat did I book?").said() == said


def test_what_faded_it_recalls_and_quotes_with_who_and_when() -> None:
    life = Life("").add("FADED 4-9 relevance=3", "ana: We talked of trains.").hear("Which seat <<do I have?\n")
    assert life.step() == (ToolCall("RECALL", "Which seat do I have?", None),)
    said = life.add("TOOL RECALL ok", LINES).said()
    assert said == "You told me: “My seat is 14A by the window.” (in dev on 2026-05-03 at 20:17)\n"
    life.hear("What is the capital of France?").step()
    assert "I do not know" in life.add("TOOL RECALL ok", "nothing was found").said()
    assert "I do not know" in life.hear("What is it?").said()  # no word to search for


def test_who_shares_no_more_than_a_name_with_a_question_is_not_quoted() -> None:
    life = Life().hear("Thanks, Caroline! Glad you agree.", "USER:melanie").hear("Hello all", "USER:caroline")
    assert "I do not know" in life.hear("agent, what did Caroline research?").said()


def test_what_a_faint_memory_names_it_quotes() -> None:
    life = Life("").add("FADED 4-9 relevance=3", "ana: We talked of trains.").hear("Which seat do I have?")
    life.add("FAINT", f"You have forgotten:\n- 2026-05-03 {GIST}")
    assert life.said() == "You told me: “My seat is 14A by the window.” (on 2026-05-03)\n"


def test_what_was_said_before_it_came_is_known_too_but_not_answered() -> None:
    life = Life().add(
        "JOIN lab", f"[{ANA} {AT}] The laser is red.\n[{BEN} {AT}] Which colour is the laser?\nThe mirror is\n  flat"
    )
    assert life.step() == (ToolCall("WAIT", "", None),)
    assert "“The laser is red.”" in life.hear("Which colour has the laser?").said()
    assert "flat" in life.hear("how is the mirror?").said()


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("my seat is 14A", "which seat did I book?"),
        ("remember that my seat is 14A", "What seat do I have?"),
        ("my flight to Tokyo leaves on 3 May, seat 14A", "which seat did I reserve?"),
        ("The wifi password is hunter2", "What password do I need for the wifi?"),
        ("I paid 40 euros for the tickets", "what did the tickets cost?"),
    ],
)
def test_a_verb_of_having_that_nobody_used_hides_no_answer(told: str, asked: str) -> None:
    life = Life("").hear(told)
    life.said()
    assert life.hear(asked).said() == MINE.format(told.removeprefix("remember that ")) + "\n"


def test_a_verb_of_having_that_somebody_used_tells_statements_apart() -> None:
    life = Life("").hear("I ordered a blue bike").hear("I bought a red bike")
    life.said()
    assert life.hear("which bike did I buy?").said() == MINE.format("I bought a red bike") + "\n"
    assert "I do not know" in life.hear("which hotel did I book?").said()


THINGS = "wifi garage cellar kitchen garden office".split()


@pytest.mark.parametrize("way", ["said", "noted", "dated"])
def test_of_two_on_one_thing_the_newest_is_quoted_first(way: str) -> None:
    """Whatever the words, since the sum of their weights is the same in any order."""
    for one in THINGS:
        for two in THINGS:
            if one == two:
                continue
            older, newer = (f"the {one} {two} door code of the house is {code}" for code in ("tulip", "orchid"))
            notes = [f"- {older} (added 2026-11-20)\n", f"- {newer} (added 2026-11-26)\n"]
            memory = "".join(reversed(notes) if way == "dated" else notes)
            life = Life("" if way == "said" else memory)
            for text in (older, newer) if way == "said" else ():
                life.hear(text).said()
            told = life.hear(f"what is the {one} {two} door code of the house?").said()
            assert "orchid" in told.split("\n")[0], (one, two, told)


@pytest.mark.parametrize(
    "form", ["- {1}: {0}", "- **{1}** {0}", "- [{1}] {0}", "- {1} 09:30 – {0}", "- {0} ({1})", "- {0} [as of {1}]"]
)
@pytest.mark.parametrize(
    ("older", "newer", "asked"),
    [
        ("my desk is in room 12", "my desk is in room 14", "where is my desk?"),
        ("парковка B7", "парковка C9", "где парковка?"),
        ("la clave del wifi es tulipan", "la clave del wifi es orquidea", "¿cuál es la clave del wifi?"),
    ],
)
def test_of_two_notes_with_dates_in_front_or_behind_the_newest_is_quoted_first(
    form: str, older: str, newer: str, asked: str
) -> None:
    notes = [form.format(newer, "2026-11-26"), form.format(older, "2026-11-20")]
    said = Life("\n".join(notes) + "\n").hear(asked).said()
    assert newer in said.split("\n")[0]


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
    life.add("TOOL READ_FILE ok", "notes.txt, 1 line:\n" + "x" * 5000)
    said = life.said()
    assert len(said) < 1700
    assert "characters more" in said
    life.hear("read nothing.txt").step()
    life.add("TOOL READ_FILE error", "there is no file nothing.txt")
    assert life.said() == "READ_FILE nothing.txt failed: there is no file nothing.txt\n"


MINE = "You told me: “{}” (in dev on 2026-11-21 at 20:17)"


@pytest.mark.parametrize(
    ("said", "question", "quotes"),
    [
        (("my sister's birthday is 12 June", "no, her birthday is 13 June"), "When is my sister's birthday?", (1, 0)),
        (
            ("my sister's birthday is 12 June", "no, it is 13 June", "no, 14 June"),
            "when is my sister's birthday",
            (2, 1, 0),
        ),
        (
            ("I booked seat 14A to Tokyo", "Tea is hot", "actually my seat is 15C"),
            "Which seat did I book to Tokyo?",
            (2, 0),
        ),
        (("The door code is 4711.", "The door code is 4712."), "what is the door code?", (1, 0)),
        (("The door code is 4711.", "Sorry, the code is 4712."), "what did I tell you about the door?", (1, 0)),
        (("Mum's birthday is 3 March.", "Ben's birthday is 4 May."), "when is mum's birthday?", (0,)),
        (
            ("Dinner with Ben is on Friday.", "Actually the talk with Ben is on Monday."),
            "when is dinner with Ben?",
            (0,),
        ),
        (("Locker 12 opens with 4711.", "Locker 13 opens with 9922."), "which code opens locker 12?", (0,)),
        (("Locker 12 opens with 4711.", "No, locker 12 opens with 9922."), "which code opens locker 12?", (1, 0)),
        (("Locker 12 opens with 4711.", "Locker 12 opens with 9922."), "which code opens locker 12?", (1, 0)),
        (("I eat meat on Sundays.", "I no longer eat meat."), "what did I say about meat?", (1, 0)),
        (("My dentist is Dr. Weber", "actually it's Dr. Braun"), "who is my dentist?", (1, 0)),
        (("My dentist is Dr. Weber", "I meant Dr. Braun"), "who is my dentist?", (1, 0)),
        (("The meeting is at 10", "sorry, make it 11"), "when is the meeting?", (1, 0)),
        (("The meeting is at 10", "Correction: 11"), "when is the meeting?", (1, 0)),
        (("My cat is Tom", "Tea is hot", "actually it's Tim"), "who is my cat?", (0,)),  # that is about the tea
    ],
)
def test_what_corrects_a_statement_is_quoted_before_it(
    said: tuple[str, ...], question: str, quotes: tuple[int, ...]
) -> None:
    life = Life()
    for one in said:
        life.hear(one).said()
    assert life.hear(question).said().strip().split("\n") == [MINE.format(said[at]) for at in quotes]


def test_a_note_is_quoted_before_what_was_said_and_without_its_echo() -> None:
    life = Life().hear("My flight to Tokyo is in May.").hear("remember that my flight to Tokyo is on 3 May, seat 14A")
    life.hear("My flight to Tokyo needs a visa.").said()
    note, *others = life.hear("what did I tell you about my flight to Tokyo?").said().strip().split("\n")
    assert note == MINE.format("my flight to Tokyo is on 3 May, seat 14A")
    assert others == [MINE.format("My flight to Tokyo needs a visa.")]  # “in May” adds nothing to the note
    life.hear("no, my seat is 15C").said()
    assert life.hear("Which seat do I have?").said().strip().split("\n") == [MINE.format("no, my seat is 15C"), note]


@pytest.mark.parametrize(
    "asked", ["waht is my seat", "tell me my seat", "whats my seat", "show me my seat", "my seat?"]
)
def test_nobodys_own_question_is_quoted_however_it_is_put(asked: str) -> None:
    life = Life().hear(asked)
    assert "You told me" not in life.said()
    life.hear("I booked seat 14A").said()
    assert life.hear(asked).said().strip().split("\n") == [MINE.format("I booked seat 14A")]


@pytest.mark.parametrize(
    ("note", "asked"),
    [
        ("车位是B7", "车位是什么？"),
        ("会议是三点", "会议几点？"),
        ("駐車場はB7です", "駐車場はどこですか？"),
        ("주차 자리는 B7입니다", "주차 자리는 어디예요?"),
        ("парковка B7", "где парковка?"),
        ("anahtar çekmecede", "anahtar nerede?"),
        ("مفتاحي في الدرج", "أين مفتاحي؟"),
        ("המפתח במגירה", "איפה המפתח?"),
        ("चाबी दराज़ में है", "चाबी कहाँ है?"),
    ],
)
def test_a_question_in_another_language_is_answered_from_notes(note: str, asked: str) -> None:
    said = Life(f"- {note}\n- tea is hot\n- 天气很好\n- 今天是好日子\n").hear(asked).said()
    assert note in said.split("\n")[0]


def test_a_correction_of_a_name_behind_a_title_comes_first() -> None:
    life = Life("- my dentist is Dr. Wolf (said by ana) (added 2026-11-21)\n").hear("remember my dentist is Dr. Wolf")
    life.hear("actually my dentist is Dr. Fuchs now")
    said = life.hear("who is my dentist?").said()
    assert 0 <= said.find("You told me: “actually my dentist") < said.find("You told me: “my dentist is Dr. Wolf")
