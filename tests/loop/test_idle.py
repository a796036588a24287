"""When a life that has nothing to do leaves."""

from __future__ import annotations

import pytest
from world import offline, world

import agent
from dotagent.loop.idle import Idle


def test_one_that_never_leaves() -> None:
    idle = Idle(None)
    assert not idle.over(False, False) and idle.sleep(None) is None and idle.sleep(7.0) == 7.0


@pytest.mark.parametrize("most", [0.0, 1e-9])
def test_one_that_leaves_at_once_or_soon_stays_while_a_call_is_out(most: float) -> None:
    idle = Idle(most)
    assert not idle.over(True, False)
    assert idle.over(False, False) or idle.over(False, False)
    assert Idle(most).over(False, True) is (most == 0.0)  # an answer that is owed is worth waiting for, else


def test_after_a_while_counts_from_the_last_that_was_done() -> None:
    idle = Idle(1000.0)
    assert not idle.over(False, False)
    left = idle.sleep(None)
    assert left is not None and 990 < left <= 1000 and idle.sleep(5.0) == 5.0
    idle.busy()
    assert idle.sleep(None) is None and not idle.over(False, False)


def test_a_life_leaves_by_itself_and_nothing_is_lost(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with world(tmp_path, offline, "--linger", "0.01") as here:
        here.say("help")
        here.run()
        agent.live(here.me)  # it returns
        assert here.served
