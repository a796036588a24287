"""Whether a life that sleeps has something to do, by its files alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import make_home
from world import World, offline, world

import agent
from dotagent.host.todo import Sleeper
from dotagent.store import disk, home, listed, queue, rooms
from dotagent.store.home import Home
from dotagent.text import times


@pytest.fixture
def slept(tmp_path: Path) -> Iterator[World]:
    """A life that answered and lies asleep; the test's process no longer lives it."""
    with world(tmp_path / "home", offline) as here:
        here.say("remember that my seat is 14A")
        here.run()
    yield here


def why(where: Home, self_id: str = "") -> str:
    return Sleeper(where, self_id or home.lives(where)[0]).why(home.settings(where))


def say(where: Home, text: str, room: str = "dev", kind: str = "USER", name: str = "ana") -> None:
    rooms.append(where.room(room), rooms.line_of(kind, name, times.now(), text))


def test_one_that_answered_everything_sleeps_on(slept: World) -> None:
    assert why(slept.where) == ""


def test_a_message_wakes_it_and_its_own_do_not(slept: World) -> None:
    say(slept.where, "I said this", kind="AGENT", name=slept.session.id[:12])
    assert why(slept.where) == ""
    say(slept.where, "which seat?")
    assert why(slept.where) == "a message in dev"


def test_so_does_a_job_and_another_room(slept: World) -> None:
    where, self_id = slept.where, slept.session.id
    sleeper, asked = Sleeper(where, self_id), home.settings(where)
    sleeper.started()
    assert sleeper.why(asked) == ""
    rooms.create(where.room("ops"), "private")
    os.symlink("../../../chats/ops.md", where.agent(self_id) / "subs" / "ops.md")
    assert sleeper.why(asked) == "another room"
    sleeper.started()  # it was, and would not join: once is enough
    assert sleeper.why(asked) == ""
    disk.make_dir(where.agent(self_id) / "due")
    (where.agent(self_id) / "due" / "job@20261121T201720Z.json").touch()
    assert sleeper.why(asked) == "a job"


def test_one_that_died_in_a_turn_goes_on(tmp_path: Path) -> None:
    """Wherever it died: what is left to do is seen at every step, and nothing once it rests."""
    with world(tmp_path / "home", offline) as here:
        here.say("remember that my seat is 14A")
        sleeper, seen = Sleeper(here.where, here.session.id), list[str]()
        asked = home.settings(here.where)
        while agent.step(here.me) or here.serve():
            seen.append(sleeper.why(asked))
        assert len(seen) > 4 and seen[-1] == "" and set(seen[:-1]) == {"a turn it was in"}


def test_of_several_in_a_room_one_wakes_and_settings_say_which(tmp_path: Path) -> None:
    with world(tmp_path / "home", offline) as one:
        one.run()
    with world(tmp_path / "home", offline, fresh=True) as two:
        two.run()
    where, (first, second) = one.where, (one.session.id, two.session.id)
    say(where, "hello")
    assert why(where, first) == "a message in dev" and why(where, second) == ""
    say(where, f"and you, {second[:8]}?")
    assert why(where, first) == "" and why(where, second) == "a message in dev"
    (where.root / "dotagent.toml").write_text("[agents.bob]\nrooms = ['dev']\n")
    listed.keep(where.root, "bob", second)
    assert why(where, first) == "" and why(where, second) == "a message in dev"
    fd = disk.open_append(where.agent(second) / "LIFE.md")
    (where.root / "dotagent.toml").unlink()
    with disk.locked(fd):  # the other is awake: it answers
        say(where, "hello?")
        assert why(where, first) == ""
    os.close(fd)


def test_a_room_of_another_audience_or_that_was_written_anew_wakes_nobody(slept: World) -> None:
    path = slept.where.room("dev")
    path.write_text("# dev group\n[USER:eve 2026-11-21T20:17:20Z] hello\n")
    assert why(slept.where) == ""
    path.unlink()
    assert why(slept.where) == ""


def test_a_call_that_is_out_is_its_business(tmp_path: Path) -> None:
    with world(tmp_path / "home", lambda messages, call: None) as here:
        here.say("hello")
        here.run()
    assert why(here.where) == "a turn it was in" and list(queue.out(here.where))
    assert make_home(tmp_path / "other") and home.lives(Home(tmp_path / "other")) == []
