"""The provider gemini: its request, thoughts that come as text, Google's way to say what is wrong, and its windows."""

from __future__ import annotations

import json

import pytest
from loopback import DONE, Answer, Server, data, stream

from dotagent.providers import (
    Completion,
    Config,
    Prompt,
    ProviderError,
    Seen,
    Usage,
    configure,
    describe,
    gemini,
    load,
    window,
)
from dotagent.store.requests import ChatMessage

KEY = "AIzaSyA0123456789abcdef"
MESSAGES: tuple[ChatMessage, ...] = ({"role": "system", "content": "be"}, {"role": "user", "content": "17 · 23?"})
ASKED = Prompt("gemini-3.8-flash", MESSAGES, {"reasoning_effort": "low"}, "ab")
USED = {"prompt_tokens": 16, "completion_tokens": 9, "total_tokens": 627, "prompt_tokens_details": {"cached_tokens": 8}}
RPC = "type.googleapis.com/google.rpc."


def config(server: Server, **settings: object) -> Config:
    environ = {"GEMINI_API_KEY": KEY, "GEMINI_API_BASE": f"{server.base}/v1beta/openai/"}
    return configure("gemini", environ, settings)


def ask(server: Server, seen: list[tuple[str, str]] | None = None) -> Completion:
    kept = list[tuple[str, str]]() if seen is None else seen
    return gemini.answer(ASKED, config(server), lambda channel, delta: kept.append((channel, delta)), lambda: False)


def failure(server: Server) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(server)
    assert KEY not in caught.value.hint
    return caught.value


def piece(content: str | None, *, thought: bool = False, finish: str | None = None) -> bytes:
    extra = {"extra_content": {"google": {"thought": True}}} if thought else {}
    choice = {"index": 0, "delta": {"role": "assistant", "content": content, **extra}}
    return data({"choices": [choice | ({"finish_reason": finish} if finish else {})]})


def refused(status: int, message: str, state: str, *details: dict[str, object]) -> Answer:
    error = {"code": status, "message": message, "status": state, "details": details}
    return Answer((json.dumps([{"error": error}]).encode(),), status, {"content-type": "application/json"})


def test_it_is_found_by_its_name_and_reads_its_variables() -> None:
    base = "https://generativelanguage.googleapis.com/v1beta/openai"
    assert configure("gemini", {"GEMINI_API_KEY": "k"}, {}) == Config("k", base)
    assert load("gemini").MODEL == "gemini-3.8-flash"
    problem = gemini.why_not(configure("gemini", {}, {}))
    assert problem is not None
    assert "GEMINI_API_KEY" in problem
    assert "https://aistudio.google.com/apikey" in problem


def test_the_request_is_what_the_documentation_asks_for() -> None:
    with Server(stream("391")) as server:
        assert ask(server).text == "391"
    received = server.received[0]
    assert received.path == "/v1beta/openai/chat/completions"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.body == {
        "model": "gemini-3.8-flash",
        "messages": list(MESSAGES),
        "stream": True,
        "stream_options": {"include_usage": True},
        "reasoning_effort": "low",
    }


def test_thoughts_are_kept_apart_from_what_is_said() -> None:
    seen = list[tuple[str, str]]()
    parts = (
        piece("<thought>**Counting**", thought=True),
        piece(" <thought>s", thought=True),
        piece("</thought>It is "),
        piece("</thought>391."),
        piece(None, finish="stop"),
        data({"choices": [], "usage": USED}),
        DONE,
    )
    with Server(Answer(parts)) as server:
        reply = ask(server, seen)
    assert seen == [("reasoning", "**Counting**"), ("reasoning", " <thought>s"), ("text", "It is "),
                    ("text", "</thought>391.")]  # fmt: skip
    assert reply.reasoning == "**Counting** <thought>s"
    assert reply.text == "It is </thought>391."
    assert reply.usage == Usage(16, 8, 611, 602)


def test_a_thought_that_is_closed_in_its_own_piece_and_text_without_any() -> None:
    closed = Answer((piece("<thought>a</thought>", thought=True), piece("b", finish="stop"), DONE))
    plain = Answer((piece("<thought>a</thought>b", finish="stop"), DONE))
    with Server(closed, plain) as server:
        first, second = ask(server), ask(server)
    assert (first.reasoning, first.text) == ("a", "b")
    assert (second.reasoning, second.text) == ("", "<thought>a</thought>b")


def test_too_many_requests_with_googles_pause() -> None:
    quota: dict[str, object] = {"@type": f"{RPC}QuotaFailure", "violations": []}
    pause: dict[str, object] = {"@type": f"{RPC}RetryInfo", "retryDelay": "37s"}
    with Server(refused(429, "You exceeded your current quota", "RESOURCE_EXHAUSTED", quota, pause)) as server:
        error = failure(server)
    assert (error.kind, error.retryable, error.after) == ("rate", True, 37)


def test_a_key_that_google_refuses_comes_with_400() -> None:
    reason: dict[str, object] = {"@type": f"{RPC}ErrorInfo", "reason": "API_KEY_INVALID"}
    said = "API key not valid. Please pass a valid API key."
    with Server(refused(400, said, "INVALID_ARGUMENT", reason)) as server:
        error = failure(server)
    assert (error.kind, error.retryable) == ("auth", False)
    assert "GEMINI_API_KEY" in error.hint
    assert "https://aistudio.google.com/apikey" in error.hint


def test_a_prompt_that_is_too_long() -> None:
    said = "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576)."
    with Server(refused(400, said, "INVALID_ARGUMENT")) as server:
        error = failure(server)
    assert (error.kind, error.size) == ("too_long", 1196265)


def test_a_window_is_told_by_the_native_endpoint() -> None:
    page = {"name": "models/gemini-3.8-flash", "inputTokenLimit": 1048576, "outputTokenLimit": 65536}
    odd = {"/v1beta/models/gemini-3.8-flash": page, "/v1beta/models/a%2Fb": {"name": "models/a/b"}}
    with Server(stream("x"), pages=odd) as server:
        assert describe(gemini, config(server)) == Seen("gemini-3.8-flash", 1048576)
        assert describe(gemini, config(server, window=5000)).window == 5000
        assert describe(gemini, config(server), "models/gemini-3.8-flash").window == 1048576
        for model in ("a/b", "gemini-0"):
            with pytest.raises(ProviderError) as caught:
                describe(gemini, config(server), model)
            assert (caught.value.kind, model in caught.value.hint) == ("missing", True)
            assert KEY not in caught.value.hint
    assert {asked.headers["x-goog-api-key"] for asked in server.looked} == {KEY}
    assert not any(KEY in asked.path for asked in server.looked)


def test_its_windows_where_nobody_tells() -> None:
    assert window(gemini.WINDOW, "gemini-3.8-flash") == 1_048_576
    assert window(gemini.WINDOW, "some-other") == 32_768
