"""The agents of a home: who runs, whom each hears, how old it is."""

from __future__ import annotations

from pathlib import Path

from lives import lines
from looking import printed, rows
from support import make_home, run
from world import World, offline, world

from dotagent.capabilities.helpers import children
from dotagent.loop import boot
from dotagent.store import helpers, rooms
from dotagent.store.helpers import Terms, audience
from dotagent.store.home import Home
from dotagent.text import times


def test_each_agent_is_a_line_with_its_rooms(tmp_path: Path) -> None:
    with world(tmp_path, offline) as lived:
        lived.say("Hello!")
        lived.run()
        (row,) = rows(printed(lived.where, "agents", "--json"))
        (boot,) = lines(lived, "BOOT")
        assert (row["id"], row["state"], row["audience"]) == (lived.session.id, "runs", "private ana")
        assert (row["rooms"], row["born"]) == (["dev"], boot.at)
    with world(tmp_path, offline, "--room", "other", fresh=True) as other:
        born = other.session.id
    found = {row["id"]: row for row in rows(printed(other.where, "agents", "--json"))}
    assert len(found) == 2 and found[born]["state"] == "sleeps" and found[born]["event"] == "SLEEP"
    plain = printed(other.where, "agents").split("\n")
    assert [line[:12].rstrip() for line in plain] == ["agent", *(id[:12] for id in sorted(found)), ""]
    assert any("private ana" in line and line.endswith("SLEEP  other") for line in plain)


def test_broken_settings_are_told_at_once(where: Home) -> None:
    (where.root / "dotagent.toml").write_text("owner = 3\n")
    done = run(where, "-m", "dotagent", "agents")
    assert done.returncode == 2 and "owner" in done.stderr and not done.stdout


def test_a_home_without_agents_says_so(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    assert printed(where, "agents") == f"no agents yet; create one with `python agent.py --home {where.root}`\n"
    assert printed(where, "agents", "--json") == ""


def helper_of(lived: World) -> str:
    """A helper of the agent, at work on a task."""
    terms = Terms(lived.session.id, children.place(lived.where, lived.session.id), 1, 5, 5000, 50, "none")
    made = children.birth(lived.session.store, terms, audience(terms.room))
    children.make(lived.where, made, terms, rooms.line_of("AGENT", lived.session.id[:12], times.now(), "a task"))
    return made


def test_a_helper_is_ended_by_its_id_and_listed_no_more_once_it_has_finished(tmp_path: Path) -> None:
    with world(tmp_path, offline) as parent:
        one = helper_of(parent)
        told = printed(parent.where, "agents", "end", one[:10])
        said = "is not running now; if it starts again, it stops its task at once"
        assert told == f"helper {one[:12]} of agent {parent.session.id[:12]} {said}\n"
    where = parent.where
    with boot.life_of(["--home", str(where.root), "--provider", "scripted", one]) as me:
        lived = World(where, me, lambda messages, call: "RUN sleep 60")
        lived.run()
    assert not lines(lived, "ASK")
    assert [line.detail.split(" ")[-1] for line in lines(lived, "RESTED")] == ["ended"]
    assert helpers.rested(where, one) == (1, "ended")
    assert one not in {row["id"] for row in rows(printed(where, "agents", "--json"))}
    (row,) = [row for row in rows(printed(where, "agents", "--json", "--all")) if row["id"] == one]
    assert row["state"] == "finished"
    assert printed(where, "agents", "end", one[:10]) == f"helper {one[:12]} has finished already\n"


def test_an_agent_that_is_no_helper_is_not_ended(tmp_path: Path) -> None:
    with world(tmp_path, offline) as lived:
        done = run(lived.where, "-m", "dotagent", "agents", "end", lived.session.id[:10])
        assert (done.returncode, "is not a helper; /stop in its room" in done.stderr) == (2, True)
