"""The provider anthropic: what it sends, and what it says when it is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from claude import ASKED, KEY, ask, failure
from loopback import CUT, Answer, Server, closed_port, refusal
from messaging import STOP, delta, end, named, start, stream

from dotagent.providers import (
    Prompt,
    ProviderError,
    Seen,
    anthropic,
    configure,
    describe,
    load,
    window,
)
from dotagent.providers.formats import messages

HOUR, MINUTES = {"type": "ephemeral", "ttl": "1h"}, {"type": "ephemeral"}


def sent(asked: Prompt = ASKED, **given: object) -> dict[str, object]:
    with Server(stream("x")) as server:
        ask(server, asked, **given)  # type: ignore[arg-type]
    return server.received[0].body


def test_the_request_is_what_the_documentation_asks_for() -> None:
    with Server(stream("x")) as server:
        ask(server)
    received = server.received[0]
    assert received.path == "/v1/messages"
    assert received.headers["x-api-key"] == KEY
    assert received.headers["anthropic-version"] == "2023-06-01"
    assert received.headers["content-type"] == "application/json"
    assert not {"authorization", "anthropic-beta"} & set(received.headers)
    assert received.body == {
        "model": "claude-sonnet-5-5",
        "max_tokens": 128_000,
        "system": [{"type": "text", "text": "be", "cache_control": HOUR}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hi ◱ é"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "yes?"}]},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "one", "cache_control": MINUTES},
                    {"type": "text", "text": "\n\ntwo", "cache_control": MINUTES},
                ],
            },
        ],
        "stream": True,
    }


@pytest.mark.parametrize("base", ["", "/", "/v1", "/v1/", "/v1/messages"])
def test_no_part_of_the_address_is_doubled(base: str) -> None:
    with Server(stream("x")) as server:
        ask(server.base + base)
    assert server.received[0].path == "/v1/messages"


def test_it_is_found_by_its_name_and_says_what_to_set() -> None:
    config = configure("anthropic", {"ANTHROPIC_API_KEY": "k"}, {})
    assert config.base == "https://api.anthropic.com"
    assert load("anthropic").why_not(config) is None
    problem = anthropic.why_not(configure("anthropic", {}, {}))
    assert problem is not None
    assert "ANTHROPIC_API_KEY" in problem
    assert "https://platform.claude.com/settings/keys" in problem
    with pytest.raises(ProviderError) as caught:
        messages.request(ASKED, configure("anthropic", {}, {}), anthropic.PLACE, {})
    assert caught.value.kind == "unconfigured"


def test_an_answer_is_as_long_as_the_model_and_its_window_allow() -> None:
    def most(model: str, text: str = "hi", **given: object) -> object:
        return sent(Prompt(model, ({"role": "user", "content": text},)), **given)["max_tokens"]

    assert most("claude-haiku-4-5") == 32_000
    assert most("claude-opus-4-8") == most("claude-fable-5-1") == 128_000
    long = "word " * 160_000  # about 160,000 tokens
    assert 4096 <= int(str(most("claude-haiku-4-5", long))) < 32_000
    assert most("claude-haiku-4-5", long * 2) == 4096
    assert 10_000 < int(str(most("claude-sonnet-5-5", window=20_000))) < 20_000
    assert sent(Prompt("m", ASKED.messages, {"max_tokens": 7}))["max_tokens"] == 7


def test_thinking_is_the_models_affair_unless_settings_say() -> None:
    assert not {"thinking", "output_config"} & set(sent())
    assert sent(effort="low")["output_config"] == {"effort": "low"}
    for word in (True, "adaptive"):
        assert sent(thinking=word)["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert sent(thinking="between_tools")["thinking"] == {"type": "between_tools"}
    assert sent(thinking=False)["thinking"] == {"type": "disabled"}
    budget = sent(Prompt("claude-haiku-4-5", ASKED.messages), thinking=40_000)
    assert budget["thinking"] == {"type": "enabled", "budget_tokens": 40_000}
    assert int(str(budget["max_tokens"])) > 40_000


def test_its_windows() -> None:
    assert window(anthropic.WINDOW, anthropic.MODEL) == 1_000_000
    assert window(anthropic.WINDOW, "claude-haiku-4-5-20251001") == 200_000
    assert window(anthropic.WINDOW, "some-other") == 200_000


def test_it_asks_the_api_for_a_models_window() -> None:
    told = {"type": "model", "id": "claude-x/1", "max_input_tokens": 300_000, "max_tokens": 64_000,
            "retires_at": "2027-01-22T00:00:00Z"}  # fmt: skip
    pages = {"/v1/models/claude-x%2F1": told, "/v1/models/claude-sonnet-5-5": {"max_input_tokens": 0}}
    with Server(stream("x"), pages=pages) as server:
        config = configure("anthropic", {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_API_BASE": server.base}, {})
        found = describe(anthropic, config, "claude-x/1")
        assert (found, found.ends) == (Seen("claude-x/1", 300_000), "2027-01-22")
        assert describe(anthropic, config) == Seen("claude-sonnet-5-5", 1_000_000)
        with pytest.raises(ProviderError) as caught:
            describe(anthropic, config, "gone")
    assert caught.value.kind == "missing"
    assert "gone" in caught.value.hint
    assert {one.headers["x-api-key"] for one in server.looked} == {KEY}
    assert {one.headers["anthropic-version"] for one in server.looked} == {"2023-06-01"}
    with pytest.raises(ProviderError):
        describe(anthropic, configure("anthropic", {}, {}))


def test_a_prompt_that_leaves_no_room_for_an_answer_is_too_long() -> None:
    with Server(stream(last=end("model_context_window_exceeded"))) as server:
        error = failure(server)
    assert (error.kind, error.size) == ("too_long", 100)


def test_what_it_refused_is_left_out_of_the_next_request() -> None:
    refused = ({"role": "user", "content": "#1 20:17 dev ana: swordfish?"},)
    more = ({"role": "user", "content": "#1 dev ana: swordfish?\n\n#2 20:18 dev ana: one and one?"},)
    with Server(stream("", last=end("refusal")), stream("Two.")) as server:
        with pytest.raises(ProviderError):
            ask(server, replace(ASKED, messages=refused))
        assert ask(server, replace(ASKED, messages=more)).text == "Two."
        said = json.dumps(server.received[1].body)
    assert len(server.received) == 2 and "swordfish" not in said and "one and one?" in said


def test_a_refusal_says_why_and_what_to_do() -> None:
    with Server(stream("I", last=end("refusal", type="refusal", category="cyber", explanation=None))) as server:
        error = failure(server)
    assert (error.kind, error.retryable) == ("bad_request", False)
    assert "cyber" in error.hint
    assert "DOTAGENT_MODEL" in error.hint


@pytest.mark.parametrize(
    "pieces",
    [
        (),
        (CUT,),
        (start(),),
        (start(), delta(type="text_delta", text="x"), CUT),
        (start(), delta(type="text_delta", text="x")[:40], CUT),
        (start(), b"data: {not json\n\n"),
        (start(), b"data: [1]\n\n"),
        (start(), end(None), STOP),
    ],
)
def test_a_stream_without_an_end_is_broken_and_may_be_tried_again(pieces: tuple[bytes | str, ...]) -> None:
    with Server(Answer(pieces)) as server:
        error = failure(server)
    assert (error.kind, error.retryable) == ("network", True)


@pytest.mark.parametrize(
    ("type", "kind", "retryable"),
    [
        ("overloaded_error", "server", True),
        ("api_error", "server", True),
        ("rate_limit_error", "rate", True),
        ("timeout_error", "server", True),
        ("invalid_request_error", "bad_request", False),
        ("authentication_error", "auth", False),
        ("billing_error", "credit", False),
        ("something_new", "server", True),
    ],
)
def test_an_error_inside_a_stream_is_an_error(type: str, kind: str, retryable: bool) -> None:
    inside = named({"type": "error", "error": {"type": type, "message": f"it says why to {KEY}"}})
    with Server(Answer((start(), delta(type="text_delta", text="x"), inside))) as server:
        error = failure(server)
    assert (error.kind, error.retryable) == (kind, retryable)


EMPTY = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade."
LONG = "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length and try again"


@pytest.mark.parametrize(
    ("status", "type", "message", "kind", "retryable"),
    [
        (400, "invalid_request_error", "messages: text content blocks must be non-empty", "bad_request", False),
        (400, "invalid_request_error", EMPTY, "credit", False),
        (400, "invalid_request_error", "You have reached your specified API usage limits.", "credit", False),
        (400, "invalid_request_error", LONG, "too_long", False),
        (401, "authentication_error", "invalid x-api-key", "auth", False),
        (402, "billing_error", "no", "credit", False),
        (403, "permission_error", "no", "auth", False),
        (404, "not_found_error", "model: claude-gone", "missing", False),
        (413, "request_too_large", "Request exceeds the maximum size", "too_long", False),
        (429, "rate_limit_error", "This request would exceed your account's rate limit", "rate", True),
        (500, "api_error", "Internal server error", "server", True),
        (529, "overloaded_error", "Overloaded", "server", True),
    ],
)
def test_a_refused_request(status: int, type: str, message: str, kind: str, retryable: bool) -> None:
    body = {"type": "error", "error": {"type": type, "message": message}, "request_id": "req_1"}
    headers = {"content-type": "application/json", "retry-after": "17"}
    with Server(Answer((json.dumps(body).encode(),), status, headers)) as server:
        error = failure(server)
    assert (error.kind, error.retryable) == (kind, retryable)
    assert error.after == (17 if retryable else None)


def test_a_prompt_that_is_too_long_and_its_size() -> None:
    with Server(refusal(400, "prompt is too long: 213462 tokens > 200000 maximum", code=None)) as server:
        error = failure(server)
    assert (error.kind, error.size) == ("too_long", 213462)


def test_a_server_that_is_not_there_or_not_this_one() -> None:
    assert failure(f"http://127.0.0.1:{closed_port()}").kind == "network"
    with Server(Answer((b"<html>",), headers={"content-type": "text/html"})) as server:
        error = failure(server)
    assert (error.kind, "ANTHROPIC_API_BASE" in error.hint) == ("missing", True)


def test_what_an_address_has_behind_a_question_mark_stands_there_again() -> None:
    address = messages.address
    assert address("https://h/anthropic?version=1", "/messages") == "https://h/anthropic/v1/messages?version=1"
    assert address("https://h/v1/messages?a=b&c=d", "/models/m") == "https://h/v1/models/m?a=b&c=d"
    assert address("https://h/v1/", "/messages") == address("https://h", "/messages") == "https://h/v1/messages"
