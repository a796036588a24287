"""Asking: a model that fails is asked again, in time, and what it cannot do is told in a word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from moody import Moody, world
from support import PATIENCE
from world import Failure, events, impatient, said

import agent
from dotagent.loop import bounds
from dotagent.store import disk, queue, rooms
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage


def test_a_failure_that_may_pass_is_told_once_and_asked_about_again(tmp_path: Path) -> None:
    model = Moody(Failure("rate", retryable=True), Failure("rate", retryable=True), "here I am")
    with world(tmp_path / "home", model) as here:
        here.say("hello")
        here.run()
        assert said(here.where) == ["(no answer: it said rate)"]
        patience = here.me.calls.sleep()
        assert patience is not None
        assert 25 < patience <= 30
        with impatient(here, retry=0.0, retry_most=0.0):
            here.run()
        assert said(here.where) == ["(no answer: it said rate)", "here I am"]
        assert "The room dev still waits for an answer." in model.asked[-1]
        assert here.session.state.turn.unanswered == ()
        assert here.me.calls.sleep() is None


def test_a_provider_that_names_a_time_is_not_asked_before_it(tmp_path: Path) -> None:
    model = Moody(Failure("rate", retryable=True, after=5000.0), "here I am")
    with world(tmp_path / "home", model) as here:
        here.say("hello")
        here.run()
        assert 4990 < (here.me.calls.sleep() or 0.0) <= 5000
        here.me.calls.retries.failed_at -= 4000  # although a failure without a time is asked about again by now
        here.run()
        assert len(model.asked) == 1 and 990 < (here.me.calls.sleep() or 0.0) <= 1000
        here.me.calls.retries.failed_at -= 1001
        here.run()
        assert len(model.asked) == 2 and said(here.where)[-1] == "here I am"


@pytest.mark.slow
def test_it_waits_longer_each_time_but_never_gives_up(tmp_path: Path) -> None:
    model = Moody(Failure("network", retryable=True))
    with world(tmp_path / "home", model) as here:
        here.say("hello")
        here.run()
        waits = []
        for _ in range(bounds.STEPS + 5):
            waits.append(round(here.me.calls.sleep() or 0))
            here.me.calls.retries.failed_at -= 901
            here.run()
        assert waits[:7] == [30, 60, 120, 240, 480, 900, 900]
        assert waits[-1] == 900
        assert len(model.asked) == bounds.STEPS + 6
        assert said(here.where) == ["(no answer: it said network)"]


def test_a_new_process_asks_at_once_about_what_is_owed(tmp_path: Path) -> None:
    for mood in (Failure("auth"), Failure("rate", retryable=True)):
        with world(tmp_path / mood.kind, Moody(mood)) as here:
            here.say("hello")
            here.run()
        with world(tmp_path / mood.kind, Moody("here I am")) as here:
            here.run()
            assert said(here.where)[1:] == ["here I am"]


@pytest.mark.parametrize("retryable", [True, False])
def test_a_wait_that_a_provider_named_goes_on_in_a_new_process(tmp_path: Path, retryable: bool) -> None:
    told = tmp_path / "calls" / "providers.json"
    known = {"pid": 6, "credentials": "a", "configured": True, "why": ""}
    with world(tmp_path, Moody(Failure("rate", retryable=retryable, after=5000.0))) as here:
        disk.replace(told, json.dumps({"scripted": known}).encode())
        here.say("hello")
        here.run()
    model = Moody("here I am")
    with world(tmp_path, model) as here:
        here.run()
        assert model.asked == [] and 4900 < (here.me.calls.sleep() or 0.0) <= 5000
        disk.replace(told, json.dumps({"scripted": known | {"pid": 7}}).encode())  # its process is new, too
        here.run()
        assert model.asked == []
        here.me.calls.retries.failed_at -= 5000
        here.run()
        assert said(here.where)[1:] == ["here I am"]


def test_another_key_or_a_new_message_ends_a_wait_that_a_provider_named(tmp_path: Path) -> None:
    told = tmp_path / "calls" / "providers.json"
    known = {"pid": 6, "credentials": "a", "configured": True, "why": ""}
    wait = Failure("rate", retryable=True, after=5000.0)
    with world(tmp_path, Moody(wait)) as here:
        disk.replace(told, json.dumps({"scripted": known}).encode())
        here.say("hello")
        here.run()
    with world(tmp_path, Moody(wait, "here I am")) as here:
        here.say("hello?")
        here.run()
        assert len(said(here.where)) == 2
        disk.replace(told, json.dumps({"scripted": known | {"credentials": "b"}}).encode())
        here.run()
        assert said(here.where)[-1] == "here I am"


def test_what_a_provider_refuses_is_not_asked_again_by_itself(tmp_path: Path) -> None:
    """Neither once time has passed and something wakes the agent, nor by a new process, nor after a failure before."""
    model = Moody(Failure("rate", retryable=True), Failure("bad_request"), "here I am")
    with world(tmp_path, model) as here:
        here.say("hello")
        here.run()
        here.me.calls.retries.failed_at -= 901
        here.run()
        assert len(model.asked) == 2 and here.session.state.turn.unanswered == ()
        here.me.calls.retries.failed_at -= 901
        here.run()
        assert len(model.asked) == 2
    with world(tmp_path, model) as here:
        here.run()
        assert len(model.asked) == 2
        here.say("and in other words?")
        here.run()
        assert said(here.where)[-1] == "here I am"


def test_a_failure_that_will_not_pass_waits_for_a_word_or_a_provider(tmp_path: Path) -> None:
    model = Moody(Failure("auth"), Failure("auth"), "here I am")
    with world(tmp_path / "home", model) as here:
        told = here.where.calls / "providers.json"
        disk.replace(told, b'{"scripted": {"pid": 6}}')
        here.say("hello")
        here.run()
        here.run()
        assert len(model.asked) == 1
        assert here.me.calls.sleep() is None
        disk.replace(told, b'{"scripted": {"pid": 6, "window": 8000}}')  # what it says of its models is no sign
        assert here.me.watch.wait(PATIENCE)
        here.run()
        assert len(model.asked) == 1
        disk.replace(told, b'{"scripted": {"window": 8000, "pid": 7}}')
        assert here.me.watch.wait(PATIENCE)  # it is told of that
        here.run()
        assert len(model.asked) == 2
        here.run()
        assert len(model.asked) == 2
        here.say("and now?")
        here.run()
        assert said(here.where) == ["(no answer: it said auth)", "here I am"]


def test_every_room_that_waits_is_told_and_answered(tmp_path: Path) -> None:
    model = Moody(Failure("rate", retryable=True), Failure("rate", retryable=True), "here I am")
    with world(tmp_path / "home", model) as here:
        rooms.create(here.where.room("ops"), "private")
        agent.act(here.session, agent.ToolCall("JOIN", "ops", None))
        here.run()
        here.say("hello dev")
        here.say("hello ops", room="ops")
        here.run()
        assert said(here.where) == said(here.where, "ops") == ["(no answer: it said rate)"]
        assert here.session.state.turn.unanswered == ("dev", "ops")
        here.me.calls.retries.failed_at -= 901
        here.run()
        assert said(here.where)[1:] == said(here.where, "ops")[1:] == ["here I am"]


def test_a_prompt_that_is_too_long_fades_and_is_asked_again(tmp_path: Path) -> None:
    sizes = []

    def model(messages: list[ChatMessage], call: Call) -> str:
        size = sum(len(message["content"]) for message in messages) // 3
        sizes.append(size)
        if size > 20_000:
            raise Failure("too_long", size=size)
        return "WAIT" if "last word" not in messages[-1]["content"] else "short again"

    with world(tmp_path / "home", model) as here:
        for number in range(30):
            here.say(f"{number} " + "some words of no weight " * 100)
        here.say("last word")
        here.run()
        assert said(here.where) == ["short again"]
        assert 2 <= len(sizes) <= 4
        assert sizes[-1] <= 20_000 < sizes[0]
        assert any(entry.event == "FADED" for entry in here.session.entries)
        sizes.clear()
        here.say("last word, again")
        here.run()
        assert len(sizes) == 1  # it learned what the model takes


def test_a_prompt_that_stays_too_long_is_told(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody(Failure("too_long"))) as here:
        here.say("hello")
        here.run()
        assert said(here.where) == ["(no answer: it said too_long)"]
        assert len(events(here, "ASK")) <= 6


def test_what_was_answered_leaves_the_spool(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody("first")) as here:
        here.say("hello")
        while not here.session.state.turn.call:
            agent.step(here.me)
        assert queue.waiting(here.where, "scripted")
        here.run()
        assert [path for path in here.where.calls.rglob("*") if path.is_file()] == []


def test_who_answered_stands_with_the_answer(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody("hi")) as here:
        here.say("hello")
        here.run()
        assert list(events(here, "REPLY")) == ["REPLY dev finish=stop provider=scripted model=-"]
