"""Whether a life that sleeps has something to do, by its files alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import make_home, noted
from world import World, offline, world

import agent
from dotagent.capabilities.supervisor.sleep import Asleep
from dotagent.capabilities.supervisor.todo import Sleeper
from dotagent.store import disk, home, lives, named_agents, queue, rooms
from dotagent.store.home import Home, Settings
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
        assert len(seen) > 4 and seen[-1] == "" and set(seen[:-1]) == {"an unfinished turn"}


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
    named_agents.keep(where.root, "bob", second)
    assert why(where, first) == "" and why(where, second) == "a message in dev"
    fd = disk.open_append(where.agent(second) / "LIFE.md")
    (where.root / "dotagent.toml").unlink()
    with disk.locked(fd):  # the other is awake: it answers
        say(where, "hello?")
        assert why(where, first) == ""
    os.close(fd)


def test_an_agent_of_another_audience_that_is_linked_to_the_room_answers_nothing_there(slept: World) -> None:
    """It runs, and so it would be the one that answers, but it must not read the room."""
    where = slept.where
    rooms.create(where.room("shop"), "group")
    with world(where.root, offline, "--room", "shop", "--audience", "group", fresh=True) as other:
        other.run()
        other_id = other.session.id
        lives.join(where, other_id, where.room("dev"))
        say(where, f"hello, {other_id[:8]}")
        assert lives.runs(where, other_id) and other_id in home.lives(where, "dev")
        assert why(where, slept.session.id) == "a message in dev"
        assert lives.awake(where, "dev") == [] and lives.find_agents(where, "dev") == [slept.session.id]


def test_a_room_that_was_edited_wakes_it(slept: World) -> None:
    path = slept.where.room("dev")
    path.write_text(path.read_text().replace("seat is", "usual seat is"))
    assert why(slept.where) == "a message in dev"


def test_a_room_of_another_audience_or_that_is_gone_wakes_nobody(slept: World) -> None:
    path = slept.where.room("dev")
    path.write_text("# dev group\n[USER:eve 2026-11-21T20:17:20Z] hello\n")
    assert why(slept.where) == ""
    path.unlink()
    assert why(slept.where) == ""


def test_a_call_that_is_out_is_its_business(tmp_path: Path) -> None:
    with world(tmp_path / "home", lambda messages, call: None) as here:
        here.say("hello")
        here.run()
    assert why(here.where) == "an unfinished turn" and list(queue.out(here.where))
    assert make_home(tmp_path / "other") and home.lives(Home(tmp_path / "other")) == []


# --- the cache of agents that rest


def test_one_that_rests_is_not_read_again_until_its_files_change(slept: World) -> None:
    where, self_id = slept.where, slept.session.id
    settings, life = home.settings(where), slept.session.path / "LIFE.md"
    os.utime(life, (1, 1))  # long ago: a file that was just written may change again within the same tick
    asleep = Asleep(where)
    assert Sleeper(where, self_id).why(settings, asleep) == ""
    disk.make_dir(where.up)
    asleep.save()
    again = Asleep(where)  # a later `up`
    with noted("open") as files:
        assert Sleeper(where, self_id).why(settings, again) == ""
    assert not [path for path, *_ in files if str(path).endswith(("LIFE.md", "dev.md"))]
    say(where, "which seat?")
    assert Sleeper(where, self_id).why(settings, again) == "a message in dev"


def test_one_that_leaves_words_to_another_agent_is_read_again(tmp_path: Path) -> None:
    """The other may end without an answer, or settings may give the room to this one."""
    with world(tmp_path / "home", offline) as one:
        one.run()
    with world(tmp_path / "home", offline, fresh=True) as two:
        two.run()
    where, asleep = one.where, Asleep(one.where)
    say(where, "hello")
    for self_id in (one.session.id, two.session.id):
        os.utime(where.agent(self_id) / "LIFE.md", (1, 1))
    whys = {Sleeper(where, self_id).why(home.settings(where), asleep) for self_id in home.lives(where)}
    assert whys == {"", "a message in dev"}
    assert not any(asleep.rests(self_id, asleep.see(self_id, Settings())) for self_id in home.lives(where))


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', '{"a": [[1], 2]}', "\x00"])
def test_a_spoilt_cache_is_left_out(slept: World, text: str) -> None:
    disk.make_dir(slept.where.up)
    (slept.where.up / "asleep.json").write_text(text)
    asleep = Asleep(slept.where)
    assert Sleeper(slept.where, slept.session.id).why(home.settings(slept.where), asleep) == ""
