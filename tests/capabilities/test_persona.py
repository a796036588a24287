"""`/persona …` said in a private room is answered by the harness, and no model is asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from world import World, events, said, world

OWNER = "zoë"
WHAT = ("revisions", "diff 1", "rollback", "rollback 1", "candidates", "candidates pending", "apply 1", "reject 1", "x")
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


BOB = ("--audience", "private telegram/bob", "--room", "bobs")
GROUP = ("--audience", "group", "--room", "all")
OTHERS = {
    "bob in his private room": (BOB, "telegram/bob"),
    "the owner in bob's private room": (BOB, OWNER),
    "the owner in a group": (GROUP, OWNER),
    "a person in a group": (GROUP, "eve"),
    "a stranger in the owner's room": ((), "eve"),
    "the owner's name in capitals": ((), OWNER.upper()),
    "the owner's name behind a bridge": ((), f"telegram/{OWNER}"),
}


@pytest.mark.parametrize("who", OTHERS)
def test_nobody_but_the_owner_alone_sees_or_changes_the_identity(tmp_path: Path, who: str) -> None:
    words, name = OTHERS[who]
    room = words[-1] if words else "dev"
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "dotagent.toml").write_text(f'owner = "{OWNER}"\n')
    replies = iter([EDIT, "Hello."])
    with world(tmp_path / "home", lambda messages, call: next(replies, "Yes?"), *words) as here:
        here.say("hello", name, room)
        here.run()
        soul = (here.session.path / "SOUL.md").read_text()
        (here.session.path / "SOUL.md").write_text(f"{soul}\nThe code word is zebrafish.\n")
        here.say("hello again", name, room)
        here.run()
        files = {path: path.read_bytes() for path in sorted(here.session.path.glob("*.md")) if path.name != "LIFE.md"}
        told = set[str]()
        for what in ("", " show", *(f" {one}" for one in WHAT)):
            before = len(said(here.where, room))
            here.say(f"/persona{what}", name, room)
            here.run()
            told.update(said(here.where, room)[before:])
        (only,) = told
        assert "ask the owner" in only and "zebrafish" not in only
        assert {path: path.read_bytes() for path in files if path.name != "context.md"} == {
            path: data for path, data in files.items() if path.name != "context.md"
        }
        assert not (here.session.path / "run" / "persona").exists()
