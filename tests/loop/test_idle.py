"""When a life that has nothing to do leaves."""

from __future__ import annotations

import pytest
from world import Failure, offline, world

import agent
from dotagent.loop.boot import Idle


def test_one_that_never_leaves() -> None:
    idle = Idle(None)
    assert not idle.over(False, False) and idle.sleep(None) is None and idle.sleep(7.0) == 7.0


@pytest.mark.parametrize("most", [0.0, 1e-9])
def test_one_that_leaves_at_once_or_soon_stays_while_a_call_is_out(most: float) -> None:
    idle = Idle(most)
    assert not idle.over(True, False)
    assert idle.over(False, False) or idle.over(False, False)


def test_after_a_while_counts_from_the_last_that_was_done() -> None:
    idle = Idle(1000.0)
    assert not idle.over(False, False)
    left = idle.sleep(None)
    assert left is not None and 990 < left <= 1000 and idle.sleep(5.0) == 5.0
    idle.busy()
    assert idle.sleep(None) is None and not idle.over(False, False)


def test_the_time_runs_on_while_a_provider_fails() -> None:
    idle = Idle(1000.0)
    assert not idle.over(False, True)
    left = idle.sleep(None)
    idle.busy(owes=True)  # it was asked again, in vain
    assert not idle.over(True, True)
    assert left is not None and (idle.sleep(None) or left) <= left
    idle.busy()  # somebody spoke
    assert idle.sleep(None) is None


def test_an_agent_leaves_while_its_provider_fails(tmp_path) -> None:  # type: ignore[no-untyped-def]
    def fails(messages: object, call: object) -> str:
        raise Failure("overloaded", retryable=True)

    with world(tmp_path, fails, "--linger", "0.01") as here:
        here.say("hello")
        here.run()
        assert here.session.state.turn.unanswered
        agent.live(here.me)  # it returns


def test_a_life_leaves_by_itself_and_nothing_is_lost(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with world(tmp_path, offline, "--linger", "0.01") as here:
        here.say("help")
        here.run()
        agent.live(here.me)  # it returns
        assert here.served
