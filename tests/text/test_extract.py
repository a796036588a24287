"""Extraction without a model: what a summary keeps, that chunks cover and scores rank."""

import random
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.text.extract import Unit, gist, relevance, segment, summarise
from dotagent.text.standing_instructions import standing

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


WORDS = [
    "The cook,My aunt,A driver,Our guest,The clerk,His uncle".split(","),
    "washed,painted,weighed,packed,wrapped,counted,moved,lost".split(","),
    "the chairs,a lamp,the letters,two drums,the carpet,a basket".split(","),
    "on Monday,in the hall,after lunch,in March,last night,with Lena".split(","),
]


def test_a_summary_keeps_what_no_other_sentence_says() -> None:
    """Sentences of the same few words filled it, because most of them name a day or a person."""
    kept = 0
    for seed in range(20):
        draw = random.Random(seed)
        plain = [f"{' '.join(map(draw.choice, WORDS))}." for _ in range(90)]
        telling = [f"The seal of crate-{at}.csv is {one}." for at, one in enumerate(("amber kettle", "ivory napkin"))]
        files = [Unit(at, "TOOL READ_FILE", " ".join([one, *plain[at::2]])) for at, one in enumerate(telling)]
        told = summarise([Unit(9, "ana", "Please read both.", True), *files], 700)
        kept += sum(one in told for one in telling)
    assert kept >= 30  # of 40


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


SENTENCES = (
    "You must never call me before 9.",
    "Always answer in French.",
    "I'm allergic to peanuts.",
    "I always wondered how birds navigate.",
    "She never told me.",
    "Never mind.",
)
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=())),
    st.lists(st.sampled_from([*SENTENCES, "Ana", "7", "\n", " ", "。", "a/b", "◱", "the cat sat.", "?"])).map(" ".join),
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


@pytest.mark.night
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
