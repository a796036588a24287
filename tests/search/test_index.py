"""What is found again, and in which order."""

from collections.abc import Collection
from pathlib import Path

import pytest
from talk import FILLER, life, numbers, turn

from dotagent.search.index import Index
from dotagent.search.turn import PIECE, Passage


def test_a_turn_is_found_as_it_was_said(tmp_path: Path) -> None:
    said = Passage(5, "a" * 32, "dev", "ana", "2024-03-04T10:00:00Z", "The seat is 14A, by the window.\n  Ça va?")
    assert life(tmp_path, said).search("which window seat")[0].turn == said


def test_hits_come_best_first_and_no_more_than_asked(tmp_path: Path) -> None:
    index = life(tmp_path, turn(5, "A harbour seal."), turn(12, "The harbour."), turn(20, "A harbour, a harbour seal."))
    hits = index.search("harbour seal", 2)
    assert len(hits) == 2 and hits[0].score >= hits[1].score > 0
    assert 12 not in numbers(hits)
    assert index.search("harbour seal", 0) == []


def test_the_named_speaker_comes_first_though_another_says_the_name(tmp_path: Path) -> None:
    index = life(
        tmp_path,
        turn(5, "Caro told me about the marathon.", "discord/ana"),
        turn(15, "I ran the marathon in four hours.", "discord/caro"),
    )
    assert numbers(index.search("What did Caro say of the marathon?"))[0] == 15
    assert numbers(index.search("What did Ana say of the marathon?"))[0] == 5


def test_of_two_names_the_first_is_the_one_who_spoke(tmp_path: Path) -> None:
    index = life(tmp_path, turn(5, "Here is a lamp.", "ana"), turn(15, "Here is a lamp.", "bo"))
    assert numbers(index.search("which lamp did Ana give Bo"))[0] == 5
    assert numbers(index.search("which lamp did Bo give Ana"))[0] == 15


def test_a_name_alone_is_looked_for(tmp_path: Path) -> None:
    assert numbers(life(tmp_path, turn(5, "Say hello to Bo from me.", "ana")).search("Bo?"))[0] == 5


def test_me_and_tool_are_words_not_names(tmp_path: Path) -> None:
    index = life(tmp_path, turn(5, "A tool for cutting glass.", "ana"), turn(15, "cutting glass", "tool", ""))
    assert numbers(index.search("the tool for glass"))[0] == 5


def test_the_answer_comes_before_what_only_shares_a_word(tmp_path: Path) -> None:
    index = life(
        tmp_path,
        turn(5, "Which wine goes with the trout?", "ana"),
        turn(6, "A dry one, the Riesling from the cellar.", "bo"),
        turn(15, "The trout jumped.", "bo"),
        turn(20, "Wine is dear.", "bo"),
    )
    assert set(numbers(index.search("what wine goes with trout"))[:2]) == {5, 6}


def test_words_that_follow_each_other_as_in_the_query_count_more(tmp_path: Path) -> None:
    index = life(tmp_path, turn(5, "A tin boat with a red sail."), turn(15, "A red tin sail for a boat."))
    assert numbers(index.search("the tin boat"))[0] == 5
    assert numbers(index.search("the red tin"))[0] == 15
    assert numbers(index.search("a red and shiny tin"))[0] == 15


def test_the_agents_answer_helps_to_find_the_message_before_it(tmp_path: Path) -> None:
    index = life(
        tmp_path,
        turn(5, "How do I keep my sourdough alive?", "ana"),
        turn(6, "Feed the starter each evening with flour.", "me"),
        turn(15, "How do I keep my sourdough alive?", "ana"),
        turn(16, "Ask a baker.", "me"),
    )
    assert numbers(index.search("sourdough starter flour"))[0] == 5


def test_what_the_next_turn_echoes_is_found(tmp_path: Path) -> None:
    index = life(
        tmp_path,
        turn(5, "I jumped off the high board today.", "ana"),
        turn(6, "Your first dive, how brave!", "bo"),
        turn(15, "I stayed at home.", "ana"),
    )
    found = numbers(index.search("Ana's first dive"))
    assert found[0] in (5, 6) and 5 in found[:2]


def test_neighbours_are_those_of_the_room(tmp_path: Path) -> None:
    index = Index(tmp_path / "recall.db")
    talk = [turn(n, FILLER[n % 8], "bo", ("dev", "other")[n % 2]) for n in range(1, 30)]
    talk[9] = turn(10, "Where do we keep the spare fuses?", "ana", "dev")
    talk[10] = turn(11, "Nothing to report.", "bo", "other")
    talk[11] = turn(12, "In the blue tin.", "bo", "dev")
    index.add(talk)
    found = numbers(index.search("spare fuses"))
    assert 12 in found[:3] and 11 not in found


def test_rooms_fed_apart_or_together_are_the_same(tmp_path: Path) -> None:
    turns = [turn(n, f"{FILLER[n % 8]} {n}", room=("a", "b", "")[n % 3]) for n in range(1, 60)]
    whole, single = Index(tmp_path / "whole.db"), Index(tmp_path / "single.db")
    whole.add(turns)
    for one in turns:
        single.add([one])
    for query in ("red tractor", "the baker's rye 13", "violin"):
        assert whole.search(query) == single.search(query) != []


@pytest.mark.parametrize("query", ["the picnic of 7 May 2023", "picnic in May", "picnic, May 7th", "picnic 2023-05-07"])
def test_a_named_day_finds_what_was_said_then(tmp_path: Path, query: str) -> None:
    index = life(
        tmp_path,
        turn(5, "We had a picnic.", at="2022-11-02T10:00:00Z"),
        turn(15, "We had a picnic.", at="2023-05-07T10:00:00Z"),
        turn(25, "We had a picnic.", at="not a time"),
    )
    assert numbers(index.search(query))[0] == 15


@pytest.mark.parametrize("query", ["What was said in May 2023?", "a Sunday", "2023"])
def test_a_day_alone_finds_its_turns(tmp_path: Path, query: str) -> None:
    assert numbers(life(tmp_path, turn(15, "We had a picnic.", at="2023-05-07T10:00:00Z")).search(query))[0] == 15


def test_a_day_alone_does_not_find_what_the_agent_answered_then(tmp_path: Path) -> None:
    index = life(
        tmp_path,
        Passage(5, f"{5:032x}", "dev", "ana", "2025-05-08T10:00:00Z", "The roof is new."),
        Passage(6, f"{6:032x}", "dev", "me", "2025-05-08T10:00:30Z", "Noted."),
        Passage(7, f"{7:032x}", "dev", "ana", "2025-05-19T10:00:00Z", "The boat is old."),
    )
    found = numbers(index.search("What happened on 8 May 2025?"))
    assert found[0] == 5 and 6 not in found


def test_position_is_the_only_order(tmp_path: Path) -> None:
    index = life(
        tmp_path, turn(5, "the ferry", at="2024-01-01T00:00:00Z"), turn(15, "the ferry", at="1999-01-01T00:00:00Z")
    )
    assert numbers(index.search("ferry"))[:2] == [15, 5]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("She bought two puppies.", "buy a puppy"),
        ("My mum taught geography.", "mother teaching"),
        ("Der Käse aus Zürich", "kase zurich"),
        ("我昨天在东京买了一把雨伞", "东京的雨伞"),
        ("error in src/main_loop.py line 88", "main_loop.py"),
        ("Booking QF12, gate 9", "qf12"),
        ("ﬁne print", "fine print"),
        ("Mẹ tôi sống ở Huế.", "mẹ"),
        ("Tôi ăn bún.", "ăn"),
        ("Egy nő vár kint.", "nő"),
    ],
)
def test_other_forms_of_a_word_are_found(tmp_path: Path, text: str, query: str) -> None:
    assert numbers(life(tmp_path, turn(5, text)).search(query))[0] == 5


def test_what_nobody_said_is_not_found(tmp_path: Path) -> None:
    index = life(tmp_path, turn(5, "The lighthouse."))
    assert index.search("xylophone") == index.search("") == index.search("what is it of the and") == []


def test_excluded_turns_are_neither_found_nor_in_the_way(tmp_path: Path) -> None:
    near = (turn(n, "The lighthouse at night.") for n in range(1, 200))
    index = life(tmp_path, *near, turn(210, "A lighthouse at night!"), turn(4000, "The end."))
    found = index.remind("Which lighthouse at night?", exclude=range(1, 202))
    assert numbers(found)[0] == 210 and not set(numbers(found)) & set(range(1, 202))


def test_a_long_result_is_found_by_the_piece_that_matters(tmp_path: Path) -> None:
    long = "\n".join(f"line {n}: nothing of note" for n in range(2000)) + "\nthe reactor tripped\n" + "and so on " * 300
    index = life(tmp_path, Passage(5, "b" * 32, "", "tool", "", long), turn(15, "A reactor.", "bo"))
    hits = index.search("reactor tripped nothing of note", 50)
    found = next(hit for hit in hits[:9] if hit.turn.number == 5)
    assert "reactor tripped" in found.turn.text
    assert len(found.turn.text) <= PIECE and found.turn.text in long
    assert numbers(hits).count(5) == 1


@pytest.mark.parametrize("turns", [5_000, pytest.param(20_000, marks=pytest.mark.night)])
def test_common_words_together_find_a_turn(tmp_path: Path, turns: int) -> None:
    index = Index(tmp_path / "recall.db")
    index.add([turn(1, "alpha of beta", room="first")])
    index.add(turn(n, "alpha" if n % 2 else "beta", room=str(n)) for n in range(2, turns))
    assert numbers(index.search("alpha beta"))[0] == 1


def test_a_common_word_decides_among_rare_ones(tmp_path: Path) -> None:
    index = Index(tmp_path / "recall.db")
    index.add([turn(1, "beta and a gamma", room="first")])
    index.add(turn(n, "a gamma ray" if n < 402 else "beta", room=str(n)) for n in range(2, 3000))
    assert numbers(index.search("beta gamma"))[0] == 1


@pytest.mark.parametrize("speaker", ["bo", "me"])
def test_in_a_long_life_the_named_person_is_found_among_thousands_who_say_the_same(
    tmp_path: Path, speaker: str
) -> None:
    """The choice of the turns to read knows who speaks, and so does not end at the newest."""
    index = Index(tmp_path / "recall.db")
    index.add(
        [turn(1, "The marathon took me four hours.", "caro", room="first"), turn(2, "Nice.", "eve", room="first")]
    )
    index.add(turn(n, "The marathon took me four hours.", speaker, room=str(n % 50)) for n in range(3, 3003))
    assert numbers(index.search("How many hours did the marathon take Caro?"))[0] == 1


def test_who_says_one_thing_among_two_who_talk_changes_no_order(tmp_path: Path) -> None:
    """A third speaker counted as much as the two: each of these seemed to say twice as much as was usual."""
    talk = [turn(n, f"{FILLER[n % 8]} {FILLER[(3 * n + 1) % 8]}", ("ana", "bo")[n % 2]) for n in range(1, 41)]
    scores = []
    for more in ([], [turn(41, "And you?", "eve")]):
        index = Index(tmp_path / f"{len(more)}.db")
        index.add([*talk, *more])
        scores.append([(hit.turn.number, hit.score) for hit in index.search("the sheep and the baker", 5)])
    (two, three) = scores
    assert [number for number, _ in two] == [number for number, _ in three]
    assert all(abs(one - other) < 0.05 * one for (_, one), (_, other) in zip(two, three, strict=True))


@pytest.mark.parametrize("length", [30, 500, 1300])
def test_any_two_characters_of_a_script_without_spaces_are_found(tmp_path: Path, length: int) -> None:
    """Also in a long run without a space, and across the border of two pieces of a message."""
    text = "".join(chr(0x4E00 + 7 * n) for n in range(length))
    index = life(tmp_path, turn(5, text))
    for at in range(length - 1):
        assert 5 in numbers(index.search(text[at : at + 2], 3)), at


def test_a_named_speaker_is_no_part_of_the_meaning_that_is_compared(tmp_path: Path) -> None:
    """A turn that only greets Caro is more similar to a question with her name than the turns of Caro are."""
    index = life(tmp_path, turn(5, "Hello Caro!", "ana"), turn(15, "I adopted a puppy.", "caro"))
    compared = list[str]()

    def like(text: str, keys: Collection[int]) -> dict[int, float]:
        compared.append(text)
        return dict.fromkeys(keys, 0.5)

    index.search("What pet does Caro have?", 3, like)
    index.search("Caro?", 3, like)
    assert compared == ["What pet does have?", "Caro?"]


@pytest.mark.parametrize(
    ("query", "text", "other"),
    [
        ("猫", "我的猫叫小黑", "我的狗叫小白"),
        ("비밀번호", "내 비밀번호는 어렵다", "오늘은 비가 온다"),
        ("पिन", "मेरा पिन गुप्त है", "मुझे पानी और पैन चाहिए"),
        ("ม้า", "ผมกลัวม้า", "แม่มาหาผม"),
        ("ກຸ້ງ", "ຂ້ອຍແພ້ກຸ້ງຫຼາຍ", "ຂ້ອຍມັກກິນຊາ"),
    ],
    ids=["Chinese", "Korean", "Hindi", "Thai", "Lao"],
)
def test_a_part_of_a_run_is_found_with_its_marks(tmp_path: Path, query: str, text: str, other: str) -> None:
    found = life(tmp_path, turn(1, text, room="one"), turn(2, other, room="two")).search(query, 5)
    assert numbers(found) == [1]
