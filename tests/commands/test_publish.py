"""publish: a person's way from one audience to another; never an agent's."""

from __future__ import annotations

from pathlib import Path

import pytest
from lives import lines
from support import run
from world import World, world

from dotagent.processes.background import MARK
from dotagent.store import rooms


@pytest.fixture
def told(tmp_path: Path):  # type: ignore[no-untyped-def]
    with world(tmp_path / "home", lambda messages, call: "<reasoning>why</reasoning>The harbour is Malmö.") as here:
        here.say("where do we land?")
        here.run()
        rooms.create(here.where.room("ops"), "group")
        yield here


def test_of_a_reply_with_calls_what_it_says_is_published(tmp_path: Path) -> None:
    reply = "NOTE later\nSAY dev <<END\nThe harbour\nis Malmö.\nEND"
    with world(tmp_path / "home", lambda messages, call: reply) as here:
        here.say("where do we land?")
        here.run()
        rooms.create(here.where.room("ops"), "group")
        published = lines(here, "REPLY")[0].id
        done = run(here.where, "-m", "dotagent", "publish", published, "ops", "--yes")
        assert done.stdout.endswith("will get this message from ana:\n  The harbour\n  is Malmö.\n")


def test_what_was_said_in_private_is_said_as_the_persons_word(told: World) -> None:
    reply, heard = lines(told, "REPLY")[0].id, lines(told, "HEAR")[0].id
    done = run(told.where, "-m", "dotagent", "publish", reply[:12], "ops", "--yes")
    assert (
        done.returncode == 0 and "ops (group) will get this message from ana:\n  The harbour is Malmö." in done.stdout
    )
    assert run(told.where, "-m", "dotagent", "publish", heard, "ops", "--yes").returncode == 0
    room = told.where.room("ops").read_text().split("\n")
    assert [line.split("] ")[-1] for line in room[1:3]] == ["The harbour is Malmö.", "where do we land?"]
    assert all(line.startswith("[USER:ana ") for line in room[1:3])


@pytest.mark.slow
def test_nothing_is_said_unasked_nor_by_an_agents_command_nor_where_nobody_is(told: World) -> None:
    reply = lines(told, "REPLY")[0].id[:12]
    before = told.where.room("ops").read_text()
    for words, why, env in (
        (("ops",), "there is no terminal on which to ask you", {}),
        (("ops", "--yes"), "only the owner can publish", {MARK: "x"}),
        (("nowhere", "--yes"), "no room nowhere", {}),
    ):
        done = run(told.where, "-m", "dotagent", "publish", reply, *words, env=env)
        assert done.returncode == 2 and why in done.stderr
    assert told.where.room("ops").read_text() == before and not told.where.room("nowhere").exists()
