"""Hearing: what is said in a room of one's own audience is heard once, whole and in order, whatever files do."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from listening import heard, link, room
from support import make_home
from world import World, events, said, world

import agent
from dotagent.life.session import Patience
from dotagent.store import rooms
from dotagent.store.requests import ChatMessage
from dotagent.text import times, tokens


def silent(messages: list[ChatMessage], call: object) -> str:
    return "WAIT"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[World]:
    with world(tmp_path / "home", silent, patience=Patience(still=0, unfinished=0)) as there:
        yield there


# --- rooms and turns


def test_what_was_said_before_is_background_and_asks_for_nothing(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    rooms.create(where.room("dev"), "private")
    for number in range(30):
        rooms.append(where.room("dev"), rooms.line_of("USER", "ana", times.now(), f"before {number}"))
    with world(tmp_path / "home", silent) as here:
        here.run()
        assert here.served == 0
        (entry,) = [one for one in here.session.entries if one.event == "JOIN"]
        assert (entry.content or b"").count(b"\n[USER:ana ") == 19
        assert b"before 9\n" not in (entry.content or b"")
        assert b"before 29\n" in (entry.content or b"")


def test_one_room_a_turn_and_all_that_was_said_in_it(here: World) -> None:
    room(here, "ops")
    link(here, "ops")
    here.run()
    for text in ("one", "two"):
        here.say(text, room="ops")
        here.say(text)
    here.run()
    turns = [event.split(" ")[:2] for event in events(here, "HEAR", "ASK")]
    assert turns == [["HEAR", "dev"]] * 2 + [["ASK", "scripted"]] + [["HEAR", "ops"]] * 2 + [["ASK", "scripted"]]
    assert [event.split(" ")[2] for event in events(here, "ASK")] == ["dev", "ops"]


def test_what_is_said_during_a_turn_starts_the_next(tmp_path: Path) -> None:
    asked = []

    def model(messages: list[ChatMessage], call: object) -> str:
        asked.append(messages[-1]["content"].count("message "))
        if len(asked) == 1:
            here.say("message 2")
            here.say("message 3")
        return "WAIT"

    with world(tmp_path / "home", model) as here:
        here.say("message 1")
        here.run()
        assert asked == [1, 2]


def test_an_agent_hears_others_and_never_itself(tmp_path: Path) -> None:
    """Two that answer whatever they hear: each wakes the other at most three times since a person spoke."""

    def talks(messages: list[ChatMessage], call: object) -> str:
        return f"I say {len(messages)}"

    with world(tmp_path / "home", talks) as one, world(tmp_path / "home", talks, provider="other", fresh=True) as two:
        for turn in (1, 2):
            one.say("hello you two")
            for _ in range(50):
                two.run()  # the younger hears the question before its answer: of both at once it would answer neither
                one.run()
            for each, other in ((one, two), (two, one)):
                assert 2 <= len(events(each, "ASK")) <= 4 * turn
                names = {event.split(" ")[-1].partition(":")[2] for event in events(each, "HEAR")}
                assert names == {"ana", other.session.id[:12]}
        assert 4 <= len(said(one.where)) <= 16


def test_more_than_one_read_of_what_wakes_nobody_hides_no_message(here: World) -> None:
    """A megabyte of other agents' talk, which wakes three times, and a person's word behind it."""
    line = rooms.line_of("AGENT", "f" * 12, times.now(), "x" * 100_000)
    with open(here.where.room("dev"), "ab") as file:
        file.write(line * 12)
    here.say("and now?")
    here.run()
    assert len(heard(here)) == 13
    assert heard(here)[-1] == "and now?"
    assert not here.session.state.turn.wake


@pytest.mark.night
def test_a_line_of_fifty_megabytes(here: World) -> None:
    here.say("x" * 50_000_000)
    here.say("short")
    here.run()
    assert [len(text) for text in heard(here)] == [50_000_000, 5]
    shown = [tokens.estimate(entry.content or b"") for entry in here.session.entries if entry.event == "HEAR"]
    assert shown[0] <= here.session.share
    assert here.served == 1


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    seen = []

    def model(messages: list[ChatMessage], call: object) -> str:
        seen.append(messages[-1]["content"])
        return "so be it \0 \udcff \x1b[31m"

    with world(tmp_path / "home", model) as here:
        with open(here.where.room("dev"), "ab") as file:
            file.write(b"\xff\xfe\0\x1b[2J caf\xc3\xa9 \xe2\x80\xa8 x\n")
        here.run()
        assert "caf\xe9" in seen[0]
        assert not set("\0\x1b\u2028") & set(seen[0])
        assert said(here.where) == ["so be it \0 ? \x1b[31m"]


# --- files that people change


def test_an_editor_that_saves_by_rename(here: World) -> None:
    here.say("one")
    here.run()
    path = here.where.room("dev")
    (path.parent / ".swp").write_bytes(path.read_bytes() + b"by hand\n")
    os.rename(path.parent / ".swp", path)
    here.run()
    assert heard(here) == ["one", "by hand"]
    here.say("two")
    here.run()
    assert heard(here) == ["one", "by hand", "two"]


def test_a_room_that_is_gone_is_told_once_and_heard_again(here: World) -> None:
    here.say("one")
    here.run()
    path = here.where.room("dev")
    before = path.read_bytes()
    for put in (path.unlink, lambda: (path.unlink(), path.mkdir())):
        put()
        told = len(events(here, "ERROR"))
        for _ in range(3):
            here.run()
        assert len(events(here, "ERROR")) == told + 1
        assert events(here, "ERROR")[-1].startswith(f"ERROR could not read room dev: {path}")
        if path.is_dir():
            path.rmdir()
        path.write_bytes(before)
        here.say(f"after {told}")
        here.run()
        before = path.read_bytes()
    assert heard(here) == ["one", "after 0", "after 1"]
    assert not events(here, "LEAVE")


def test_a_link_by_hand_subscribes_while_it_runs(here: World) -> None:
    path = link(here, "ops")  # before there is such a room
    here.run()
    assert sorted(here.session.state.heard.rooms) == ["dev"]
    assert "does not read the room of the link subs/ops.md" in events(here, "ERROR")[-1]
    room(here, "ops", "private", "before")
    here.run()
    here.say("now", room="ops")
    here.run()
    assert heard(here) == ["now"]
    path.unlink()
    here.run()
    here.say("unheard", room="ops")
    here.run()
    assert heard(here) == ["now"]
    assert [event.split(" ")[:2] for event in events(here, "JOIN", "LEAVE")][1:] == [["JOIN", "ops"], ["LEAVE", "ops"]]
    assert len(events(here, "ERROR")) == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [("all", "(who can read it) is `group`"), ("bobs", "(who can read it) is `private bob`"),
     ("Bad name", "cannot be a room"), ("file", "not a symbolic link to a room"),
     ("astray", "does not lead to chats/astray.md"), ("folder", "Is a directory"),
     ("dangling", "not a symbolic link to a room")],
)  # fmt: skip
def test_links_that_are_refused_are_told_once(here: World, name: str, why: str) -> None:
    room(here, "all", "group", "a secret of others")
    room(here, "bobs", "private bob", "a secret of others")
    room(here, "astray")
    (here.where.chats / "folder.md").mkdir()
    if name == "file":
        (here.session.path / "subs/file.md").write_text("x")
    else:
        link(here, name, {"astray": "../../../chats/all.md", "dangling": "../../../chats/none.md"}.get(name, ""))
    for _ in range(3):
        here.run()
    (told,) = events(here, "ERROR")
    assert told.startswith(f"ERROR the agent does not read the room of the link subs/{name}.md: ")
    assert why in told
    assert sorted(here.session.state.heard.rooms) == ["dev"]
    assert "secret" not in (here.session.path / "context.md").read_text()


def test_a_heading_that_is_changed_closes_the_room_until_it_is_changed_back(here: World) -> None:
    path = here.where.room("dev")
    here.say("one")
    here.run()
    path.write_bytes(path.read_bytes().replace(b"# dev private", b"# dev group"))
    here.say("a secret of others", name="bob")
    here.run()
    assert heard(here) == ["one"]
    assert sorted(here.session.state.heard.rooms) == []
    assert "audience (who can read it) is `group`" in events(here, "ERROR")[-1]
    path.write_bytes(b"# dev private\n")
    here.run()
    here.say("two")
    here.run()
    assert heard(here) == ["one", "two"]


def test_no_subscriptions_at_all(here: World) -> None:
    for entry in (here.session.path / "subs").iterdir():
        entry.unlink()
    (here.session.path / "subs").rmdir()
    here.run()
    assert not here.session.state.heard.rooms
    agent.act(here.session, agent.ToolCall("JOIN", "dev", None))
    here.run()
    assert sorted(here.session.state.heard.rooms) == ["dev"]


# --- papers


def test_the_answer_of_who_was_called_is_heard_and_asks_another_for_nothing(tmp_path: Path) -> None:
    with (
        world(tmp_path / "home", lambda *_: "It is ten.") as cy,
        world(tmp_path / "home", lambda *_: "It is ten, too.", provider="another", fresh=True) as bea,
    ):
        cy.say(f"{bea.session.id[:8]}: what time is it?")
        for _ in range(2):
            bea.run()
            cy.run()
        assert (bea.served, cy.served) == (1, 0)
        assert len(heard(cy)) == 2
        cy.say("And what day is it?")
        cy.run()
        bea.run()
        assert (bea.served, cy.served) == (2, 1)
