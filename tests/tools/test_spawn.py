"""SPAWN: a helper is an agent of its own, in a process of its own; its result comes once, whoever dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from alive import Alive, a_home, say
from support import MOMENT, Deadline, until
from tools.hands import Hands
from tools.spawning import a_parent, end, helper, kill, model, once, pid_of, prompt_of, rest, serve, shown
from world import World, events, said, world

import agent
from dotagent.capabilities.helpers import children
from dotagent.capabilities.helpers.tools import spawn
from dotagent.capabilities.supervisor.todo import Sleeper
from dotagent.commands import agents
from dotagent.doctor import lives as doctor
from dotagent.life.background_events import works
from dotagent.store import agent_search, helpers, home, lives, log, rooms
from dotagent.store.helpers import Terms
from dotagent.text import times
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError


@pytest.fixture
def here() -> Iterator[World]:
    with a_parent() as there:
        yield there


@pytest.mark.night
def test_a_helper_does_its_task_and_its_result_comes_once(here: World) -> None:
    here.say("SPAWN turns=3 count the bees")
    rest(here)
    one = helper(here)
    assert said(here.where) == ["Told: (done): count the bees: done"]
    assert once(here) == ["done"]
    path = here.where.agent(one)
    terms = helpers.terms(here.where.store(), one)
    assert terms and (terms.parent, terms.depth, terms.turns) == (here.session.id, 1, 3)
    assert said(here.where, terms.room) == ["count the bees", "count the bees: done"]
    assert rooms.audience(here.where.room(terms.room), "ana") == f"helper {terms.room[7:]}"
    assert sorted(found.name for found in path.glob("*.md")) == [
        "AGENTS.md", "LIFE.md", "SOUL.md", "TOOLS.md", "context.md"
    ]  # fmt: skip
    lines = until(lambda: (told := list(log.lines(path / "LIFE.md"))) and told[-1].event == "SLEEP" and told, path)
    assert lines[-2].event == "RESTED" and lines[0].detail.startswith("helper ")
    here.say(f"SESSION send {one[:8]} and the wasps")  # it goes on where it was, and its parent hears of that too
    rest(here)
    assert said(here.where)[1:] == ["Told: (done): and the wasps: done"]
    assert len(events(here, "RETURNED")) == 2
    assert (
        agent_search.find_agent(here.where, None, newest_of_all=True) == here.session.id
    )  # a helper is not who lived last


@pytest.mark.parametrize(
    ("words", "how"),
    [
        ("turns=2 loop", "turns"),
        ("tokens=1 loop", "tokens"),
        pytest.param("seconds=1 hang", "seconds", marks=pytest.mark.slow),
    ],
)
def test_a_limit_ends_it_and_is_told_in_a_line(here: World, words: str, how: str) -> None:
    here.tokens = lambda messages: 100
    here.say(f"SPAWN {words}")
    rest(here)
    assert once(here) == [how]
    assert said(here.where)[0].startswith(f"Told: (stopped at its limit of {how}): ")
    if how != "seconds":
        here.say(f"SESSION send {helper(here)} more")
        rest(here)
        assert "has finished" in shown(here)


@pytest.mark.night
def test_a_kill_of_either_loses_nothing_and_repeats_nothing(here: World) -> None:
    here.say("SPAWN hang / SPAWN count")
    deadline = Deadline()
    while len(events(here, "RETURNED")) < 1:
        deadline.check(lambda: events(here)[-5:])
        if not agent.step(here.me) and not here.serve():
            here.me.watch.wait(here.me.inbox.sleep(MOMENT))
    (one,) = [one for one, work in works(here.session.state.heard).items() if work.goes_on]
    for _ in range(2):
        kill(here, one)
        rest(here, helpers=1)
        while not children.works(here.where, one):
            agent.step(here.me)
    assert [line.event for line in log.lines(here.where.agent(one) / "LIFE.md")].count("RESUME") <= 2
    kill(here, one)
    rest(here, helpers=1)
    kill(here, one)
    rest(here)
    assert sorted(once(here)) == ["died", "done"]
    assert "Told: (its process crashed several times): (it said nothing)" in said(here.where)


@pytest.mark.night
def test_a_parent_that_is_killed_hears_of_what_its_helper_did_meanwhile() -> None:
    """Real processes: kill -9 of the parent while its helper works, and of both."""
    with a_home() as where:
        parent = Alive(where, "--provider", "scripted")
        say(where, "SPAWN count")
        (one,) = serve(where, lambda: [one for one in home.lives(where) if one != parent.id], helpers=False)
        serve(where, lambda: lives.runs(where, one), helpers=False)
        parent.end(signal.SIGKILL)
        serve(where, lambda: helpers.rested(where, one)[0] and not lives.runs(where, one))
        parent = Alive(where, "--provider", "scripted", parent.id)
        serve(where, lambda: "Told: (done): count: done" in said(where))
        say(where, f"SESSION send {one[:12]} and again")
        serve(where, lambda: lives.runs(where, one), helpers=False)
        parent.end(signal.SIGKILL)
        os.kill(pid_of(where, one), signal.SIGKILL)
        parent = Alive(where, "--provider", "scripted", parent.id)
        serve(where, lambda: "Told: (done): and again: done" in said(where))
        parent.end()
        assert len(parent.lines("RETURNED")) == 2
        assert [word for word in said(where) if word.startswith("Told")] == [
            "Told: (done): count: done", "Told: (done): and again: done"
        ]  # fmt: skip
        end(where)


@pytest.mark.slow
def test_who_dies_over_the_making_finds_the_helper_by_its_hash(tmp_path: Path) -> None:
    """The parent's process ends after each of its steps in turn, and another goes on."""
    with a_home() as where:
        rooms.create(where.room("dev"), "private")
        told, deadline, begun = list[str](), Deadline(times=3), False  # each step is a start of its own
        while not (told and said(where)) and deadline.left():
            with world(where.root, model) as there:
                if not begun:
                    there.say("SPAWN count")
                begun = True
                step(there)
                told = once(there)
        assert told == ["done"] and len(home.lives(where)) == 2
        end(where)


def test_who_is_to_be_born_of_what_is_lost_is_not(here: World) -> None:
    lost, call = "0" * 32, ToolCall("SPAWN", "count the bees", None)
    with pytest.raises(ToolError, match="SPAWN it again"):
        spawn.recover(here.session, call, f"{lost} {times.now()}")
    another = children.birth(here.where.store(), Terms(lost, "helper-x-1", 1, 1, 1, 1, "none"), "helper x")
    with pytest.raises(ToolError, match="SPAWN it again"):
        spawn.recover(here.session, call, f"{another} {times.now()}")


def step(there: World) -> None:
    """One step; whatever was asked by then is answered, since this process has taken it."""
    done = agent.step(there.me)
    while there.serve():
        done = True
    if not done:
        there.me.watch.wait(there.me.inbox.sleep(MOMENT))


@pytest.mark.slow
def test_what_a_helper_has_is_what_its_prompt_lists(here: World) -> None:
    here.say("SPAWN workspace=none count / SPAWN workspace=ro count / SPAWN count")
    rest(here)
    made = {
        terms.workspace: one
        for one in works(here.session.state.heard)
        if (terms := helpers.terms(here.where.store(), one))
    }
    for workspace, has in (("none", ()), ("ro", ("READ_FILE",)), ("rw", ("READ_FILE", "WRITE_FILE", "EDIT_FILE"))):
        text = prompt_of(here, made[workspace])
        for name in (
            "READ_FILE",
            "WRITE_FILE",
            "EDIT_FILE",
            "RUN",
            "PROCESS",
            "JOIN",
            "SAY",
            "REMIND",
            "FETCH",
            "SPAWN",
            "SESSION",
        ):
            assert (f"\n    {name} " in text) == (name in has), (workspace, name)
        assert "You are a helper" in text and "MEMORY.md is your notes" not in text
        assert "# AGENTS" in text
        assert "USER.md" not in text.partition("<user>")[0].replace("# AGENTS", "")
    where = here.where
    with world(where.root, model, made["none"], fresh=True) as there:  # a helper that is lived here
        hands = Hands(there)
        for call in ("READ_FILE AGENTS.md", "WRITE_FILE x <<END\ny\nEND", "JOIN dev", "SPAWN more", "SESSION list"):
            hands.fails(call, "you have no tool")
        hands.fails("RUN true", "cannot run commands")
    with world(where.root, model, made["rw"], fresh=True) as there:
        hands = Hands(there)
        for name in ("SOUL.md", "USER.md", "MEMORY.md", "IDENTITY.md", f"../{here.session.id}/MEMORY.md"):
            hands.fails(f"READ_FILE {name}")
        assert "AGENTS" in hands.shows("READ_FILE AGENTS.md")


def test_settings_bound_them(here: World) -> None:
    (here.where.root / "dotagent.toml").write_text("[spawn]\nmost = 2\nturns = 5\nworkspace = 'ro'\n")
    hands = Hands(here)
    for _ in range(2):
        assert "It may use 5 turns" in hands.shows("SPAWN turns=99 workspace=rw hang")
    hands.fails("SPAWN hang", "the limit is 2")
    found = [helpers.terms(here.where.store(), one) for one in works(here.session.state.heard)]
    assert [one and one.workspace for one in found] == ["ro", "ro"]
    end(here.where)
    hands.fails("SPAWN", "the task is missing")


def test_a_helper_at_rest_is_listed_and_nobody_starts_it(here: World) -> None:
    here.say("SPAWN count")
    rest(here)
    one, where = helper(here), here.where
    serve(where, lambda: not lives.runs(where, one))  # it says that it rests, then it leaves
    (row,) = [row for row in agents.rows(where) if row.id == one]
    assert (row.parent, row.state, row.audience.split(" ")[0]) == (here.session.id, "finished", "helper")
    found = [str(finding) for finding in doctor.life(where, one, deep=False)]
    assert f"ok: helper of agent {here.session.id[:12]}, finished: done, agents/{one[:12]}" in found
    assert not [line for line in found if not line.startswith("ok: ")], found
    sleeping = Sleeper(where, one)
    assert sleeping.why(here.session.settings) == ""
    assert Sleeper(where, here.session.id).why(here.session.settings) == ""
    here.say("SPAWN hang")
    rest(here, helpers=1)
    assert Sleeper(where, here.session.id).why(here.session.settings) == "a helper of the agent"
    assert here.me.inbox.waits()
