"""lives: of several agents in a room, the one that is called answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import make_home

from dotagent.store import lives
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
    return lives.answering(where, Settings(), [OLD, YOUNG, THIRD], text)


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
        "I met Bea, my aunt, in town",
        "",
    ],
)
def test_nobody_called_means_the_oldest(where: Home, text: str) -> None:
    assert answers(where, text) == OLD


def test_a_name_in_a_script_without_spaces_is_a_name(where: Home) -> None:
    (where.agent(YOUNG) / "IDENTITY.md").write_text("- **Name:** 小美\n")
    for text in ("小美，现在几点？", "@小美现在几点", "现在几点，小美？"):
        assert answers(where, text) == YOUNG
    assert answers(where, "我见过小美") == OLD


def test_a_name_that_two_have_calls_neither(where: Home) -> None:
    (where.agent(THIRD) / "IDENTITY.md").write_text("- **Name:** Bea\n")
    assert answers(where, "Bea, what time is it?") == OLD
