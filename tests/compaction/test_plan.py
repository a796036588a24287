"""What may fade and in which chunks: whatever a model proposes, each entry that may fade is in exactly one chunk."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from made import entry, turns

from dotagent.compaction import plan
from dotagent.compaction.plan import Chunk, Unreadable
from dotagent.life.context import Entry, tokens_of

EVENTS = st.sampled_from(["HEAR", "HEAR", "REPLY", "TOOL", "NOTE", "FADED", "PAPER", "LIFE", "FAINT"])


@st.composite
def contexts(draw: st.DrawFn) -> list[Entry]:
    kinds = draw(st.lists(EVENTS, min_size=1, max_size=40))
    chance = random.Random(draw(st.integers(0, 99)))
    made, number = list[Entry](), draw(st.integers(1, 10**6))
    for kind in kinds:
        text = "kettle harbour 14A. " * chance.choice([0, 1, 5, 40])
        detail = f"{number}-{number} relevance=3 summary={'0' * 32}" if kind == "FADED" else ""
        made.append(entry(number, kind, text, "MEMORY.md" if kind == "PAPER" else detail))
        number += chance.choice([1, 1, 2, 50])
    return made


@given(contexts(), st.sets(st.integers(0, 39)))
def test_what_may_fade_is_the_oldest_two_thirds_without_what_is_kept(entries: list[Entry], kept: set[int]) -> None:
    numbers = {entries[at].number for at in kept if at < len(entries)}
    may = plan.eligible(entries, numbers)
    assert tokens_of(plan.eligible(entries, ())) * 3 <= tokens_of(entries) * 2
    assert not {one.number for one in may} & numbers
    assert may == [one for one in plan.eligible(entries, ()) if one.number not in numbers]
    assert [one.number for one in plan.eligible(entries, ())] == [
        one.number for one in entries[: len(plan.eligible(entries, ()))]
    ]


def test_it_ends_where_a_turn_begins() -> None:
    entries = turns([100, 100, 100, 100, 100, 100])
    assert [one.number for one in plan.eligible(entries, ())] == list(range(1, 9))
    entries = turns([100, 100, 100, 100, 100, 90])
    assert [one.number for one in plan.eligible(entries, ())] == list(range(1, 7))


@pytest.mark.parametrize(
    "last",
    [
        [plan.RESTED - 100], [100, plan.RESTED], [3 * plan.RESTED, 200], [8 * plan.RESTED], [2 * plan.RESTED - 50, 10],
    ],
)  # fmt: skip
def test_at_rest_about_as_much_stays_whatever_the_last_turns_are(last: list[int]) -> None:
    """A turn of 4,500 tokens before the pause would otherwise stay whole, and be read again at the full price. And a
    last turn of a few words would stay alone."""
    entries = [*turns([1000] * 6), *turns(last, first=13, steps=9)]
    stays = tokens_of(entries) - tokens_of(plan.eligible(entries, (), why=plan.REST))
    assert plan.RESTED / 2 <= stays <= 2 * plan.RESTED


def test_at_rest_nothing_of_a_short_talk_fades() -> None:
    assert plan.eligible(turns([200, 200, 200]), (), why=plan.REST) == []


@pytest.mark.parametrize("before", [[], [100], [100, 100]])
def test_a_turn_that_goes_on_and_on_fades_all_the_same(before: list[int]) -> None:
    """A hundred steps of one turn: to wait for its end would be to wait for ever."""
    entries = turns(before) + turns([6000], first=2 * len(before) + 1, steps=100)
    may = plan.eligible(entries, ())
    assert tokens_of(may) > 0.6 * tokens_of(entries)
    after = entries[len(may)]
    assert after.event == "REPLY"
    assert may[-1].event == "TOOL"


def test_a_burst_of_messages_fades_too() -> None:
    entries = turns([100]) + [entry(at, "HEAR", "kettle " * 20) for at in range(3, 300)]
    assert tokens_of(plan.eligible(entries, ())) > 0.6 * tokens_of(entries)


def test_the_results_of_one_reply_stay_together_as_long_as_there_is_another_place() -> None:
    one = [entry(1, "HEAR", "hm"), entry(2, "REPLY", "RUN a\nRUN b")]
    entries = one + [entry(at, "TOOL", "kettle " * 30) for at in range(3, 60)]
    assert plan.eligible(entries, ())  # a reply with a hundred results: anywhere is better than nowhere
    entries = turns([3000], steps=8)
    assert plan.eligible(entries, ())[-1].event == "TOOL"
    assert entries[len(plan.eligible(entries, ()))].event == "REPLY"


def covers(chunks: list[Chunk], entries: list[Entry]) -> None:
    """Each entry is in exactly one chunk, in order, and no chunk is too large."""
    found = [one.number for chunk in chunks for one in plan.members(chunk, entries)]
    assert found == [one.number for one in entries]
    for chunk in chunks:
        members = plan.members(chunk, entries)
        assert (chunk.first, chunk.last) == (members[0].number, members[-1].number)
        assert 1 <= chunk.relevance <= 10
        assert len(members) <= plan.MEMBERS
        assert "\n" not in chunk.gist and "◱" not in chunk.gist


SPANS = st.lists(st.tuples(st.integers(-50, 2000), st.integers(-50, 2000), st.integers(-20, 400)), max_size=12)


@given(contexts(), SPANS, st.integers(0, 60), st.text(max_size=40))
def test_whatever_a_model_proposes_is_repaired_or_refused(
    entries: list[Entry], spans: list[tuple[int, int, int]], shift: int, gist: str
) -> None:
    """Spans that overlap, leave gaps, run backwards, reach into what may not fade or beyond all there is."""
    base = entries[0].number - 20
    answer = "\n".join(f"{base + a}-{base + b} {rank} {gist}" for a, b, rank in spans)
    try:
        covers(plan.read(answer, entries), entries)
    except Unreadable:
        numbers = [one.number for one in entries]
        named = {n for a, b, _ in spans for n in numbers if base + a <= n <= base + b}
        assert len(named) * 2 < len(numbers) or any(base + min(a, b) < 0 for a, b, _ in spans)


@given(contexts(), st.text(max_size=300))
@example(turns([100]), "9" * 5000)
@example(turns([100]), f"1-{'9' * 5000} 5 x")
@example(turns([100]), f"{'9' * 5000} 5 x")
@example(turns([100]), f"1-4 {'9' * 5000} x")
@example(turns([100]), "1-4 ² x\n²-³ 5 x\n١-٤ ٥ x")
@example(turns([100]), "")
def test_rubbish_is_refused_and_never_stumbled_over(entries: list[Entry], answer: str) -> None:
    try:
        covers(plan.read(answer, entries), entries)
    except Unreadable as why:
        assert str(why)


def test_a_good_answer_is_taken_as_it_is() -> None:
    entries = turns([400] * 5)
    chunks = plan.read("1-4 7 the seat ◱hash=x◲\n5-10 10 what must stay", entries)
    assert [(one.first, one.last, one.relevance) for one in chunks] == [(1, 4, 7), (5, 10, 10)]
    assert [one.gist for one in chunks] == ["the seat ⟪hash=x⟫", "what must stay"]


@pytest.mark.parametrize(
    "line",
    ["1-4 7 the seat", "#1-#4 7 the seat", "- 1-4: 7 — the seat", "1. 1-4 7 the seat", "* **1-4** 7/10 the seat",
     "1 to 4, 7, the seat",
     "| 1–4 | 7 | the seat |", "`1-4` (7) the seat", "1 - 4 7 the seat", "1-4 relevance=7 gist=the seat",
     "Entries 1-4: relevance: 7, the seat", "1-4: the seat (7)", "- #1-#4 the seat - rating 7/10",
     "#2 2026-11-21T20:17:20Z HEAR dev 0123456789ab\n1-4 7 the seat", "#1 20:17 dev ana: hello\n1-4 7 the seat"],
)  # fmt: skip
def test_the_forms_in_which_models_write_a_line(line: str) -> None:
    entries = [entry(1, "HEAR", "the seat"), *turns([400] * 4)[1:]]
    first = plan.read(f"<reasoning>\n1-2 1 no\n</reasoning>\n```\n{line}\n5-8 2 else\n```", entries)[0]
    assert (first.first, first.last, first.relevance) == (1, 4, 7)
    assert first.gist.startswith("the seat")


@pytest.mark.parametrize("gist", ["the seat in row 9", "about #12", "the train at 10", "kettle, 3"])
def test_a_number_at_the_end_of_what_a_chunk_is_about_is_no_rating(gist: str) -> None:
    entries = [entry(1, "HEAR", gist), *turns([400] * 4)[1:]]
    first = plan.read(f"1-4 2 {gist}\n5-8 7 else", entries)[0]
    assert (first.relevance, first.gist) == (2, gist)


def test_what_a_chunk_is_about_stands_in_its_entries() -> None:
    """A small model copies the example of the prompt that asks it: the chunk is taken, and named from its own words."""
    entries = [entry(1, "HEAR", "Book the window seat to Tokyo."), *turns([400] * 4)[1:]]
    said = "1-4 7 Otmar's kiln is repaired, and what it cost\n5-8 2 kettle, train and a paper window"
    first, second = plan.read(said, entries, "16-29 9 Otmar's rule for firing the kiln")
    assert (first.span, first.relevance) == ("1-4", 7) and "Otmar" not in first.gist and first.gist
    assert second.gist == "kettle, train and a paper window"


def test_borders_move_to_where_a_turn_begins() -> None:
    entries = turns([400] * 6)
    assert [one.span for one in plan.read("1-7 7 a\n8-12 2 b", entries)] == ["1-6", "7-12"]
    long = turns([400]) + turns([8000], first=3, steps=40)
    spans = [one.first for one in plan.read("1-42 7 a\n43-84 2 b", long)]
    assert spans[-1] in (41, 42, 43, 44)
    assert long[spans[-1] - 1].event == "REPLY"  # not between a call and its result


def test_a_chunk_is_worth_its_summary() -> None:
    entries = turns([60] * 30)
    for chunk in plan.read("\n".join(f"{at}-{at} 5 x" for at in range(1, 61)), entries):
        assert tokens_of(plan.members(chunk, entries)) >= plan.SMALL


def test_what_is_said_of_chunks_that_become_one() -> None:
    """What must stay does not fade as small talk since it was too short to stand alone, nor small talk stay for it."""
    entries = turns([1600, 100, 1000, 100])
    chunks = plan.read("1-2 2 small talk\n3-4 10 a promise\n5-6 8 the task\n7-8 3 weather", entries)
    assert [(one.first, one.relevance, one.gist) for one in chunks] == [
        (1, 2, "small talk"), (3, 8, "a promise; the task; weather"),
    ]  # fmt: skip


def test_what_is_summed_up_already_is_a_chunk_of_its_own_and_fades_last() -> None:
    faded = [
        entry(at, "FADED", "They talked of it. " * 200, f"{at}-{at} relevance=3 summary={'a' * 32}") for at in (1, 2)
    ]
    entries = [*faded, *turns([800] * 4, first=3)]
    chunks = plan.read("1-6 1 old and new\n7-10 9 the task", entries)
    assert [one.span for one in chunks] == ["1-2", "3-6", "7-10"]
    assert [one.span for one in plan.needed(chunks, entries, {"3-6": 3000})] == ["7-10", "1-2"]
    small = [entry(1, "FADED", "It.", f"1-1 relevance=3 summary={'a' * 32}"), *turns([800] * 4, first=2)]
    assert plan.read("1-5 1 old and new\n6-9 9 the task", small)[0].span == "1-5"


def test_a_chunk_without_a_gist_gets_one_and_one_with_too_many_members_is_cut() -> None:
    entries = turns([40] * 400)
    chunks = plan.read("1-800 5", entries)
    covers(chunks, entries)
    assert len(chunks) >= 4
    assert all(chunk.gist for chunk in chunks)
    assert all(entries[chunk.first - 1].event == "HEAR" for chunk in chunks)


def test_answers_that_cover_less_than_half_are_refused() -> None:
    entries = turns([400] * 6)
    for answer in ("1-5 3 x", "12-1 3 x", "100-200 3 x", "the chunks are 1-12", "1-12: very relevant"):
        with pytest.raises(Unreadable):
            plan.read(answer, entries)
    assert plan.read("1-6 3 x", entries)


@given(contexts())
def test_without_a_model_all_is_covered_too(entries: list[Entry]) -> None:
    covers(plan.propose(entries), entries)


def test_the_least_relevant_fade_first_and_of_equal_ones_the_older() -> None:
    entries = turns([400] * 10)
    ranks = [3, 9, 3, 1, 3, 8, 2, 10, 9, 5]
    chunks = [Chunk(2 * at + 1, 2 * at + 2, rank, "") for at, rank in enumerate(ranks)]
    random.Random(1).shuffle(chunks)
    found = plan.needed(chunks, entries, {})
    assert [one.first for one in found] == [7, 13, 1, 5, 9, 19, 11, 3, 17, 15][: len(found)]
    frees = [(1 - plan.KEEPS) * tokens_of(plan.members(one, entries)) for one in found]
    assert abs(sum(frees) - tokens_of(entries) * (1 - plan.LEFT)) <= frees[-1] / 2 + 1


@st.composite
def ratings(draw: st.DrawFn) -> tuple[list[Entry], str]:
    """Turns of any size, and a model's plan of them: any borders, and any ratings, among them a 2 and a 9 or 10."""
    entries = turns(draw(st.lists(st.sampled_from([40, 100, 200, 400, 800]), min_size=6, max_size=40)))
    begin = [one.number for one in entries if one.event == "HEAR"]
    firsts = sorted({begin[0], *draw(st.lists(st.sampled_from(begin[1:]), min_size=1, max_size=7))})
    ranks = draw(st.lists(st.integers(1, 10), min_size=len(firsts), max_size=len(firsts)))
    ranks[: len(firsts)] = draw(st.permutations([2, draw(st.integers(9, 10)), *ranks[2:]]))
    lasts = [*(first - 1 for first in firsts[1:]), entries[-1].number]
    lines = (f"{a}-{b} {rank} x" for a, b, rank in zip(firsts, lasts, ranks, strict=True))
    return entries, "\n".join(lines)


@pytest.mark.slow
@given(ratings())
def test_what_is_rated_9_or_10_stays_word_for_word_where_the_rest_frees_enough(plan_: tuple[list[Entry], str]) -> None:
    entries, answer = plan_
    chunks = plan.read(answer, entries)
    going = plan.needed(chunks, entries, {})
    rest = sum(tokens_of(plan.members(one, entries)) for one in chunks if one.relevance < 9)
    if rest * (1 - plan.KEEPS) >= tokens_of(entries) * (1 - plan.LEFT):
        assert all(one.relevance < 9 for one in going)
    elif any(one.relevance >= 9 for one in going):  # only once all the rest fades
        assert all(one in going for one in chunks if one.relevance < 9)


def test_summaries_longer_than_hoped_let_another_chunk_fade() -> None:
    entries = turns([400] * 20)
    chunks = [Chunk(2 * at + 1, 2 * at + 2, 5, "") for at in range(20)]
    hoped = plan.needed(chunks, entries, {})
    assert len(plan.needed(chunks, entries, {one.span: 300 for one in hoped})) > len(hoped)
    assert "1-2" not in [one.span for one in plan.needed(chunks, entries, {"1-2": 900})]


def test_a_chunk_whose_entries_are_all_kept_now_is_not_needed() -> None:
    entries = turns([400] * 8)
    chunks = [Chunk(2 * at + 1, 2 * at + 2, 5, "") for at in range(8)]
    assert plan.needed(chunks, entries[4:], {})[0].span == "5-6"
    assert plan.needed(chunks, [], {}) == []


def test_summaries_are_summed_up_again_only_when_they_are_many() -> None:
    told = "They talked of it. " * 20
    summaries = [entry(at, "FADED", told, f"{at}-{at} relevance=3 summary={'a' * 32}") for at in range(1, 4)]
    entries = [*summaries, *turns([400] * 10, 10)]
    assert plan.dense(entries) == entries[3:]
    assert plan.dense([*summaries, *turns([400] * 2, 10)])[0] is summaries[0]
    assert plan.dense(summaries) == summaries
    few = [*summaries, *turns([400] * 2, 10)]
    assert plan.dense(few, plan.REST) == few[3:]  # at rest as many stay as a rest makes
    many = [entry(at, "FADED", told * 3, f"{at}-{at} relevance=3 summary={'a' * 32}") for at in range(1, 7)]
    assert tokens_of(many) > plan.SUMMED and plan.dense([*many, *few[3:]], plan.REST)[0] is many[0]
    chunk = Chunk(1, 3, 1, "")
    assert not plan.enough([(chunk, 9)], entries) and plan.enough([(chunk, 9)], entries[:5])


def test_a_summary_that_comes_with_a_chunk_belongs_to_it_also_where_chunks_are_joined() -> None:
    entries = turns([450] * 9)  # a turn alone is not worth a summary
    made = plan.read("1-6 3 a\nana: one.\n\n7-8 2 b\nrelevance: 9\nana: two.\n9-18 8 c\nana: three.\n", entries)
    assert [(one.span, one.told) for one in made] == [("1-8", "ana: one.\nana: two."), ("9-18", "ana: three.")]
    assert [one.told for one in plan.read("Sure:\n1-8 3 a\n9-18 8 c\nI hope this helps.", entries)] == ["", ""]


# ---- relevance


@st.composite
def plans(draw: st.DrawFn) -> tuple[list[Entry], list[Chunk]]:
    """Entries, summaries of earlier fading among them, and what a model proposes for them, as it is read."""
    entries = turns(draw(st.lists(st.integers(100, 900), min_size=8, max_size=40)))
    for at in draw(st.sets(st.integers(0, 7))):
        first = entries[2 * at].number
        entries[2 * at] = entry(first, "FADED", "They talked. " * 30, f"{first}-{first} relevance=3 summary={'a' * 32}")
    cuts = sorted(draw(st.sets(st.integers(1, len(entries) - 1), max_size=11)))
    ranks = draw(st.lists(st.integers(1, 10), min_size=len(cuts) + 1, max_size=len(cuts) + 1))
    rows = [f"{entries[a].number}-{entries[b - 1].number} {rank} x"
            for (a, b), rank in zip(pairwise([0, *cuts, len(entries)]), ranks, strict=True)]  # fmt: skip
    return entries, plan.read("\n".join(rows), entries)


SHARES = st.sampled_from([0.1, 0.3, 0.4, 0.5, 0.6, 0.9])


@pytest.mark.night
@given(plans(), SHARES, st.floats(0, 1.2), st.randoms(use_true_random=False))
def test_nothing_fades_while_something_less_relevant_stays_and_enough_fades(
    made: tuple[list[Entry], list[Chunk]], left: float, share: float, chance: random.Random
) -> None:
    """Whatever the summaries take, and however much the context is over its limit."""
    entries, chunks = made
    covers(chunks, entries)
    costs = {one.span: chance.randint(50, 2000) for one in chunks if chance.random() < 0.5}
    frees = {one: freed(one, entries, costs) for one in chunks}
    plain = [one for one in chunks if frees[one] > 0 and not plan.summed(one, entries)]
    over = share * tokens_of(entries)
    gone = plan.needed(chunks, entries, costs, (), left, over)
    fade = [one for one in gone if one in plain]
    stay = sorted((one for one in plain if one not in gone), key=lambda one: (one.relevance, one.first))
    assert all((one.relevance, one.first) < (other.relevance, other.first) for one in fade for other in stay)
    total = sum(frees[one] for one in gone)
    assert total >= over or not [one for one in chunks if frees[one] > 0 and one not in gone]
    goal = (1 - left) * tokens_of(entries)
    if stay:  # what is left is as near to the share as whole chunks allow
        assert total + frees[stay[0]] / 2 >= goal
    if len(fade) > 1 and total - frees[fade[-1]] >= over:
        assert total - frees[fade[-1]] / 2 < goal


def freed(one: Chunk, entries: list[Entry], costs: dict[str, int] | None = None) -> float:
    """The tokens that a chunk frees when its summary takes what `costs` says, or what is expected."""
    own = plan.members(one, entries)
    return tokens_of(own) - (costs or {}).get(one.span, plan.summary_share(own) * tokens_of(own))


@pytest.mark.night
@given(plans(), SHARES)
def test_what_is_most_relevant_stays_where_the_rest_suffices(
    made: tuple[list[Entry], list[Chunk]], left: float
) -> None:
    entries, chunks = made
    plain = [one for one in chunks if not plan.summed(one, entries)]
    best = max(plain, key=lambda one: (one.relevance, one.first), default=None)
    rest = sum(freed(one, entries) for one in plain if one != best)
    if best and rest >= (1 - left) * tokens_of(entries):
        assert best not in plan.needed(chunks, entries, {}, left=left)


@pytest.mark.parametrize("high", [9, 10])
@pytest.mark.parametrize("border", [10, 12, 14])
@pytest.mark.parametrize("first", [True, False])
def test_a_topic_of_about_half_the_talk_stays_whole_when_the_rest_is_small_talk(
    high: int, border: int, first: bool
) -> None:
    entries = turns([400] * 12)
    early, late = (high, 2) if first else (2, high)
    chunks = plan.read(f"1-{border} {early} a\n{border + 1}-24 {late} b", entries)
    assert [one.relevance for one in plan.needed(chunks, entries, {})] == [2]


def test_small_topics_of_great_relevance_stay_among_small_talk() -> None:
    """A chunk that stays needs no summary, so it is not joined with its neighbours."""
    entries = turns([400] * 20)
    ranks = [2, 2, 9, 1, 1, 2, 10, 3, 2, 2]
    rows = [f"{4 * at + 1}-{4 * at + 4} {rank} part" for at, rank in enumerate(ranks)]
    chunks = plan.read("\n".join(rows), entries)
    gone = plan.needed(chunks, entries, {})
    assert {one.relevance for one in chunks if one not in gone} >= {9, 10}
    assert len(gone) <= 4  # neighbours that fade have one summary, since each may cost a request


def test_a_topic_that_is_nearly_everything_is_cut() -> None:
    entries = turns([400] * 20)
    chunks = plan.read("1-6 2 small talk\n7-40 9 the task", entries)
    gone = plan.needed(chunks, entries, {})
    stay = [one for one in chunks if one not in gone]
    assert stay and stay[-1].last == 40 and tokens_of([e for one in stay for e in plan.members(one, entries)]) > 2000


def test_where_nothing_stays_a_large_topic_keeps_its_summary() -> None:
    """If a topic is cut, each part costs another request with the whole context."""
    entries = turns([400] * 20)
    (chunk,) = plan.read("1-6 2 small talk\nana: it rains.\n7-40 9 the task\nana: 14A.", entries, left=0.0)
    assert (chunk.span, chunk.told) == ("1-40", "ana: it rains.\nana: 14A.")


def test_a_more_relevant_chunk_fades_only_where_the_context_would_be_over_its_limit() -> None:
    entries = turns([400] * 12)
    chunks = plan.read("1-8 2 a\n9-16 7 b\n17-24 9 c", entries)
    two = sum(freed(one, entries) for one in chunks[:2])
    gone = [[one.relevance for one in plan.needed(chunks, entries, {}, over=over)]
            for over in (0, two - 1, two + 1, 9 * two)]  # fmt: skip
    assert gone == [[2, 7], [2, 7], [2, 7, 9], [2, 7, 9]]
