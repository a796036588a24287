"""lives: of several agents in a room, the one that is called answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import make_home

from dotagent.store import room_answering, rooms
from dotagent.store.home import Home, Settings

OLD, YOUNG, THIRD = "a" * 32, "b" * 32, "c" * 32


@pytest.fixture
def where(tmp_path: Path) -> Home:
    made = make_home(tmp_path / "home")
    for self_id, name in ((OLD, "Cy"), (YOUNG, "Bea"), (THIRD, "Ada Lin")):
        made.agent(self_id).mkdir(parents=True)
        (made.agent(self_id) / "IDENTITY.md").write_text(f"- **Name:** {name}\n")
    return made


def answers(where: Home, text: str) -> str:
    return room_answering.answering(where, Settings(), [OLD, YOUNG, THIRD], text)


@pytest.mark.parametrize(
    "text",
    [
        "Bea, what time is it?",
        "Hey there, Bea: what time is it?",
        "ok so Bea, what time is it?",
        "@Bea what time is it?",
        "what do you think, @bea?",
        "Hi Bea! What time is it?",
        "BEA: what time is it",
        "what time is it, Bea?",
        "Bea?",
        "Bea what time is it?",
        "hey bea can you look?",
        "Tell me, Bea, what time is it?",
        "Bea，现在几点？",
        "现在几点，Bea？",
        "Good morning Bea, what time is it?",
        "¿Bea, qué hora es?",
        "bbbbbbbb what time is it?",
        "can you look at it Bea?",
        "thanks Bea!",
        "It rains. Bea, what time is it?",
        "Bea is it raining?",
        "**Bea**, what time is it?",
        "👋 Bea, what time is it?",
        "Bea さん、今何時？",
        "Bea ji, kitne baje hain?",
    ],
)
def test_who_is_called_answers(where: Home, text: str) -> None:
    assert answers(where, text) == YOUNG


def test_a_name_of_two_words_is_a_name(where: Home) -> None:
    assert answers(where, "Ada Lin, what time is it?") == THIRD


@pytest.mark.parametrize(
    "text",
    [
        "what time is it?",
        "Beatrice, my aunt, comes at ten",
        "I met Bea in town",
        "Bea is my aunt",
        "Ask Bea what she wants",
        "Bea will come at ten",
        "write to x@bea.org",
        "Beaver, what is that?",
        "Bea-Marie, my aunt, comes at ten",
        "Bea.md is full",
        "Ask Bea.",
        "Did you give the list to Bea yesterday?",
        "The cake of Bea, my aunt, was good",
        "I met Tom. Bea was there",
        "",
    ],
)
def test_nobody_called_means_the_oldest(where: Home, text: str) -> None:
    assert answers(where, text) == OLD


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("さくら", "さくらさん、今何時？"),
        ("さくら", "今何時ですか、さくらちゃん"),
        ("小美", "请问小美，现在几点？"),
        ("小美", "现在几点了小美？"),
        ("민지", "민지야, 몇 시야?"),
        ("지훈", "지훈아 몇 시야?"),
        ("ليلى", "كم الساعة يا ليلى؟"),
        ("भावना", "भावना जी, कितने बजे हैं?"),
        ("นิดา", "คุณนิดา กี่โมงแล้วครับ?"),
        ("Мила", "мил, который час?"),
        ("Олена", "Олено, котра година?"),
        ("Иван", "Колко е часът, Иване?"),
        ("Kasia", "Kasiu, która godzina?"),
        ("Petr", "Ahoj Petře, kolik je hodin?"),
        ("Γιώργος", "Τι ώρα είναι, Γιώργο;"),
        ("Lan", "Lan ơi, mấy giờ rồi?"),
        ("Dr. Who", "Dr. Who, note that the cat is ill."),
        ("R2-D2", "Note that the cat is ill, R2-D2."),
        ("Foxy 🦊", "Foxy 🦊, note that the cat is ill."),
        ("İpek", "ipek, saat kaç?"),
        ("José", "jose, qué hora es?"),
    ],
)
def test_a_name_is_called_with_a_title_in_its_form_of_call_and_without_accents(
    where: Home, name: str, text: str
) -> None:
    (where.agent(YOUNG) / "IDENTITY.md").write_text(f"- **Name:** {name}\n")
    assert answers(where, text) == YOUNG


def test_the_name_of_another_is_no_form_of_call(where: Home) -> None:
    (where.agent(OLD) / "IDENTITY.md").write_text("- **Name:** Яна\n")
    assert answers(where, "Ян, который час?") == OLD
    (where.agent(YOUNG) / "IDENTITY.md").write_text("- **Name:** Ян\n")
    assert answers(where, "Ян, который час?") == YOUNG


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("さくら", "さくらさんは私の叔母です"),
        ("小美", "小美是我的妹妹"),
        ("민지", "민지는 내 동생이야"),
        ("ليلى", "قابلت ليلى"),
        ("Юля", "Юлий, который час?"),
        ("Kasia", "Widziałem Kasię"),
        ("Hope", "Sun is what I hope, you know, that it rains"),
        ("Νίκος", "Είδα τον Νίκο"),
        ("Jan", "Jane, my aunt, comes at ten"),
    ],
)
def test_another_name_or_a_name_that_is_only_spoken_of_is_not_called(where: Home, name: str, text: str) -> None:
    (where.agent(YOUNG) / "IDENTITY.md").write_text(f"- **Name:** {name}\n")
    assert answers(where, text) == OLD


def test_a_name_in_a_script_without_spaces_is_a_name(where: Home) -> None:
    (where.agent(YOUNG) / "IDENTITY.md").write_text("- **Name:** 小美\n")
    (where.agent(OLD) / "IDENTITY.md").write_text("- **Name:** 小美丽\n")
    assert answers(where, "小美丽，现在几点？") == OLD
    for text in ("小美，现在几点？", "@小美现在几点", "现在几点，小美？"):
        assert answers(where, text) == YOUNG
    assert answers(where, "我见过小美") == OLD


def test_a_name_that_two_have_calls_neither(where: Home) -> None:
    (where.agent(THIRD) / "IDENTITY.md").write_text("- **Name:** Bea\n")
    assert answers(where, "Bea, what time is it?") == OLD


ANSWER = f"[AGENT:{YOUNG[:12]} 2026-11-21T20:17:24.123456Z] It is ten"


@pytest.mark.parametrize(
    ("said", "answered", "concerns"),
    [
        ("Bea, what time is it?", ".", False),
        ("Bea, ask Cy what time it is.", ". Is that right, Cy?", True),
        ("Bea, ask the oldest what time it is.", f". Is that right, {OLD[:8]}?", True),
        ("what time is it?", ".", True),
        ("Ada Lin, what time is it?", ".", True),
        ("Cy, what time is it?", ".", True),
    ],
)
def test_the_answer_of_who_was_called_concerns_only_whom_it_calls(
    where: Home, said: str, answered: str, concerns: bool
) -> None:
    where.room("dev").write_text(f"# dev private\n[USER:ana 2026-11-21T20:17:20Z] {said}\n{ANSWER}{answered}\n")
    answer = rooms.last(where.room("dev"), 1, where.room("dev").stat().st_size)[0]
    assert room_answering.concerns(where, Settings(), [OLD, YOUNG, THIRD], OLD, "dev", answer) == concerns
