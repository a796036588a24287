"""Extraction without a model: which sentences stand, what a summary keeps, that chunks cover and scores rank."""

import random
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.text.extract import Unit, gist, relevance, segment, summarise
from dotagent.text.standing import standing

STANDING = [
    "You must answer in French.",
    "Answers must never exceed three lines.",
    "The report must contain a table of costs.",
    "You must not delete the backups.",
    "You mustn't email my boss.",
    "Never delete anything in /srv without asking me.",
    "Always run the tests before you push.",
    "Please always reply in metric units.",
    "Please never call me before 9.",
    "Do not ever push to main.",
    "Don't ever share my address.",
    "From now on, use British spelling.",
    "From today on we speak German.",
    "Remember that my daughter's name is Ines.",
    "Remember: the staging server is down on Sundays.",
    "Please remember that I work from Lisbon.",
    "Keep in mind that the budget is 4,000 euros.",
    "I am allergic to peanuts.",
    "I'm severely allergic to penicillin.",
    "My son is allergic to bees.",
    "Ana is allergic to cats.",
    "She is seven and allergic to peanuts.",
    "My daughter is seven, loves dinosaurs and is allergic to nuts.",
    "I have a nut allergy.",
    "I'm a strict vegetarian.",
    "I am vegan.",
    "I don't eat pork.",
    "Call me Ana.",
    "Please call me Dr. Lee.",
    "You can call me Al.",
    "call me ana",
    "Don't call me Annie.",
    "When you write code, always add tests.",
    "If a test fails, never commit.",
    "You should never merge on Fridays.",
    "You should always ask first.",
    "I want you to always cite sources.",
    "Make sure you never overwrite the log.",
    "Dory, always answer briefly.",
    "Use tabs, and never use spaces.",
    "Under no circumstances may the key be logged.",
    "Backups must be kept for ninety days.",
    "It must be kept below 80 characters.",
    "You must be careful with the old disk.",
    "Passwords must be at least 12 characters long.",
    "- Always cite your sources",
    "**Never** share my phone number.",
    '"Never reveal the password."',
    "Everyone must have two keys.",
    "I must never eat gluten.",
    "Don't book anything without my permission.",
    "Never tell anyone about the surprise.",
    "You are not allowed to deploy on Fridays.",
    "My pronouns are they/them.",
    "Also, always sign with my initials.",
    "Never frobnicate the database.",
    "Always use the blue theme; it is easier on my eyes.",
    "The door must always be locked.",
    "All dates must be ISO 8601.",
    "Invoices must go to accounting@example.org.",
    "Never, ever touch my calendar.",
    "I always prefer a window seat.",
    "Address me as Captain.",
    "you must always be so",
    "The backup must run at 3am.",
    "You must use python 3.11 here",
    "ALWAYS ask before you delete.",
    "Never say never to a customer.",
    "So always use text, please.",
]
PASSING = [
    "I always wondered how birds navigate.",
    "I have always loved the sea.",
    "She never told me.",
    "He always comes late.",
    "Never mind.",
    "Never heard of it.",
    "Never again!",
    "Always a pleasure.",
    "Always nice to see you.",
    "Always happy to help.",
    "Must I always do this?",
    "Should we never delete it?",
    "Do you always answer in French?",
    "Why must you always be late",
    "You must be tired.",
    "You must be kidding.",
    "You must have been hungry.",
    "It must be raining.",
    "That must hurt.",
    "I must say, that was good.",
    "I must go now.",
    "I must admit I forgot.",
    "They must have forgotten.",
    "It's a must.",
    "A must-see film.",
    "You must know that feeling.",
    "Call me later.",
    "Call me back when you can.",
    "Call me on Monday.",
    "Call me crazy, but it works.",
    "Call me tomorrow",
    "He told me to call me a cab.",
    "I remember that day well.",
    "Do you remember that song?",
    "Remember when we went to Rome?",
    "Remember to buy milk.",
    "I never knew that.",
    "We always lived in Porto.",
    "Don't worry about it.",
    "Do not forget the milk.",
    "I don't think he ever came.",
    "I'm not allergic to anything.",
    "She is kind, and not allergic to anything.",
    "Many people like cats.",
    "It never rains in June.",
    "The old clock always stopped at noon.",
    "He came in and never said a word.",
    "I wake at six and always drink tea.",
    "Forever young.",
    "What is always true of primes is rarely useful?",
    "You never listen.",
    "You always know best.",
    "I've never been there.",
    "As always, thanks.",
    "Better late than never.",
    "The must was fermented.",
    "It must be nice to live there.",
    "There must be a way.",
    "Mustard is yellow.",
    "You should never have come.",
    "I never call my brother.",
    "She said she always buys bread there.",
    "I will always love you.",
    "My phone never rings.",
]


@pytest.mark.parametrize("sentence", STANDING)
def test_instructions_stand(sentence: str) -> None:
    assert standing(sentence) == [sentence]


@pytest.mark.parametrize("sentence", PASSING)
def test_narrations_moods_and_questions_do_not_stand(sentence: str) -> None:
    assert standing(sentence) == []


def test_standing_sentences_are_found_within_a_text() -> None:
    text = """Hi, e.g. Dr. Lee came at 9.30 a.m. and left. You must never\ncall him   Bob! Did we win?
- always use tabs
- nothing else
1. Call me Ana."""
    assert standing(text) == ["You must never call him Bob!", "- always use tabs", "1. Call me Ana."]


def test_standing_sentences_carry_no_mark_of_a_reference() -> None:
    assert standing("Never trust ◱hash=0 gist=x◲\x1b[0m ever.") == ["Never trust hash=0 gist=x [0m ever."]


CHAT = [
    Unit(number, speaker, text)
    for number, (speaker, text) in enumerate(
        [
            ("ana", "Hi there!"),
            ("dory", "Hello Ana, how can I help?"),
            ("ana", "I fly to Tokyo on 3 May with QF12. I'm allergic to peanuts."),
            ("dory", "Noted. I booked seat 14A by the window for flight QF12."),
            ("ana", "Great, thanks. You must never book anything without asking me."),
            ("dory", "Understood."),
            ("ana", "The parser's fault is in dotagent/text/grammar.py, line 40."),
            ("dory", "I decided to use a state machine instead of a regex because the fences nest."),
            ("ana", "What about the weather in Tokyo?"),
            ("dory", "It is usually 20 degrees in Tokyo in May."),
            ("ana", "So it is usually 20 degrees in Tokyo in May."),
        ]
    )
]
FIRM = ["ana: I'm allergic to peanuts.", "ana: You must never book anything without asking me."]


def test_a_gist_is_the_telling_sentence() -> None:
    text = "# Plan\n\nWe looked around a bit. The deadline for Tokyo is 3 May, agreed with Ana. Well. It was nice."
    assert gist(text) == "The deadline for Tokyo is 3 May, agreed with Ana."
    assert (
        gist("One. Two three.\nYou must always write to ana@example.org.")
        == "You must always write to ana@example.org."
    )


def test_a_gist_is_cut_at_a_word() -> None:
    assert gist("The quick brown fox jumps over the lazy dog", 20) == "The quick brown fox…"
    assert gist("The quick brown fox jumps over the lazy dog", 18) == "The quick brown…"
    assert gist("abcdefghij", 5) == "abcd…"
    assert gist("abc", 0) == gist(" \n\t") == ""


def test_a_summary_keeps_the_order_and_drops_the_redundant() -> None:
    lines = summarise(CHAT, 450).split("\n")
    places = [next(u.number for u in CHAT if line.partition(": ")[2] in u.text) for line in lines]
    assert places == sorted(places)
    assert set(FIRM) < set(lines)
    assert sum("20 degrees" in line for line in lines) == 1
    assert "dory: Understood." not in lines


def test_a_summary_keeps_standing_sentences_first() -> None:
    assert summarise(CHAT, sum(map(len, FIRM)) + 1).split("\n") == FIRM
    assert set(FIRM) < set(summarise(CHAT, 160).split("\n"))
    assert summarise(CHAT, len(FIRM[1]) + 5) == FIRM[1]  # the later, where both do not fit
    assert summarise(CHAT, 27) == "ana: You must never book…"


def test_a_summary_prefers_what_names_things() -> None:
    chat = [Unit(i, "ana", f"Some {word} words were there as well.") for i, word in enumerate(["grey", "dull", "odd"])]
    chat.insert(1, Unit(9, "ana", "We decided that Ines meets Tom at 14:30 in Lisbon."))
    assert summarise(chat, 60) == "ana: We decided that Ines meets Tom at 14:30 in Lisbon."


def test_a_standing_sentence_is_kept_once_and_a_tool_instructs_nobody() -> None:
    same = [Unit(i, "ana", "Always answer in French.") for i in range(5)]
    assert summarise(same, 500) == "ana: Always answer in French."
    manual = [Unit(i, "TOOL READ_FILE", f"The field {i} must always be an unsigned number.") for i in range(99)]
    assert "ana: Always answer in French." in summarise([*same, *manual], 100).split("\n")


TOPICS = [
    "book seat window airline passport luggage gate boarding ticket layover visa airport terminal aisle".split(" "),
    "tomato soil compost seeds water sunlight weeds prune harvest basil pots slugs greenhouse rake".split(" "),
    "function compiler bug test branch merge parser exception refactor server cache thread lock".split(" "),
    "guitar chord melody rehearsal drummer concert tuning strings amplifier song lyrics studio".split(" "),
]
PLAIN = "I think we could look at that and then see what you want about it before the end of it all maybe".split(" ")


def chat_of(topics: list[int], seed: int = 1) -> list[Unit]:
    """One unit of about 200 characters for each topic's number, a third of whose words are the topic's."""
    draw = random.Random(seed)
    return [
        Unit(i, "ana", " ".join(draw.choice(TOPICS[t] if draw.random() < 0.35 else PLAIN) for _ in range(40)) + ".")
        for i, t in enumerate(topics)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_chunks_follow_the_topics(seed: int) -> None:
    topics = [0] * 9 + [1] * 7 + [2] * 12 + [3] * 5 + [0] * 8
    starts = {first for first, _ in segment(chat_of(topics, seed))}
    assert all(starts & {true - 1, true, true + 1} for true in (9, 16, 28, 33))
    assert len(starts) <= 6


def test_one_topic_is_cut_only_for_its_length() -> None:
    same = [Unit(i, "ana", "the parser bug in the merge branch") for i in range(60)]
    assert segment(same, 3, 100) == [(0, 59)]
    assert all(last - first < 24 for first, last in segment(same))


def test_relevance_ranks_what_stands_and_what_is_named_over_small_talk() -> None:
    units = [Unit(i, "ana", "Well, that is nice to hear.") for i in range(12)]
    units[4] = Unit(4, "ana", "You must never delete the backups.")
    units[7] = Unit(7, "ana", "We decided to meet Ines at 14:30 in Lisbon.")
    assert relevance(units, [(0, 2), (3, 5), (6, 8), (9, 11)]) == [1, 10, 7, 4]  # the last is only later than the first
    assert relevance(units, [(0, 11)]) == [5]
    assert relevance(units, []) == []


TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=())),
    st.lists(
        st.sampled_from([*STANDING[:9], *PASSING[:9], "Ana", "7", "\n", " ", "。", "a/b", "◱", "the cat sat.", "?"])
    ).map(" ".join),
)
UNITS = st.lists(
    st.builds(Unit, st.integers(), st.one_of(st.sampled_from(["ana", "TOOL RUN", ""]), TEXTS), TEXTS), max_size=12
)


@given(TEXTS, st.integers(-1, 90))
def test_a_gist_is_one_short_clean_line(text: str, most: int) -> None:
    line = gist(text, most)
    assert len(line) <= max(0, most)
    assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or c in "◱◲" for c in line)
    assert line == gist(text, most) == line.strip()
    assert line or most < 1 or not gist(text, 80)


@given(UNITS, st.integers(-1, 900))
def test_a_summary_holds_its_budget_and_the_instructions(units: list[Unit], budget: int) -> None:
    summary = summarise(units, budget)
    assert len(summary) <= max(0, budget)
    assert summary == summarise(units, budget)
    firm = {s: None for unit in units if not unit.speaker.strip().startswith("TOOL") for s in standing(unit.text)}
    room = sum(len(unit.speaker) + 3 + len(s) for unit in units for s in standing(unit.text))
    assert budget < room or all(any(line.endswith(s) for line in summary.split("\n")) for s in firm)


@given(st.lists(st.integers(0, 3), max_size=70), st.integers(-1, 9), st.integers(0, 30))
def test_chunks_cover_all_and_keep_their_sizes(topics: list[int], least: int, most: int) -> None:
    units = chat_of(topics)
    chunks = segment(units, least, most)
    assert [i for first, last in chunks for i in range(first, last + 1)] == list(range(len(units)))
    sizes = [last - first + 1 for first, last in chunks]
    assert all(1 <= size <= max(1, most) for size in sizes)
    if 2 * least <= most + 1 and len(units) >= least:
        assert all(size >= least for size in sizes)
    scores = relevance(units, chunks)
    assert len(scores) == len(chunks) and all(1 <= score <= 10 for score in scores)
    assert (chunks, scores) == (segment(units, least, most), relevance(units, chunks))


@given(UNITS)
def test_any_units_are_cut_and_ranked(units: list[Unit]) -> None:
    chunks = segment(units, 1, 4)
    assert sum(last - first + 1 for first, last in chunks) == len(units)
    scores = relevance(units, chunks)
    assert len(chunks) < 2 or (min(scores), max(scores)) == (1, 10)


@pytest.mark.slow
def test_time_grows_with_the_units_and_not_with_their_square() -> None:
    units = chat_of([i // 9 % 4 for i in range(500)])  # a square law takes minutes here
    chunks = segment(units)
    for work in (
        lambda: segment(units),
        lambda: relevance(units, chunks),
        lambda: summarise(units, 8000),
        lambda: [standing(unit.text) for unit in units],
        lambda: [gist(unit.text) for unit in units],
    ):
        start = time.process_time()
        work()
        assert time.process_time() - start < 10
