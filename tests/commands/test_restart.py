"""restart: what runs is asked to leave, and up starts it again."""

from __future__ import annotations

import pytest
from alive import hears, say
from kept import awake, becomes, kept
from support import run

from dotagent.store import home
from dotagent.store.home import Home


def test_where_nothing_runs_it_says_so(where: Home) -> None:
    done = run(where, "-m", "dotagent", "restart")
    assert done.returncode == 1 and "`dotagent up` is not running" in done.stderr


@pytest.mark.night
def test_a_life_that_was_restarted_goes_on(where: Home) -> None:
    with kept(where, "linger = 1\n[agents.aria]\nrooms = ['dev']\n"):
        say(where, "remember that my seat is 14A")
        hears(where, "14A")
        (self_id,) = home.lives(where)
        wrong = run(where, "-m", "dotagent", "restart", "nobody")
        assert wrong.returncode == 2 and "no process nobody is running here" in wrong.stderr
        becomes(where, lambda rows: [row for row in rows if row["kind"] == "birth" and not row["runs"]])
        say(where, "help")  # heard by a process that was started for it, not by the one that was there for the birth
        before = awake(where, self_id)
        done = run(where, "-m", "dotagent", "restart", "aria")
        assert done.returncode in (0, 2)  # it may have left by itself
        say(where, "which seat?")
        hears(where, "14A", 2)
        assert awake(where, self_id) != before or done.returncode == 2
