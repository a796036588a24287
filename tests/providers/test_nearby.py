"""Servers nearby: found by what they answer, soon, and only when nothing else is chosen."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pytest
from alive import Alive, a_home, hears, say
from loopback import STALL, Answer, Server, closed_port, page, refusal, stream
from support import PATIENCE

from dotagent.providers.server import nearby
from dotagent.store import launch

OLLAMA: Mapping[str, object] = {"/api/version": {"version": "0.13.5"}}
LLAMA: Mapping[str, object] = {"/v1/models": {"object": "list", "data": [{"id": "tiny", "meta": {"n_ctx": 8192}}]}}


def nobody() -> str:
    return f"http://127.0.0.1:{closed_port()}"


def test_the_first_that_answers_as_a_model_server_does() -> None:
    with Server(stream(), pages=OLLAMA) as ollama, Server(stream(), pages=LLAMA) as llama:
        assert nearby.find([nobody(), ollama.base, llama.base + "/v1"], 5) == ("ollama", ollama.base)
        assert nearby.find([nobody() + "/v1", llama.base + "/v1", ollama.base], 5) == ("local", llama.base + "/v1")
        assert launch.nearby([nobody(), llama.base + "/v1"]) == ("local", llama.base + "/v1")
        assert launch.nearby([nobody()]) is None
        assert launch.nearby([]) is None
        assert nearby.find([ollama.base + "/v1", llama.base], 5) is None  # each has its own way to tell


@pytest.mark.parametrize(
    "answer",
    [
        {}, {"version": 3}, {"data": []}, {"data": 3}, {"data": [3]}, {"data": [{}]}, [], 3, None,
        refusal(401, "who are you"), Answer((b"<html>Tomcat</html>",), headers={"content-type": "text/html"}),
        Answer((b"[" * 99_999,)), Answer((b"\xff",)), page("x"),
    ],
)  # fmt: skip
def test_any_other_server_is_none(answer: object) -> None:
    with Server(stream(), pages={"/api/version": answer, "/v1/models": answer}) as server:
        assert nearby.find([server.base, server.base + "/v1"], 2) is None


@pytest.mark.parametrize("address", ["", "x", "https://127.0.0.1:1", "http://127.0.0.1", "http://:1", "http://h:x"])
def test_what_is_no_address_is_passed_over(address: str) -> None:
    with Server(stream(), pages=OLLAMA) as server:
        assert nearby.find([address, server.base], 60) == ("ollama", server.base)


def test_a_server_that_is_silent_costs_a_fifth_of_a_second() -> None:
    silent = {"/api/version": Answer((b'{"vers', STALL))}
    with Server(stream(), pages=silent) as server:
        began = time.monotonic()
        assert nearby.find([server.base] * 3) is None
        assert time.monotonic() - began < PATIENCE
    began = time.monotonic()
    assert nearby.find([nobody()] * 3, 9 * PATIENCE) is None
    assert time.monotonic() - began < PATIENCE  # that nobody listens is known at once


@pytest.mark.slow
def test_an_agent_without_any_setting_talks_to_the_server_that_it_finds() -> None:
    """Its address reaches the provider, also when another process of it is started later."""
    with a_home() as where, Server(stream("here I am"), pages=LLAMA) as server:
        alive = Alive(where, DOTAGENT_NEARBY=f"{nobody()} {server.base}/v1", GITHUB_TOKEN="not a provider's")
        say(where, "hello")
        assert hears(where, "here I am") == "here I am"
        assert alive.lines("ASK")[0].detail.startswith("local dev ")
        assert alive.lines("REPLY")[0].detail.startswith("dev finish=stop provider=local model=tiny ")
        assert server.received[0].path == "/v1/chat/completions"
        launch.stop(where, "local")
        say(where, "and again?")
        hears(where, "here I am", 2)
        alive.end()


@pytest.mark.slow
def test_an_address_in_the_settings_is_an_address_that_is_set() -> None:
    with a_home() as where, Server(stream("here I am"), pages=LLAMA) as server:
        (where.root / "dotagent.toml").write_text(f'[providers.local]\nbase = "{server.base}/v1"\n')
        alive = Alive(where)
        say(where, "hello")
        hears(where, "here I am")
        alive.end()


@pytest.mark.slow
def test_who_has_a_key_or_says_which_looks_for_no_server() -> None:
    with a_home() as where, Server(stream("x"), pages=LLAMA) as server:
        near = f"{server.base}/v1"
        for words, env in (((), {"DEEPSEEK_API_KEY": "sk-0123456789abcdef"}), (("--provider", "offline"), {})):
            Alive(where, *words, DOTAGENT_NEARBY=near, **env).end()
        assert not server.looked
