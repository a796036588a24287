"""The provider openrouter: its request, the upstream it stays with, what it costs, its errors and its windows."""

from __future__ import annotations

import pytest
from loopback import DONE, Answer, Server, data, event, refusal, stream

from dotagent.providers import (
    Completion,
    Config,
    Prompt,
    ProviderError,
    Seen,
    Usage,
    configure,
    describe,
    load,
    openrouter,
)
from dotagent.store.requests import ChatMessage

KEY = "sk-or-v1-0123456789abcdef"
MESSAGES: tuple[ChatMessage, ...] = ({"role": "system", "content": "be"}, {"role": "user", "content": "Tea?"})
ASKED = Prompt("openai/gpt-5.2", MESSAGES, {}, "0123abcd")
BODY = {
    "model": "openai/gpt-5.2",
    "messages": list(MESSAGES),
    "stream": True,
    "stream_options": {"include_usage": True},
    "plugins": [{"id": "context-compression", "enabled": False}],
    "session_id": "0123abcd",
}
LISTED = {
    "data": [
        {"id": "openai/gpt-6.1-sol", "context_length": 400000, "top_provider": {"context_length": 400000}},
        {"id": "deepseek/v4", "context_length": 1000000, "top_provider": {"context_length": 512000}},
        {"id": "a/b:free", "context_length": 32768, "top_provider": {"context_length": None}},
        {"id": "a/b", "context_length": 65536},
        {"id": "a/odd", "context_length": None},
        "odd",
    ]
}


def config(server: Server, **settings: object) -> Config:
    environ = {"OPENROUTER_API_KEY": KEY, "OPENROUTER_API_BASE": f"{server.base}/api/v1"}
    return configure("openrouter", environ, settings)


def ask(server: Server, asked: Prompt = ASKED) -> Completion:
    return openrouter.answer(asked, config(server), lambda *_: None, lambda: False)


def failure(server: Server) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(server)
    assert KEY not in caught.value.hint
    return caught.value


def chunk(delta: dict[str, object], finish: str | None = None, **more: object) -> bytes:
    return data({"id": "gen-1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more})


def test_it_is_found_by_its_name_and_reads_its_variables() -> None:
    assert configure("openrouter", {"OPENROUTER_API_KEY": "k"}, {}) == Config("k", "https://openrouter.ai/api/v1")
    assert load("openrouter").MODEL == "openai/gpt-6.1-sol"
    problem = openrouter.why_not(configure("openrouter", {}, {}))
    assert problem is not None
    assert "OPENROUTER_API_KEY" in problem
    assert "https://openrouter.ai/settings/keys" in problem


def test_the_request_is_what_the_documentation_asks_for() -> None:
    with Server(stream("Yes")) as server:
        ask(server)
    received = server.received[0]
    assert received.path == "/api/v1/chat/completions"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.headers["x-title"] == "dotagent"
    assert "http-referer" not in received.headers
    assert received.body == BODY


def test_a_life_stays_with_the_upstream_that_answered_it() -> None:
    parts = (
        chunk({"content": "Y"}, provider="Google AI Studio"),
        chunk({}, "stop", provider="Google AI Studio"),
        DONE,
    )
    with Server(Answer(parts)) as server:
        first = ask(server)
        ask(server, Prompt(ASKED.model, MESSAGES, {}, ASKED.agent, upstream=first.upstream))
    assert first.upstream.split() == [first.upstream]  # what is kept of it is a single word
    order = ["Google AI Studio", "google-ai-studio"]
    assert server.received[1].body == BODY | {"provider": {"order": order, "allow_fallbacks": True}}


def test_a_persons_own_routing_goes_before_the_pin() -> None:
    params = {"provider": {"order": ["azure"], "zdr": True}, "plugins": [], "session_id": "s"}
    with Server(stream("x")) as server:
        ask(server, Prompt(ASKED.model, MESSAGES, params, ASKED.agent, upstream="OpenAI"))
    own = {"order": ["azure"], "allow_fallbacks": True, "zdr": True}
    assert server.received[0].body == BODY | {"provider": own, "plugins": [], "session_id": "s"}


def test_tokens_cached_ones_and_the_cost() -> None:
    used = {
        "prompt_tokens": 194,
        "completion_tokens": 12,
        "total_tokens": 206,
        "cost": 0.00014,
        "is_byok": False,
        "cost_details": {"upstream_inference_cost": 0.00014},
        "prompt_tokens_details": {"cached_tokens": 128, "cache_write_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 7},
    }
    with Server(Answer((chunk({"content": "Y"}, "stop"), data({"choices": [], "usage": used}), DONE))) as server:
        assert ask(server).usage == Usage(194, 128, 12, 7, 140)


def test_reasoning_comes_as_a_text_or_as_details_and_is_said_once() -> None:
    detail: dict[str, object] = {"type": "reasoning.text", "text": "Hm"}
    sealed: dict[str, object] = {"type": "reasoning.encrypted", "data": "x"}
    parts = (
        chunk({"reasoning": "Hm", "reasoning_details": [detail], "content": ""}),
        chunk({"reasoning_details": [{"type": "reasoning.summary", "summary": ", tea"}, sealed], "content": None}),
        chunk({"content": "Yes"}, "stop"),
        DONE,
    )
    with Server(Answer(parts)) as server:
        reply = ask(server)
    assert (reply.reasoning, reply.text) == ("Hm, tea", "Yes")


def test_errors_in_the_middle_of_a_stream() -> None:
    begun = (b": OPENROUTER PROCESSING\n\n", event({"content": "x"}))
    broken = chunk({"content": ""}, "error", error={"code": "server_error", "message": "Provider disconnected"})
    limited = chunk({"content": ""}, "error", error={"code": 429, "message": f"slow down {KEY}"})
    choice = data({"choices": [{"index": 0, "delta": {}, "error": {"code": 502, "message": "bad gateway"}}]})
    with Server(*(Answer((*begun, last, DONE)) for last in (broken, limited, choice))) as server:
        errors = [failure(server) for _ in range(3)]
    assert [(error.kind, error.retryable) for error in errors] == [("server", True), ("rate", True), ("server", True)]
    assert "Provider disconnected" in errors[0].hint


def test_an_upstreams_reason_and_an_empty_account() -> None:
    raw = '{"error":{"message":"prompt is too long: 213462 tokens > 200000 maximum"}}'
    long = refusal(400, "Provider returned error", code=400, metadata={"raw": raw, "provider_name": "Anthropic"})
    with Server(long, refusal(402, "Insufficient credits", code=402)) as server:
        error = failure(server)
        assert (error.kind, error.size) == ("too_long", 213462)
        error = failure(server)
    assert (error.kind, "https://openrouter.ai/settings/credits" in error.hint) == ("credit", True)


def test_windows_come_from_the_list_of_models() -> None:
    with Server(stream("x"), pages={"/api/v1/models": LISTED}) as server:
        seen = [
            describe(openrouter, config(server), model).window
            for model in ("", "deepseek/v4", "deepseek/v4:nitro", "a/b:free", "a/b:floor")
        ]
        assert describe(openrouter, config(server, window=1000)) == Seen("openai/gpt-6.1-sol", 1000)
        for model in ("nobody/nothing", "a/odd"):
            with pytest.raises(ProviderError) as caught:
                describe(openrouter, config(server), model)
            assert (caught.value.kind, model in caught.value.hint) == ("missing", True)
    assert seen == [400000, 512000, 512000, 32768, 65536]
    assert {asked.headers["authorization"] for asked in server.looked} == {f"Bearer {KEY}"}


def test_the_list_says_when_a_model_ends() -> None:
    listed = {"data": [{"id": "a/b", "context_length": 9000, "expiration_date": "2027-01-31"}]}
    with Server(stream("x"), pages={"/api/v1/models": listed}) as server:
        assert describe(openrouter, config(server), "a/b").ends == "2027-01-31"


def test_a_list_that_can_not_be_had_is_an_error() -> None:
    with Server(stream("x")) as server, pytest.raises(ProviderError):
        describe(openrouter, config(server))
    with pytest.raises(ProviderError) as caught:
        describe(openrouter, configure("openrouter", {}, {}))
    assert caught.value.kind == "unconfigured"
