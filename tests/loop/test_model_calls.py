"""Asking: every call that goes out comes back, as an answer or as one clear word in the room, whatever dies."""

from __future__ import annotations

import json
import os
import signal
from functools import partial
from pathlib import Path

import pytest
from world import Failure, World, events, impatient, said
from world import world as a_world

import agent
from dotagent.life.patience import Patience
from dotagent.loop import bounds
from dotagent.store import disk, log, queue, requests, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.store.requests import ChatMessage
from dotagent.text import tokens


class Moody:
    """A model that fails until it is well; `asked` are the last messages of what it was asked."""

    def __init__(self, *moods: Failure | str | None) -> None:
        self.moods = list(moods)
        self.asked: list[str] = []
        self.calls: list[Call] = []

    def __call__(self, messages: list[ChatMessage], call: Call) -> str | None:
        mood = self.moods.pop(0) if len(self.moods) > 1 else self.moods[0]
        if mood is None:
            return None
        self.asked.append(messages[-1]["content"])
        self.calls.append(call)
        if isinstance(mood, Failure):
            raise mood
        return mood


world = partial(a_world, patience=Patience(look=0.0))


# --- failures


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
            here.me.calls._patience = 0.0
            here.run()
        assert said(here.where) == ["(no answer: it said rate)", "here I am"]
        assert "The room dev still waits for an answer." in model.asked[-1]
        assert here.session.state.turn.unanswered == ()
        assert here.me.calls.sleep() is None


@pytest.mark.slow
def test_it_waits_longer_each_time_but_never_gives_up(tmp_path: Path) -> None:
    model = Moody(Failure("network", retryable=True))
    with world(tmp_path / "home", model) as here:
        here.say("hello")
        here.run()
        waits = []
        for _ in range(bounds.STEPS + 5):
            waits.append(round(here.me.calls.sleep() or 0))
            here.me.calls._failed_at -= 901
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
        assert here.me.watch.wait(5)
        here.run()
        assert len(model.asked) == 1
        disk.replace(told, b'{"scripted": {"window": 8000, "pid": 7}}')
        assert here.me.watch.wait(5)  # it is told of that
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
        here.me.calls._failed_at -= 901
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


# --- calls that go astray


def test_a_call_that_nobody_takes(tmp_path: Path) -> None:
    model = Moody("here I am")
    with world(tmp_path / "home", model) as here:
        with impatient(here, untaken=0.0, look=0.0):
            here.say("hello")
            while agent.step(here.me) or here.session.state.turn.call:
                pass
        (told,) = said(here.where)
        assert told.startswith("(no answer: nothing takes calls for scripted: see calls/scripted.log")
        assert "\n" not in told
        assert queue.waiting(here.where, "scripted") == []
        assert here.session.state.turn.failed == "retryable"
        here.me.calls._failed_at -= 901
        here.run()
        assert said(here.where)[1:] == ["here I am"]


@pytest.mark.parametrize("how", ["waits", "taken", "answered"])
def test_a_call_that_is_out_moves_to_the_provider_that_the_life_goes_on_under(tmp_path: Path, how: str) -> None:
    with world(tmp_path / "home", Moody(None)) as here:
        here.say("hello")
        while agent.step(here.me):
            pass
        out = here.session.state.turn.call
        if how != "waits":
            here.serve()
            assert queue.taken(here.where, out)
        if how == "answered":
            queue.answer(here.where, here.where.store(), here._held.pop(), "from the first", Outcome(finish="stop"))
    with world(tmp_path / "home", Moody("from the second"), provider="other") as here:
        here.run()
        assert said(here.where) == ["from the first" if how == "answered" else "from the second"]
        assert not queue.taken(here.where, out) and not queue.waiting(here.where, "scripted")
        assert queue.finished(here.where, here.session.id) == []
        asked = [line.detail.split(" ")[0] for line in log.read(here.session.path / "LIFE.md") if line.event == "ASK"]
        assert asked == ["scripted"] + ["other"] * (how != "answered")


def test_an_answer_that_comes_after_its_call_was_given_up(tmp_path: Path) -> None:
    model = Moody(None, "here I am")
    with world(tmp_path / "home", model) as here:
        here.say("hello")
        while not here._held:
            if not agent.step(here.me):
                here.serve()
        late = here._held.pop()
        with impatient(here, longest=-1.0, look=0.0):
            agent.step(here.me)
        here.run()
        assert said(here.where)[0] == "(no answer: scripted gave no answer within 0 s)"
        queue.answer(here.where, here.where.store(), late, "too late", Outcome(finish="stop"))
        here.run()
        assert "too late" not in "".join(said(here.where))
        here.say("hello?")
        here.run()
        assert said(here.where)[-1] == "here I am"
        assert queue.finished(here.where, here.session.id) == []


def test_a_taker_that_dies_gives_its_call_back(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody("here I am")) as here:
        here.say("hello")
        while not here.session.state.turn.call:
            agent.step(here.me)
        child = os.fork()
        if child == 0:
            queue.take(here.where, "scripted")
            os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
        assert queue.waiting(here.where, "scripted") == []
        assert queue.taken(here.where, here.session.state.turn.call)
        here.run()
        assert said(here.where) == ["here I am"]
        assert len(events(here, "ASK")) == 1


def test_a_call_that_kills_whoever_takes_it_is_told(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody("here I am")) as here:
        here.say("hello")
        while not here.session.state.turn.call:
            agent.step(here.me)
        for _ in range(queue.TRIES):
            child = os.fork()
            if child == 0:
                os._exit(queue.take(here.where, "scripted") is None)
            assert os.waitpid(child, 0)[1] == 0
            agent.step(here.me)
        while agent.step(here.me):
            pass
        assert said(here.where) == ["(no answer: 3 provider processes died over it (see calls/scripted.log))"]


@pytest.mark.parametrize("loss", ["its entry", "its request too"])
def test_what_vanishes_while_a_call_is_out_is_made_again(tmp_path: Path, loss: str) -> None:
    """As after a power cut: the entry in the spool, or that and the request's blob."""
    model = Moody("before", "here I am")
    with world(tmp_path / "home", model) as here:
        here.say("hello")
        here.run()
        here.say("hello again")
        while not here.session.state.turn.call:
            agent.step(here.me)
        id = here.session.state.turn.call
        (here.where.calls / "new/scripted" / id).unlink()
        if loss == "its request too":
            here.session.store.path(id).unlink()
        here.run()
        assert said(here.where) == ["before", "here I am"]


@pytest.mark.parametrize("damage", ["missing", "rotten"])
@pytest.mark.parametrize("what", ["request", "reply"])
def test_lost_blobs_of_the_past_do_not_end_the_conversation(tmp_path: Path, what: str, damage: str) -> None:
    """Requests build on the last one and name replies: when one of these is lost, the next request stands whole."""
    model = Moody("first", "second", "third", "fourth")
    with world(tmp_path / "home", model) as here:
        here.say("one")
        here.run()
        line = here.session.state.turn.reply if what == "reply" else here.session._parent
        path = here.session.store.path(line)
        path.unlink() if damage == "missing" else path.write_bytes(b"rotten")
        here._rebuild = requests.Rebuilder(here.where.store())
        for text in ("two", "three"):
            here.say(text)
            here.run()
        assert said(here.where) == ["first", "second", "third"]


def test_a_reply_that_is_lost_before_it_was_read(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody("first", "second")) as here:
        here.say("hello")
        while not here.session.state.turn.call:
            agent.step(here.me)
        here.serve()
        outcome = queue.done(here.where, here.session.id, here.session.state.turn.call)
        assert outcome
        here.session.store.path(outcome.reply).unlink()
        here.run()
        assert said(here.where) == ["second"]  # it was asked for again


def test_a_reply_that_is_lost_each_time_is_given_up(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody("first", "second", "third")) as here:
        here.say("hello")
        for _ in range(2):
            while not here.session.state.turn.call:
                agent.step(here.me)
            call = here.session.state.turn.call
            here.serve()
            outcome = queue.done(here.where, here.session.id, call)
            assert outcome
            here.session.store.path(outcome.reply).unlink()
            while here.session.state.turn.call == call:
                agent.step(here.me)
        here.run()
        assert said(here.where)[0].startswith(f"(no answer: blob {outcome.reply[:12]} is missing")
        here.say("hello?")
        here.run()
        assert said(here.where)[-1] == "third"


def test_an_answer_that_no_program_should_write_is_set_aside_and_asked_again(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody("first")) as here:
        here.say("hello")
        while not here.session.state.turn.call:
            agent.step(here.me)
        path = here.where.calls / "done" / here.session.id / here.session.state.turn.call
        path.write_text('{"reply": 5}')
        agent.step(here.me)
        assert not path.exists()
        told = [line for line in log.lines(here.session.path / "LIFE.md") if line.event == "ERROR"]
        assert str(path) in told[-1].detail
        assert path.with_name(f".unreadable-{path.name[:12]}").read_text() == '{"reply": 5}'
        here.run()
        assert said(here.where) == ["first"]


def test_what_was_answered_leaves_the_spool(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody("first")) as here:
        here.say("hello")
        while not here.session.state.turn.call:
            agent.step(here.me)
        assert queue.waiting(here.where, "scripted")
        here.run()
        assert [path for path in here.where.calls.rglob("*") if path.is_file()] == []


def told(where: Home, **entry: object) -> None:
    """Let a provider's process have told this of itself."""
    (where.calls / "providers.json").write_text(json.dumps({"scripted": {"model": "m", "configured": True, **entry}}))


def limits(here: World) -> list[str]:
    """What was noted of windows, after one more turn."""
    here.say("hello")
    here.run()
    return list(events(here, "WINDOW"))


def test_the_limit_follows_the_window_both_ways_and_no_guess(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody("hi")) as here:
        assert limits(here) == []
        told(here.where, window=8000, known=False)
        assert limits(here) == [] and here.session.limit == 64_000
        told(here.where, window=8000, known=True)
        assert limits(here) == [f"WINDOW {tokens.limit(8000)}"] and here.session.limit == tokens.limit(8000)
        told(here.where, window=20_000)  # as a program of one's own may tell it
        assert limits(here)[1:] == [f"WINDOW {tokens.limit(20_000)}"] and here.session.limit == tokens.limit(20_000)
        told(here.where, window=1_000_000, known=True)
        assert len(limits(here)) == 3 and here.session.limit == 64_000
        assert len(limits(here)) == 3


def test_the_window_is_that_of_the_model_that_is_asked(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody("hi"), "--model", "small") as here:
        told(here.where, window=9000, known=True)
        assert limits(here) == []
        told(here.where, window=9000, known=True, windows={"small": 8000})
        assert limits(here) == [f"WINDOW {tokens.limit(8000)}"]


def test_what_a_model_was_found_not_to_take_stays_so_while_its_window_does(tmp_path: Path) -> None:
    moods: list[Failure | str | None] = ["hi", Failure("too_long", size=9000), "hi"]
    with world(tmp_path / "home", Moody(*moods)) as here:
        told(here.where, window=20_000, known=True)
        limits(here)
        here.say("more")
        here.run()
        found = here.session.limit
        assert found < tokens.limit(20_000)
        assert len(limits(here)) == 1 and here.session.limit == found


def test_who_answered_stands_with_the_answer(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody("hi")) as here:
        here.say("hello")
        here.run()
        assert list(events(here, "REPLY")) == ["REPLY dev finish=stop provider=scripted model=-"]


# --- a window that is a guess


def test_a_guessed_window_is_said_in_the_room_once_a_model(tmp_path: Path) -> None:
    def publish(here: World, **told: object) -> None:
        (here.where.calls / "providers.json").write_text(json.dumps({"scripted": {"known": True, **told}}))

    with world(tmp_path / "home", Moody("well")) as here:
        publish(here, model="m", window=128_000, guess=True)
        for text in ("hello", "and now?"):
            here.say(text)
            here.run()
        word, *answers = said(here.where)
        assert word.startswith("(nobody tells the window of m: I go by 128,000 tokens, a guess; set `window = N` under")
        assert answers == ["well", "well"]
    with world(tmp_path / "home", Moody("well")) as here:  # a new process does not repeat it, another model is told of
        here.say("still?")
        here.run()
        publish(here, model="n", window=64_000, guess=True)
        here.say("and by n?")
        here.run()
        assert [one[:32] for one in said(here.where)[3:]] == ["well", "(nobody tells the window of n: I", "well"]
    with world(tmp_path / "home", Moody("well"), "--model", "x") as here:
        publish(here, model="n", window=64_000, windows={"x": 9_000}, guesses=["x"])
        here.say("and by x?")
        here.run()
        assert "window of x: I go by 9,000 tokens" in said(here.where)[-2]


def test_a_window_that_somebody_tells_is_not_spoken_of(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody("well")) as here:
        for told in ({"guess": False}, {"guess": True, "known": False}):
            text = json.dumps({"scripted": {"model": "m", "window": 128_000, "known": True, **told}})
            (here.where.calls / "providers.json").write_text(text)
            here.say("hello")
            here.run()
        assert said(here.where) == ["well", "well"]
