"""A model's summary: how it is read, and what of it is refused, left out or added."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fading import FORM, extracted, faded
from hypothesis import example, given, settings
from hypothesis import strategies as st
from made import entry

from dotagent.compaction import plan, summary
from dotagent.compaction.faithfulness import Source, facts
from dotagent.compaction.plan import Unreadable, spoken
from dotagent.compaction.summary import Summary
from dotagent.life.context import tokens_of
from dotagent.text import speakers, tokens
from dotagent.text.speakers import STANDING


def without_model(*lines: str, text: str = "") -> Summary:
    """A summary made without a model, with these standing instructions."""
    listed = [STANDING, *(f"- {line}" for line in lines)] if lines else []
    return Summary(5, "the day", "\n".join([text, *listed]).strip())


PLAIN = without_model()


def test_a_models_summary_is_read() -> None:
    assert summary.read(FORM, 1000, PLAIN) == Summary(7, "the seat", "Ana wants 14A.")
    read = summary.read(FORM, 1000, without_model("ana: Never call."))
    assert read.text == f"Ana wants 14A.\n{STANDING}\n- ana: Never call."


@pytest.mark.parametrize(
    "answer",
    [f"<reasoning>\nrelevance: 2\ngist: no\n\nno\n</reasoning>\n\n{FORM}", f"```\n{FORM}",
     "**Relevance:** 7/10\n**Gist:** the seat\n\nAna wants 14A.",
     "Relevance - 7\nGist: the seat\nAna wants 14A.", "gist: the seat\nrelevance: 7\n\nAna wants 14A.",
     "relevance=7 gist=the seat\nAna wants 14A.", "relevance=7\ngist=the seat\nsummary: Ana wants 14A.",
     f"```text\n{FORM}\n```", "1. relevance: 7\n2. gist: the seat\n3. Ana wants 14A.",
     "relevance: 7\ngist: the seat\n\n**Summary**\n\nAna wants 14A.\n```",
     "relevance: 7\ngist: the seat\n\n#12 2026-11-21T20:17:20Z HEAR dev 0123456789ab\nAna wants 14A.",
     "#12-40 relevance: 7\ngist: the seat\n\nAna wants 14A.",
     "relevance: 7\ngist: the seat\n\n#12 2026-11-21T20:17:20Z REPLY 0123456789ab\n#13 20:18\nAna wants 14A."],
)  # fmt: skip
def test_the_forms_in_which_models_write_one(answer: str) -> None:
    read = summary.read(answer, 1000, PLAIN)
    assert (read.relevance, read.text) == (7, "Ana wants 14A.")
    assert "the seat" in read.gist


def test_what_is_nearly_right_is_read() -> None:
    """A summary on the gist's line; one without its number or its gist; heads that were copied before what they say."""
    read = summary.read("relevance: 7\ngist: Ana wants seat 14A, by the window, to Tokyo", 1000, PLAIN)
    assert (read.text, read.relevance) == ("Ana wants seat 14A, by the window, to Tokyo", 7)
    assert summary.read("relevance: high\ngist: the seat\n\nAna wants 14A.", 1000, PLAIN) == Summary(
        5, "the seat", "Ana wants 14A."
    )
    assert summary.read("relevance: 7\n\nAna wants seat 14A.", 1000, PLAIN).gist == "the day"
    light = "relevance: 7\ngist: the seat\n\n#7 20:17 dev ana: I want 14A.\n#8 dev ben: Fine.\n#9 20:18 bob: No."
    light += "\n#12 it is open, says ana"
    assert summary.read(light, 1000, PLAIN).text == "ana: I want 14A.\nben: Fine.\nbob: No.\nit is open, says ana"


@pytest.mark.parametrize(
    "answer",
    ["", "Ana wants 14A.", "relevance: 7", "gist: x", "relevance: high",
     "relevance: 7\ngist: x", "relevance: 7\ngist: x\n\n \n", "```\nrelevance: 7\ngist: the seat\n```",
     "relevance: " + "9" * 5000, f"relevance: 7\ngist: x\n\n{'kettle ' * 400}"],
)  # fmt: skip
def test_what_is_no_summary_is_refused(answer: str) -> None:
    with pytest.raises(Unreadable):
        summary.read(answer, 400, PLAIN)


SAID = Source("ana: I fly to Tokyo on Friday, seat 14A.\nme: Booked: QF12, 840 euros.\nana: Feed the old cat, please.")


@pytest.mark.parametrize(
    "text",
    ["Ana fliegt am Freitag nach Tokyo auf Platz 14A; gebucht ist QF12 für 840 Euro, und die Katze braucht Futter.",
     "Ana needs her ticket (QF12) for the journey, a window if possible, and somebody for the pet meanwhile.",
     "Анна летит в пятницу в Токио, место у окна; билет куплен, кошку надо кормить в старой гавани, пожалуйста.",
     "Feed the cat."],
)  # fmt: skip
def test_a_summary_in_other_words_another_language_or_few_words_is_one(text: str) -> None:
    assert summary.read(f"relevance: 7\ngist: the journey\n\n{text}", 1000, PLAIN, SAID).text == text


def test_one_that_has_nothing_of_what_it_sums_up_is_refused() -> None:
    """What a model of half a billion parameters answered: the instruction's own words, and then the next request."""
    steps = "\n".join(f"{at}. Steps taken in the {word}" for at, word in enumerate(("edit", "rescue", "resume"), 2))
    answer = f"relevance: 10, it is\ngist: There are several things\n1. Notes on what was decided and why\n{steps}"
    with pytest.raises(Unreadable):
        summary.read(answer, 1000, PLAIN, SAID)
    assert (
        summary.read(f"{FORM}\n\nSUMMARISE the entries #28 to #43\n\n{answer}", 1000, PLAIN, SAID).text
        == "Ana wants 14A."
    )


BUREK = "ana: What is for lunch on Friday?\nme: The bakery opens at 9.\nana: Then I'll take the train R41 at 14:05."


def refused(text: str, source: Source, gist: str = "lunch") -> bool:
    try:
        summary.read(f"relevance: 7\ngist: {gist}\n\n{text}", 1000, PLAIN, source)
    except Unreadable:
        return True
    return False


@pytest.mark.parametrize(
    "text",
    ["I: We had burek for lunch", "They talked.", "ana: I met Leo", "ana: The train leaves at 17:30.",
     "Seat 14A is booked.", "Ana's lunch with Otmar is on Monday.", "Burek."],
)  # fmt: skip
def test_what_is_not_in_the_entries_is_refused_however_short(text: str) -> None:
    """A model of 1.5 billion parameters wrote the first one of entries in which nobody had any."""
    assert refused(text, Source(BUREK))
    assert refused(text, Source(BUREK), gist="lunch, the train R41 and the bakery")  # the gist counts for nothing
    assert not refused("ana: the train R41 at 14:05", Source(BUREK))


def test_what_loops_is_told_once_and_a_gist_for_each_thing_is_a_summary() -> None:
    """As the model of 1.5 billion parameters wrote them; and a summary far too long is cut to what tells most."""
    source = Source(BUREK)
    one = "ana: I'll take the train R41 at 14:05."
    for answer in (f"relevance: 7\ngist: …\n\n{one}\n{one}\n\n{one}", f"relevance: 7\ngist: {one}\n\n" * 9):
        read = summary.read(answer, 1000, without_model(text=""), source)
        assert (read.text, read.gist) == (one, "the day" if "…" in answer else one)
    said_there = [f"ana: Ticket {at} is in drawer {at * 7}, they say." for at in range(30)]
    read = summary.read("relevance: 7\ngist: x\n\n" + "\n".join(said_there), 300, PLAIN, Source("\n".join(said_there)))
    assert 20 < tokens.estimate(read.text) <= summary.budget(300)


def test_what_stands_word_for_word_below_is_not_told_again() -> None:
    """And told wrong: it took the rule of one person for another's."""
    source = Source("ana: She is seven and allergic to peanuts.\nbob: Let's meet at 14:05.")
    rule = "ana: She is seven and allergic to peanuts."
    read = summary.read(
        "relevance: 7\ngist: x\n\nbob: is seven and allergic to peanuts\nbob: Let's meet at 14:05.",
        1000,
        without_model(rule),
        source,
    )
    assert speakers.part(read.text) == ("bob: Let's meet at 14:05.", [rule])


def test_who_speaks_in_an_example_speaks_in_no_summary() -> None:
    source = Source(BUREK, "otmar: The kiln is back.\nOtmar glazes again.")
    read = summary.read("relevance: 7\ngist: …\n\notmar: The bakery opens at 9.", 1000, PLAIN, source)
    assert read.text == "The bakery opens at 9."


def test_of_a_summary_only_what_is_made_up_is_left_out() -> None:
    text = (
        "ana: I'll take the train R41 at 14:05. We had burek at Leo's.\nThe bakery opens at 9.\nana: Leo is my brother."
    )
    read = summary.read(f"relevance: 7\ngist: burek at Leo's\n\n{text}", 1000, PLAIN, Source(BUREK))
    assert read.text == "ana: I'll take the train R41 at 14:05.\nThe bakery opens at 9."
    assert "Leo" not in read.gist and "burek" not in read.gist


def test_nothing_of_an_example_in_the_prompt_comes_back() -> None:
    """`others` is all text of the request that is no entry: a life in an example had a brother Leo, who came back."""
    others = "ana: My brother is Leo, he lives by the canal.\nme: Noted.\n#3 17:05 ana: Otmar's kiln cost 80 euros."
    source = "ana: My brother takes the train at 14:05.\nme: I wrote it down, and what it cost."
    for text in ("My brother is Leo.", "leo takes the train.", "My brother takes the train by the canal near Otmar.",
                 "It cost 80 at 14:05."):  # fmt: skip
        assert refused(text, Source(source, others)), text
    assert not refused("My brother takes the train at 14:05.", Source(source, others))
    assert not refused("ana: my brother Leo takes the train.", Source(f"{source}\nana: Leo is his name", others))


def test_a_day_may_be_told_from_when_it_was_said() -> None:
    source = Source("ana: I fly tomorrow at 9, seat 14A.", days=("2026-05-02T20:17:20.000000Z",))
    assert not refused("On 2 May ana said that they fly, seat 14A.", source)
    assert refused("On 17 June ana said that they fly, seat 14A.", source)


TOLD = ["Book QF12 to Tokyo on 3 May, seat 14A.", "Dr. Okonkwo's number is +45 20 17 17 20.",
        "The report is in reports/2026/q3-final.csv.", "Well, who knows what the weather will be."]  # fmt: skip


def test_what_the_extract_tells_and_a_summary_lacks_is_added() -> None:
    live = [entry(at, "HEAR", words) for at, words in enumerate([*TOLD, *["It rains again, so they say."] * 20], 1)]
    without, total = extracted(live), tokens_of(live)
    source = Source("\n".join(f"ana: {words}" for one in live for _, words in spoken(one)))
    for text in (
        "ana: Book QF12 to Tokyo.",
        "It rains again, so they say.",
        f"ana: {TOLD[1]}",
        "It rains again. " * 14,
    ):
        read = summary.read(f"relevance: 7\ngist: the trip\n\n{text}", total, without, source)
        for exact in ("QF12", "14A", "3 May", "reports/2026/q3-final.csv", "Okonkwo", "+45 20 17 17 20"):
            assert exact in read.text, (text, exact)
        assert tokens.estimate(read.text) <= max(summary.budget(total), tokens.estimate(text))
        assert read.text.count("QF12 to Tokyo on") == 1
    whole = "\n".join(f"ana: {words}" for words in TOLD[:3])
    assert summary.read(f"relevance: 7\ngist: the trip\n\n{whole}", total, without, source).text.startswith(whole)


@pytest.mark.slow
@given(st.lists(st.sampled_from([*TOLD, "Tea is at 16:30.", "Ask Ines.", "We met Leo on Friday."]), min_size=1),
       st.lists(st.sampled_from([*TOLD, "Ask Ines.", "Fine, thanks."]), min_size=1))  # fmt: skip
@example(["Dr. Okonkwo's number is +45 20 17 17 20."] * 4, ["Book QF12 to Tokyo on 3 May, seat 14A."])
def test_a_summary_tells_never_less_than_no_model(said_there: list[str], written: list[str]) -> None:
    live = [entry(at, "HEAR", words) for at, words in enumerate(said_there, 1)]
    without, total = extracted(live), tokens_of(live)
    source = Source("\n".join(f"ana: {words}" for one in live for _, words in spoken(one)))
    try:
        read = summary.read("relevance: 7\ngist: x\n\n" + "\n".join(written), 4 * total, without, source)
    except Unreadable:
        return
    told = {fact for line in without.text.split("\n") for fact in facts(line)}
    kept = {fact for line in read.text.split("\n") for fact in facts(line)}
    assert len(kept) >= len(told)
    assert all(fact in source.known for fact in kept)


@pytest.mark.slow
@given(st.text(max_size=400), st.integers(1, 5000))
@example("relevance: ²\ngist: x\n\ny", 1000)
@settings(max_examples=100)
def test_any_answer_is_read_or_refused(answer: str, length: int) -> None:
    for text in (answer, f"relevance: 3\ngist: {answer}", f"relevance: 7\ngist: g\n\n{answer}"):
        try:
            read = summary.read(text, length, without_model("ana: Never."), SAID)
        except Unreadable:
            continue
        assert 1 <= read.relevance <= 10
        assert not {"◱", "◲", "\n"} & set(read.gist)
        assert speakers.part(read.text)[1][-1] == "ana: Never."


def test_one_that_is_twice_as_long_as_asked_is_taken_and_one_that_is_far_longer_is_not() -> None:
    for length in (300, 3000, 40_000):
        words = "".join(
            f"kettle{chr(97 + at % 26)}{chr(97 + at // 26 % 26)}{chr(97 + at // 676)} " for at in range(9000)
        )
        asked = summary.budget(length)
        for times, good in ((1, True), (2, True), (4, False)):
            text = words[: int(times * asked / tokens.estimate(words) * len(words))]
            answer = f"relevance: 7\ngist: x\n\n{text}"
            if good:
                assert summary.read(answer, length, PLAIN).text == text.strip()
            else:
                with pytest.raises(Unreadable):
                    summary.read(answer, length, PLAIN)


def test_it_does_not_repeat_what_the_prompt_lists_already() -> None:
    said = [("ana", "My locker number is 46. I take seat 14A to Tokyo.")]
    source = Source("ana: My locker number is 46.\nana: I take seat 14A to Tokyo.", said=tuple(said))
    made = without_model(text="ana: My locker number is 46.\nana: I take seat 14A to Tokyo.")
    answer = "relevance: 7\ngist: the seat\n\nana: My locker number is 46. I take seat 14A to Tokyo.\nstanding: none"
    listed = replace(source, listed=("ana: My locker number is 46.",))
    whole, text = (summary.read(answer, 1000, made, one, messages=said).text for one in (source, listed))
    assert "46" in whole and "46" not in text and "14A" in text


@pytest.mark.parametrize(
    ("stands", "said"),
    [
        ("My dentist is Dr Kim.", "My dentist is not Dr Kim."),
        ("My flight to Oslo leaves at 9:40.", "My flight to Oslo leaves at 10:40."),
        ("My account of 3 is at the blue bank.", "My account of 3 is no longer at the blue bank."),
        ("Call me Captain.", "Don't call me Captain."),
    ],
)
def test_a_correction_of_what_the_prompt_lists_stays(stands: str, said: str) -> None:
    source = Source(f"ana: {said}", said=(("ana", said),), listed=(f"ana: {stands}",))
    answer = f"relevance: 7\ngist: x\n\nana: {said}\nana: {stands}\nstanding: none"
    read = summary.read(answer, 1000, without_model(f"ana: {said}"), source)
    assert read.text == f"ana: {said}"


def test_what_it_lists_word_for_word_counts_where_its_summary_is_made_up() -> None:
    answer = "relevance: 7\ngist: x\n\nZebedee sold 99 boats to Olga Petrova of Minsk.\nstanding: "
    told, made = [("ana", "I came by train. Never call me before 9.")], without_model(text="Ana wants seat 14A.")
    read = summary.read(f"{answer}Never call me before 9.", 1000, made, SAID, messages=told)
    assert speakers.part(read.text) == ("Ana wants seat 14A.", ["ana: Never call me before 9."])
    with pytest.raises(Unreadable):
        summary.read(f"{answer}Always call me before 9.", 1000, made, SAID, messages=told)


def test_what_a_model_lists_as_standing_is_replaced_by_what_was_said() -> None:
    """It may drop one, change one or make one up; and it may write the list first and its summary after."""
    made_up = f"{STANDING}\n- ana: You must always pay eve.\n- ana: Never cal."
    for text in (
        f"Ana wants 14A.\n{made_up}",
        f"{made_up}\nAna wants 14A.",
        f"## **{STANDING}**\n* pay eve\n\nAna wants 14A.",
    ):
        read = summary.read(f"relevance: 7\ngist: x\n\n{text}", 1000, without_model("ana: Never call."))
        assert speakers.part(read.text) == ("Ana wants 14A.", ["ana: Never call."])
    only = summary.read(f"relevance: 7\ngist: the rules\n\n{made_up}", 1000, without_model("ana: Never call."))
    assert speakers.part(only.text) == ("the rules", ["ana: Never call."])


def test_no_one_is_quoted_with_anothers_words() -> None:
    """A line has the speaker who said it; a mixture of two speakers' words has none; what someone said stays theirs."""
    said = [
        entry(1, "HEAR", "My sister Mette arrives on 3 May with the ferry."),
        entry(2, "HEAR", "The boiler in Kolding leaks, and Ravn wants 840 kroner.", who="USER:ben"),
        entry(3, "TOOL", "pip: no matching distribution found for ferrytimes", detail="RUN error"),
    ]
    answer = (
        "relevance: 7\ngist: the visit\n\nana: The boiler in Kolding leaks, Ravn wants 840 kroner.\n"
        "ben: My sister Mette arrives on 3 May.\nana: pip found no matching distribution for ferrytimes.\n"
        "ben: Ravn wants 840 kroner, and Mette arrives with the ferry on 3 May."
    )
    text = summary.read(answer, 1000, extracted(said), plan.source(said)).text.split("\n")
    assert text[:2] == [
        "ben: The boiler in Kolding leaks, Ravn wants 840 kroner.",
        "ana: My sister Mette arrives on 3 May.",
    ]
    assert "TOOL RUN error: pip found no matching distribution for ferrytimes." in text
    assert not [line for line in text if line.startswith("ana:") and "pip" in line]
    assert "Ravn wants 840 kroner, and Mette arrives with the ferry on 3 May." in text


def test_the_agent_is_not_quoted_with_what_only_a_person_said() -> None:
    """Neither where the agent said nothing, nor where an older summary has a line without a speaker."""
    said = [
        entry(1, "HEAR", "My sister Mette arrives on 3 May with the ferry."),
        entry(2, "TOOL", "wrote list.md, 30 bytes", detail="WRITE_FILE ok"),
        faded("ana: The boiler in Kolding leaks.\nRavn wants 840 kroner for the boiler."),
    ]
    answer = (
        "relevance: 7\ngist: the visit\n\nI: My sister Mette arrives on 3 May.\n"
        "I: Ravn wants 840 kroner for the boiler.\nNothing was said."
    )
    text = summary.read(answer, 1000, extracted(said), plan.source(said)).text.split("\n")
    assert text[:2] == ["ana: My sister Mette arrives on 3 May.", "Ravn wants 840 kroner for the boiler."]
    assert not [line for line in (*text, *extracted(said).text.split("\n")) if line.startswith("I:")]
    assert "Nothing was said." not in text


def test_a_summary_keeps_a_line_of_a_person_word_for_word() -> None:
    own = "I keep the spare key under the third pot."
    said = [entry(1, "HEAR", own), entry(2, "REPLY", "I see."), entry(3, "TOOL", "kept 3 pots", detail="RUN ok")]
    answer = "relevance: 7\ngist: the key\n\nThe spare key is under the third pot."
    assert f"ana: {own}" in summary.read(answer, 1000, extracted(said), plan.source(said)).text.split("\n")
    again = f"relevance: 7\ngist: the key\n\nana: {own}"
    assert summary.read(again, 1000, extracted(said), plan.source(said)).text.count(own) == 1
