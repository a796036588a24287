"""down: all that up started ends, cleanly."""

from __future__ import annotations

import pytest
from alive import Alive, hears, say
from kept import kept
from support import run

from dotagent.store import home, launch, lives, log
from dotagent.store.home import Home


def test_where_nothing_runs_it_says_so(where: Home) -> None:
    done = run(where, "-m", "dotagent", "down")
    assert done.returncode == 1 and "`dotagent up` is not running" in done.stderr and done.stderr.count("\n") == 1


def test_an_agent_that_runs_without_up_is_named_with_the_way_to_stop_it(where: Home) -> None:
    agent = Alive(where)
    done = run(where, "-m", "dotagent", "down")
    assert done.returncode == 1 and f"{agent.id[:12]} runs without `up`: `kill {agent.process.pid}`" in done.stderr
    agent.end()


@pytest.mark.slow
def test_everything_ends_and_each_life_says_that_it_sleeps(where: Home) -> None:
    with kept(where, "[agents.aria]\nrooms = ['dev']\n"):
        say(where, "help")
        hears(where, "offline")
    (self_id,) = home.lives(where)
    assert not lives.runs(where, self_id)
    assert log.tail(where.agent(self_id) / "LIFE.md", 1)[0].event == "SLEEP"
    assert not launch.served(where, "offline")
