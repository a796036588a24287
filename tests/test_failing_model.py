"""A model that fails, as its person sees it: each message is told once, and it goes on as soon as the model does."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from alive import Alive, hears, said, say
from providers.loopback import Server, closed_port, refusal, stream
from support import PATIENCE, Deadline, pause, run, together

import agent
from dotagent.life.session import Patience
from dotagent.loop import boot
from dotagent.loop.boot import Agent
from dotagent.store.home import Home


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
def test_once_the_server_is_healthy_it_answers_and_waits_for_no_other_attempt(
    where: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = closed_port()
    monkeypatch.setenv("LOCAL_API_BASE", f"http://127.0.0.1:{port}/v1")
    late = 9 * PATIENCE  # the next attempt by itself
    words, waits = ["--home", str(where.root), "--provider", "local"], Patience(retry=late, retry_most=late)

    def life() -> None:
        with boot.life_of(words, waits) as me:
            for turn in range(1, 4):
                say(where, "hello?")
                lives_until(me, lambda: len(said(where)) >= turn)  # noqa: B023 it is called at once
            pages = {"/v1/models": {"data": [{"id": "m"}]}}
            with Server(stream("here I am"), pages=pages, port=port):
                lives_until(me, lambda: said(where)[-1] == "here I am")

    together(life)  # in a child, whose provider's process is none of this one's
    assert [word.partition(":")[0] for word in said(where)] == ["(no answer"] * 3 + ["here I am"]


def lives_until(me: Agent, look: Callable[[], object]) -> None:
    """Let it live until that is so."""
    deadline = Deadline()
    while not look():
        deadline.check()
        if not agent.step(me):
            pause(me.watch)


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


@pytest.mark.slow
def test_a_proxy_with_a_name_and_a_password_reaches_the_model(where: Home) -> None:
    with Server(stream("through the proxy")) as server:
        through = server.base.replace("://", "://ana:a%20word@").partition("/v1")[0]
        given = {"DEEPSEEK_API_KEY": "sk-0123456789", "DEEPSEEK_API_BASE": "http://models.example/v1"}
        alive = Alive(where, **given, HTTP_PROXY=through)
        say(where, "hello")
        hears(where, "through the proxy")
        asked = next(one for one in server.received if one.body)
        assert asked.headers["proxy-authorization"] == "Basic YW5hOmEgd29yZA=="
        alive.end()
