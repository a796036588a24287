"""Passages are found in whatever form a file has them, and nothing else is touched."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.text.passages import MARK, Passages, words
from dotagent.text.standing_instructions import sentences

SAID = "Mia's blue café is at 14 Quay Street, behind the mill"
BETWEEN = st.sampled_from([" ", "  ", "\n", "\n  ", " **", "_", ", ", "\t", " — ", '" "', "\u00a0"])
OTHER = st.sampled_from(
    ["The tide is late. ", "Ben: no.\n", "14 Quay\n", "", "a mill… ", "Mia's red café is at 14 Quay Street. "]
)


@given(before=OTHER, after=OTHER, gaps=st.lists(BETWEEN, min_size=11, max_size=11), big=st.booleans())
def test_it_is_gone_whatever_stands_between_its_words(before: str, after: str, gaps: list[str], big: bool) -> None:
    found = words(SAID)
    passage = "".join(word + gap for word, gap in zip(found, [*gaps[: len(found) - 1], ""], strict=True))
    passage = passage.upper() if big else passage
    text, known = f"{before}{passage}. {after}", Passages([SAID])
    assert known.gone(text) == f"{before}{MARK}. {after}"
    filled = known.filled(text)
    assert len(filled.encode()) == len(text.encode())
    assert [bool(line.strip()) for line in filled.split("\n")] == [bool(line.strip()) for line in text.split("\n")]
    assert not known.tell(filled)
    for ascii_only in (True, False):
        packed = json.dumps({"text": text}, ensure_ascii=ascii_only)
        assert SAID.split()[-3] not in json.loads(known.gone(packed))["text"].replace(before, "").replace(after, "")


@given(cut=st.integers(12, len(SAID) - 1), head=st.booleans())
def test_what_is_left_of_it_where_a_text_was_cut_is_gone_too(cut: int, head: bool) -> None:
    text = f"ana: {SAID[:cut]}…" if head else f"…{SAID[-cut:]} is where we met"
    gone = Passages([SAID]).gone(text)
    assert MARK in gone and len(words(gone)) <= 6


@given(st.text(max_size=200))
def test_what_does_not_have_it_stays_as_it_is(text: str) -> None:
    known = Passages([SAID])
    assert known.gone(text) == text == known.filled(text)


@pytest.mark.parametrize("text", ["Yes, I see", "so yes", "yes: no", "the eyes", "Yes and no."])
def test_few_words_are_meant_only_where_they_stand_alone(text: str) -> None:
    known = Passages(["Yes."])
    assert known.gone(text) == text
    assert known.gone("ana: Yes.\nBen: no") == f"ana: {MARK}.\nBen: no"


@pytest.mark.parametrize(
    "text", "({}) **{}** '{}' _{}_ <{}> [{}] @{} {}: {}, {}\u00a0:) {}\u00a0— {}♥ →\u00a0{} #{}".split(" ")
)
@pytest.mark.parametrize("passage", ["tulip bulbs", "տուլիպի սոխուկներ", "睡蓮", "काला घोड़ा"])
def test_few_words_are_found_between_signs(text: str, passage: str) -> None:
    said, known = text.format(passage), Passages([passage])
    for whole in (
        f"ana: {said}\nBen: no",
        f"{said}\n",
        json.dumps({"text": said}, ensure_ascii=False),
        f"gist=ana: {said}◲",
        f"(1: {said} ⏎ 2: no)",
        f"- {said} (added 2026-11-30)\n- {said} (said by ben) (added 2026-11-30)\n",
        f"They begin with `ana: {said}` and end with `I: Noted`.",
        f"- 21:44 {said}\n- 21:45 a rose\n",
    ):
        assert known.gone(whole) == whole.replace(passage, MARK)
    assert known.gone(f"I like {said} most") == f"I like {said} most"


@pytest.mark.parametrize("sign", "\u00ad \u200b \u200c \u200d \u200f \u2060 \ufffd".split(" "))
@pytest.mark.parametrize("passage", ["tulip bulbs", "The tulip bulbs are in the shed"])
def test_characters_that_a_reader_does_not_see_change_no_word(sign: str, passage: str) -> None:
    said = passage.replace("lip", f"l{sign}ip{sign}").replace("b", f"{sign}b")
    for known in (Passages([passage]), Passages([said])):
        for written in (passage, said, json.dumps(said)[1:-1]):
            whole = "ana: “{}”\n".format
            left = known.gone(whole(written))
            assert left.replace(sign, "").replace(json.dumps(sign)[1:-1], "") == whole(MARK)
        assert not known.tell(passage.replace("bulbs", "bulb"))


def test_a_short_line_is_found_beside_escaped_signs() -> None:
    written = json.dumps({"text": "❤\ufe0f tulip bulbs 🌷"})
    assert json.loads(Passages(["tulip bulbs"]).gone(written)) == {"text": f"❤\ufe0f {MARK} 🌷"}


def test_a_short_command_to_the_agent_is_found() -> None:
    gone = Passages(['/forget "zebra"']).gone('[USER:ana 2026-11-27T03:00:00Z] /forget "zebra"\n')
    assert gone == f'[USER:ana 2026-11-27T03:00:00Z] /{MARK}"\n'


def test_each_of_several_sentences_is_found() -> None:
    text = "The safe is green. The safe opens with 12 turns. The safe is old."
    assert Passages(list(sentences(text))[1:]).gone(text) == f"The safe is green. {MARK}. {MARK}."


def test_a_quoted_word_is_found_in_a_request_of_a_model() -> None:
    packed = json.dumps({"text": '#6 dev ana: /forget "zebra"'})
    assert json.loads(Passages(['"zebra"']).gone(packed))["text"] == f'#6 dev ana: /forget "{MARK}"'


@pytest.mark.parametrize(
    ("passage", "text", "left"),
    [
        ("मेरा बेटा बीमार है", "मेरी बेटी बीमार है। मेरा बेटा बीमार है।", f"मेरी बेटी बीमार है। {MARK}।"),
        ("con uống bơ mỗi ngày", "con uống bò mỗi ngày. con uống bơ mỗi ngày.", f"con uống bò mỗi ngày. {MARK}."),
        ("أنا في بيتي الآن", "أنا في بيتٍ الآن، ثم: أنا في بيتي الآن.", f"أنا في بيتٍ الآن، ثم: {MARK}."),
        ("mi papa vive lejos", "mi papa\u0301 vive lejos, mi papa vive lejos.", f"mi papa\u0301 vive lejos, {MARK}."),
    ],
    ids=["Hindi", "Vietnamese", "Arabic", "decomposed"],
)
def test_a_word_with_other_marks_is_another_word(passage: str, text: str, left: str) -> None:
    assert Passages([passage]).gone(text) == left


@pytest.mark.parametrize(
    ("passage", "text", "left"),
    [
        ("他走了", "我来了.他走了.", f"我来了.{MARK}."),
        ("花生", "我对花生过敏。花生！", f"我对花生过敏。{MARK}！"),
        ("我要休息", "今天很累啊 我要休息 再见", f"今天很累啊 {MARK} 再见"),
        ("他没来", "等了很久……他没来。", f"等了很久……{MARK}。"),
        ("¡Claro!", "¿Vienes? ¡Claro! Mañana.", f"¿Vienes? ¡{MARK}! Mañana."),
        ("Je pars.", "« Je pars. » Puis il ferma.", f"« {MARK}. » Puis il ferma."),
        ("Τι;", "Ξέρεις τι είναι; Τι; Δεν ξέρω.", f"Ξέρεις τι είναι; {MARK}; Δεν ξέρω."),
        ("ठीक है", "क्या ठीक है यह? ठीक है।", f"क्या ठीक है यह? {MARK}।"),
        ("Լավ է", "Շատ լավ է այստեղ։ Լավ է։", f"Շատ լավ է այստեղ։ {MARK}։"),
    ],
    ids=["Chinese", "a word", "a chat", "dots", "Spanish", "French", "Greek", "Hindi", "Armenian"],
)
def test_a_short_sentence_is_found_in_any_language_and_its_words_elsewhere_stay(
    passage: str, text: str, left: str
) -> None:
    assert Passages([passage]).gone(text) == left
