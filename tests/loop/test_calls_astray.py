"""Every call that goes out comes back, as an answer or as one clear word in the room, whatever dies."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from alive import Alive, a_home, say, stop_providers
from moody import Moody, world
from support import until
from world import events, impatient, said

import agent
from dotagent.store import log, queue, request_rebuilding, taken_calls
from dotagent.store.queue import Outcome


def test_a_call_that_nobody_takes(tmp_path: Path) -> None:
    model = Moody("here I am")
    with world(tmp_path / "home", model) as here:
        with impatient(here, untaken=0.0, look=0.0):
            here.say("hello")
            while agent.step(here.me) or here.session.state.turn.call:
                pass
        (told,) = said(here.where)
        assert told.startswith(
            "(no answer: the process of the provider scripted is not running; see calls/scripted.log"
        )
        assert "\n" not in told
        assert queue.waiting(here.where, "scripted") == []
        assert here.session.state.turn.failed == "retryable"
        here.me.calls.retries.failed_at -= 901
        here.run()
        assert said(here.where)[1:] == ["here I am"]


@pytest.mark.slow
def test_a_provider_that_cannot_start_says_why_in_the_room() -> None:
    with a_home() as where:
        alive = Alive(where, "--provider", "offline")
        stop_providers(where)
        settings = where.root / "dotagent.toml"
        settings.write_text("a line of nonsense\n")
        say(where, "hello")
        (told,) = until(lambda: said(where), where.root / "chats")
        assert told.startswith(f"(no answer: the process for offline stopped while it was starting: {settings}: ")
        assert "correct the file or move it away" in told and "\n" not in told
        settings.write_text("")
        say(where, "hello again")
        until(lambda: alive.lines("REPLY"), where.agent(alive.id))
        alive.end()


@pytest.mark.slow
def test_a_provider_that_lacks_a_package_names_it_and_the_command_that_installs_it(tmp_path: Path) -> None:
    (tmp_path / "httpx.py").write_text("raise ModuleNotFoundError(\"No module named 'httpx'\", name='httpx')\n")
    key = {"OPENAI_API_KEY": "sk-x", "OPENAI_API_BASE": "http://127.0.0.1:9", "PYTHONPATH": str(tmp_path)}
    with a_home() as where:
        alive = Alive(where, "--provider", "openai", **key)
        say(where, "hello")
        until(lambda: said(where), where.chats)
        assert "(no answer: the Python module httpx is not installed: run `" in said(where)[0]
        alive.end()


@pytest.mark.parametrize("how", ["waits", "taken", "answered"])
def test_a_call_that_is_out_moves_to_the_provider_that_the_life_goes_on_under(tmp_path: Path, how: str) -> None:
    with world(tmp_path / "home", Moody(None)) as here:
        here.say("hello")
        while agent.step(here.me):
            pass
        out = here.session.state.turn.call
        if how != "waits":
            here.serve()
            assert queue.find_taken(here.where, out)
        if how == "answered":
            queue.answer(here.where, here.where.store(), here._held.pop(), "from the first", Outcome(finish="stop"))
    with world(tmp_path / "home", Moody("from the second"), provider="other") as here:
        here.run()
        assert said(here.where) == ["from the first" if how == "answered" else "from the second"]
        assert not queue.find_taken(here.where, out) and not queue.waiting(here.where, "scripted")
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
        assert queue.find_taken(here.where, here.session.state.turn.call)
        here.run()
        assert said(here.where) == ["here I am"]
        assert len(events(here, "ASK")) == 1


def test_a_call_that_kills_whoever_takes_it_is_told(tmp_path: Path) -> None:
    with world(tmp_path / "home", Moody("here I am")) as here:
        here.say("hello")
        while not here.session.state.turn.call:
            agent.step(here.me)
        for _ in range(taken_calls.TRIES):
            child = os.fork()
            if child == 0:
                os._exit(queue.take(here.where, "scripted") is None)
            assert os.waitpid(child, 0)[1] == 0
            agent.step(here.me)
        while agent.step(here.me):
            pass
        assert said(here.where) == [
            "(no answer: 3 provider processes crashed during this request (see calls/scripted.log))"
        ]


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
        here._rebuild = request_rebuilding.Rebuilder(here.where.store())
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
