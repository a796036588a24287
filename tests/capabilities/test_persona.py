"""`/persona …` said in a private room is answered by the harness, and no model is asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from world import World, events, said, world

from dotagent.store.requests import ChatMessage

EDIT = "EDIT_FILE USER.md <<END\n<<<<<<< SEARCH\n=======\n- **Timezone:** UTC\n>>>>>>> REPLACE\nEND"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    replies = iter([EDIT, "Hello."])
    with world(tmp_path / "home", lambda messages, call: next(replies, "Yes?")) as made:
        yield made


def ask(here: World, *texts: str) -> list[str]:
    """What the agent says to these, said at once."""
    before = len(said(here.where))
    for text in texts:
        here.say(text)
    here.run()
    return said(here.where)[before:]


def test_it_answers_decides_and_asks_no_model(here: World) -> None:
    ask(here, "hello")
    asked = len(events(here, "ASK"))
    (shown,) = ask(here, "/persona")
    assert "USER.md: nothing yet" in shown and "1 proposed additions are waiting for you" in shown and "\n" in shown
    (told,) = ask(here, "/persona candidates pending")
    assert "USER.md: Timezone: UTC (0.60; no message of a person says this)" in told
    assert ask(here, "/persona apply 1") == ["(Timezone: UTC, in USER.md: applied)"]
    assert "- **Timezone:** UTC" in (here.session.path / "USER.md").read_text()
    assert "USER.md: Timezone: UTC" in ask(here, "/persona show")[0]
    assert "1: SOUL.md" in ask(here, "/persona revisions")[0]
    assert ask(here, "/persona apply 9") == ["(there is no proposal 9; waiting proposals: none)"]
    assert "/persona show, revisions, diff N" in ask(here, "/persona nonsense")[0]
    assert len(events(here, "ASK")) == asked


def test_each_of_several_is_answered_and_so_is_what_was_said_beside(here: World) -> None:
    ask(here, "hello")
    asked = len(events(here, "ASK"))
    told = ask(here, "/persona apply 7", "/persona candidates rejected", "And how are you?")
    assert told == ["(there is no proposal 7; waiting proposals: 1)", "(no proposals have this status)", "Yes?"]
    assert len(events(here, "ASK")) == asked + 1
    told = ask(here, "Where is the harbour?", "/persona apply 7")
    assert sorted(told) == ["(there is no proposal 7; waiting proposals: 1)", "Yes?"]
    assert len(events(here, "ASK")) == asked + 2


@pytest.mark.parametrize("text", ["/personal", "/persona show me all that you are", "what is /persona", "persona show"])
def test_other_words_are_for_the_agent(here: World, text: str) -> None:
    ask(here, "hello")
    assert ask(here, text) == ["Yes?"]


def test_in_a_group_they_are_words_like_any(tmp_path: Path) -> None:
    def model(messages: list[ChatMessage], call: object) -> str:
        return "Yes?"

    with world(tmp_path / "home", model, "--audience", "group", "--room", "all") as here:
        here.say("/persona show", room="all")
        here.run()
        assert said(here.where, "all") == ["Yes?"]
