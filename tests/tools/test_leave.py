"""LEAVE: the own link in subs/ goes, and no other."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hands import Hands, among_rooms


@pytest.fixture
def hands(tmp_path: Path) -> Iterator[Hands]:
    with among_rooms(tmp_path) as life:
        yield life


def test_leaving(hands: Hands) -> None:
    assert hands.do("JOIN ops\nSAY dev bye\nLEAVE dev") == ["ok"] * 3
    hands.world.me.inbox.hear()
    assert sorted(hands.session.state.heard.rooms) == ["ops"]
    hands.fails("SAY dev hello", "not in a room 'dev': your rooms are ops")
    hands.fails("LEAVE dev", "you are not in a room dev; your rooms are ops")
    hands.world.say("unheard")
    hands.world.me.inbox.hear()
    assert not hands.events("HEAR")


@pytest.mark.parametrize(
    "name", ["", "ops", "../agents", "A", "x" * 300, "..", "\x7f", "dev.md"], ids=lambda name: name[:9]
)
def test_what_is_no_room_of_ones_own_is_told(hands: Hands, name: str) -> None:
    hands.fails(f"LEAVE {name}")
    assert os.listdir(hands.path / "subs") == ["dev.md"]


def test_leave_reaches_no_other_lifes_links(hands: Hands) -> None:
    other = hands.where.agents / ("f" * 32) / "subs"
    other.mkdir(parents=True)
    (other / "dev.md").symlink_to("../../../chats/dev.md")
    hands.fails(f"LEAVE ../../{'f' * 32}/subs/dev")
    assert (other / "dev.md").is_symlink()


def test_what_a_person_put_there_stays(hands: Hands) -> None:
    (hands.path / "subs/ops.md").write_text("a person's own")
    hands.fails("LEAVE ops", "not in a room ops")
    assert (hands.path / "subs/ops.md").read_text() == "a person's own"
