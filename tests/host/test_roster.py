"""Which agents a change on disk concerns."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from support import PATIENCE, make_home
from world import World, offline, world

from dotagent.capabilities.supervisor.roster import Roster
from dotagent.capabilities.supervisor.serve import Host
from dotagent.store import disk, rooms
from dotagent.store.home import Home


@pytest.fixture
def three(tmp_path: Path) -> tuple[Home, list[str]]:
    """Agents in `dev`, `dev` and `ops`, in the order of their birth."""
    made: list[World] = []
    for room in ("dev", "dev", "ops"):
        with world(tmp_path / "home", offline, "--room", room, fresh=bool(made)) as here:
            made.append(here)
    return made[0].where, [one.session.id for one in made]


def test_at_first_all_are_looked_at_and_then_those_that_a_change_concerns(three: tuple[Home, list[str]]) -> None:
    where, (first, second, other) = three
    roster = Roster(where)
    assert roster.update(None, {}) == {first, second, other} and roster.take() == sorted(three[1])
    assert roster.update(frozenset(), {}) == set() and roster.take() == []
    assert roster.update(frozenset({where.room("dev")}), {}) == {first, second}
    assert roster.update(frozenset({where.agent(other) / "due" / "job@20261121T201720Z.json"}), {}) == {other}
    assert roster.update(frozenset({where.calls / "done" / first / "x"}), {}) == {first}
    assert roster.take() == sorted(three[1])
    assert roster.update(frozenset({where.root / "dotagent.toml", where.room("unheard")}), {}) == set()


def test_a_room_concerns_the_agent_that_settings_give_it_to(three: tuple[Home, list[str]]) -> None:
    where, (first, _, _) = three
    roster = Roster(where)
    roster.update(None, {})
    assert roster.update(frozenset({where.room("new-1")}), {first: {"rooms": ["new-*"]}}) == {first}


def test_links_that_come_and_go_are_known(three: tuple[Home, list[str]]) -> None:
    where, (first, second, other) = three
    roster = Roster(where)
    roster.update(None, {})
    rooms.create(where.room("late"), "private")
    link = where.agent(other) / "subs" / "late.md"
    os.symlink("../../../chats/late.md", link)
    roster.update(frozenset({link}), {})
    assert roster.update(frozenset({where.room("late")}), {}) == {other}
    link.unlink()
    roster.update(frozenset({link}), {})
    assert roster.update(frozenset({where.room("late")}), {}) == set()
    shutil.rmtree(where.agent(first))
    roster.update(frozenset({where.agent(first)}), {})
    assert roster.update(frozenset({where.room("dev")}), {}) == {second}


def test_when_one_ends_those_who_share_its_rooms_are_looked_at(three: tuple[Home, list[str]]) -> None:
    where, (first, second, _) = three
    roster = Roster(where)
    roster.update(None, {})
    roster.take()
    roster.mark_neighbours(first)
    assert roster.take() == sorted([first, second])


@pytest.mark.slow
def test_the_directory_of_an_agent_that_is_being_created_is_watched(tmp_path: Path) -> None:
    """Its LIFE.md comes last, and until then it is no agent."""
    where = make_home(tmp_path / "home")
    disk.make_dir(where.up)
    host, folder = Host(where, {}), where.agent("0" * 32)
    try:
        host.look()
        folder.mkdir(parents=True)
        assert host.watcher.wait(PATIENCE)
        host.look()
        (folder / "LIFE.md").touch()
        while folder / "LIFE.md" not in (host.watcher.changed() or ()):  # the clock that it started writes files, too
            assert host.watcher.wait(PATIENCE)
    finally:
        host.end()
        host.watcher.close()
