"""JOIN: a link in subs/, to a room of one's own audience and no other."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hands import Hands, a_life, among_rooms

from dotagent.store import rooms
from dotagent.text import times


@pytest.fixture
def hands(tmp_path: Path) -> Iterator[Hands]:
    with among_rooms(tmp_path) as life:
        yield life


def subscribed(hands: Hands) -> list[str]:
    hands.world.me.inbox.hear()
    return sorted(hands.session.state.heard.rooms)


def test_joining_and_leaving(hands: Hands) -> None:
    rooms.append(hands.where.room("ops"), rooms.line_of("USER", "ana", times.now(), "before"))
    assert hands.do("JOIN ops\nJOIN anas\nJOIN ops") == ["ok"] * 3
    assert subscribed(hands) == ["anas", "dev", "ops"]
    assert os.readlink(hands.path / "subs/ops.md") == "../../../chats/ops.md"
    assert b"before" in hands.session.store.get(hands.events("JOIN")[-1].id).body
    assert hands.do("SAY ops hello\nLEAVE ops") == ["ok", "ok"]
    assert subscribed(hands) == ["anas", "dev"]
    hands.fails("SAY ops hello", "not in a room")
    assert [line.detail.split(" ")[0] for line in hands.events("JOIN", "LEAVE")] == ["dev", "anas", "ops", "ops"]


@pytest.mark.parametrize("room", ["bobs", "all"])
def test_rooms_of_another_audience_are_out_of_reach(hands: Hands, room: str) -> None:
    hands.fails(f"JOIN {room}", "the people who can read you (private ana)")
    assert not (hands.path / f"subs/{room}.md").is_symlink()


def test_a_group_life_joins_groups_only(tmp_path: Path) -> None:
    with a_life(tmp_path, "--audience", "group", "--room", "all") as hands:
        rooms.create(hands.where.room("dev"), "private")
        rooms.create(hands.where.room("team"), "team")
        hands.fails("JOIN dev", "the people who can read you (group)")
        hands.do("JOIN team")
        assert subscribed(hands) == ["all", "team"]


def test_a_room_that_is_heard_is_no_answer(hands: Hands) -> None:
    hands.fails("JOIN dev", "you are already in dev")


NAMES = ("", "nowhere", "../agents", "A", "dev.md", "x" * 65, "x" * 300, "a b", "\x7f", "..", "/etc/passwd")


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name[:9])
def test_what_is_no_room_is_told(hands: Hands, name: str) -> None:
    (hands.where.root / "agents.md").write_text("# x private\n")
    hands.fails(f"JOIN {name}")
    assert os.listdir(hands.path / "subs") == ["dev.md"]


def test_links_that_lead_astray_are_made_anew_and_files_are_left(hands: Hands) -> None:
    (hands.path / "subs/ops.md").symlink_to("nowhere.md")
    assert hands.do("JOIN ops") == ["ok"]
    (hands.path / "subs/anas.md").write_text("a person's own")
    hands.fails("JOIN anas", "subs/anas.md must be the link to this room")
    assert (hands.path / "subs/anas.md").read_text() == "a person's own"
    assert subscribed(hands) == ["dev", "ops"]


def test_a_room_that_is_a_directory(hands: Hands) -> None:
    (hands.where.chats / "folder.md").mkdir()
    hands.fails("JOIN folder", "there is no room folder")
