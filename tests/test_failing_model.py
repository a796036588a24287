"""A model that fails, as its person sees it: each message is told once, and it goes on as soon as the model does."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from alive import Alive, a_home, hears, said, say
from providers.loopback import Server, closed_port, refusal, stream
from support import run

from dotagent.store.home import Home


@pytest.fixture
def where() -> Iterator[Home]:
    with a_home() as made:
        yield made


@pytest.mark.slow
def test_each_message_is_told_once_and_each_new_kind_of_error_too(where: Home) -> None:
    script = refusal(401, "no"), refusal(401, "no"), refusal(402, "no money"), stream("well again")
    with Server(*script) as server:
        alive = Alive(where, DEEPSEEK_API_KEY="sk-0123456789", DEEPSEEK_API_BASE=server.base)
        say(where, "hello")
        first = hears(where, "(no answer: ")
        say(where, "hello?")
        assert hears(where, "(no answer: ", 2) == first
        shown = run(where, "-m", "dotagent", "status")
        failed = alive.lines("FAIL")[0]
        assert f"no answer from the model since {failed.at[:16]}" in shown.stdout and "DEEPSEEK_API_KEY" in shown.stdout
        doctor = run(where, "-m", "dotagent", "doctor")
        assert doctor.returncode == 0 and ": no answer from the model since" in doctor.stdout
        say(where, "and now?")
        assert hears(where, "(no answer: ", 3) != first
        say(where, "at last?")
        hears(where, "well again")
        assert "no answer from" not in run(where, "-m", "dotagent", "status").stdout
        alive.end()


@pytest.mark.slow
def test_an_empty_reply_is_told_after_the_second_time(where: Home) -> None:
    with Server(stream(""), stream(" "), stream("here I am")) as server:
        alive = Alive(where, DEEPSEEK_API_KEY="sk-0123456789", DEEPSEEK_API_BASE=server.base)
        say(where, "hello")
        assert hears(where, "(no answer: ") == "(no answer: the model sent an empty reply twice)"
        say(where, "hello?")
        hears(where, "here I am")
        alive.end()


@pytest.mark.slow
def test_once_the_server_is_healthy_it_answers_within_five_seconds(where: Home) -> None:
    port = closed_port()
    alive = Alive(where, LOCAL_API_BASE=f"http://127.0.0.1:{port}/v1")
    for turn in range(1, 4):  # what is said meanwhile does not lengthen the wait
        say(where, "hello?")
        hears(where, "(no answer: ", turn)
    pages = {"/v1/models": {"data": [{"id": "m"}]}}
    with Server(stream("here I am"), pages=pages, port=port):
        begun = time.monotonic()
        hears(where, "here I am")
        assert time.monotonic() - begun < 30  # five seconds, on a machine that does nothing else
        alive.end()


@pytest.mark.night
def test_a_life_without_its_server_says_so_in_the_room_and_on_the_screen_and_goes_back_by_itself(where: Home) -> None:
    port = closed_port()
    near = {"DOTAGENT_NEARBY": f"http://127.0.0.1:{port}/v1"}
    pages = {"/v1/models": {"data": [{"id": "m"}]}}
    with Server(stream("I think"), pages=pages, port=port):
        alive = Alive(where, **near)
        say(where, "hello")
        hears(where, "I think")
        alive.end()
    alive = Alive(where, alive.id, **near)
    say(where, "are you there?")
    hears(
        where,
        (
            "(offline answers: local, which answered until now, is not available; "
            "start its server. As long as local is not available, I answer only by built-in rules)"
        ),
    )
    hears(where, "I hear you, ana")
    say(where, "are you still there?")
    hears(where, "I hear you, ana", 2)
    with Server(stream("I think again"), pages=pages, port=port):
        say(where, "and now?")
        hears(where, "(local answers: it is available)")
        hears(where, "I think again")
        _, _, err = alive.end()
    assert len([text for text in said(where) if "context window of" not in text]) == 6
    assert "which answered until now, is not available" in alive.screen and "(local answers: it is available)" in err
