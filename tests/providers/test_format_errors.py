"""What failures mean: statuses, the servers' many wordings of a prompt that is too long, and hints without keys."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import Server, refusal, stream

from dotagent.providers import Config, Prompt, ProviderError
from dotagent.providers.formats import chat
from dotagent.providers.formats.errors import Refusal, clean, from_event, from_response
from dotagent.providers.formats.place import Address
from dotagent.providers.formats.redaction import SAMPLES

PLACE = Address(
    "Loop", "LOOP_API_KEY", "LOOP_API_BASE", "https://loop/keys", "https://loop/credit", "https://loop/models"
)
KEY = "sk-0123456789abcdef"


def judged(status: int, message: str, headers: dict[str, str] | None = None, **more: object) -> ProviderError:
    error = {"message": message, "type": "invalid_request_error", "code": "invalid_request_error"} | more
    return from_response(Refusal(status, headers or {}, json.dumps({"error": error}).encode()), PLACE, "model-x", KEY)


STATUSES = [
    (400, "bad_request", False, "refuses"),
    (401, "auth", False, "https://loop/keys"),
    (402, "credit", False, "https://loop/credit"),
    (403, "auth", False, "LOOP_API_KEY"),
    (404, "missing", False, "DOTAGENT_MODEL"),
    (307, "missing", False, "LOOP_API_BASE"),
    (407, "unconfigured", False, "HTTP_PROXY"),
    (408, "timeout", True, "too long"),
    (409, "server", True, "again"),
    (413, "too_long", False, "too long"),
    (422, "bad_request", False, "refuses"),
    (429, "rate", True, "too many requests"),
    (500, "server", True, "again"),
    (503, "server", True, "overloaded"),
    (529, "server", True, "overloaded"),
]


@pytest.mark.parametrize(("status", "kind", "retryable", "hint"), STATUSES)
def test_a_status_has_a_kind_and_a_hint(status: int, kind: str, retryable: bool, hint: str) -> None:
    with Server(refusal(status, "it says why")) as server, pytest.raises(ProviderError) as caught:
        chat.ask(chat.request(Prompt("m", ()), Config(KEY, server.base), PLACE), lambda *_: None, lambda: False)
    error = caught.value
    assert (error.kind, error.retryable) == (kind, retryable)
    assert hint in error.hint
    assert f"HTTP {status}" in error.hint or kind == "too_long"
    assert ("it says why" in error.hint) is (status not in (401, 402))


FORBIDDEN = {"type": "extra_forbidden", "loc": ["body", "stream_options", "include_usage"], "input": True,
             "msg": "Extra inputs are not permitted"}  # fmt: skip
LACKING = {"type": "missing", "loc": ["body", "messages", 0], "msg": "Field required"}
SAID = "body.stream_options.include_usage: Extra inputs are not permitted; body.messages.0: Field required"


@pytest.mark.parametrize(
    "body",
    [
        {"object": "error", "message": {"detail": [FORBIDDEN, LACKING]}, "type": "invalid_request_error"},  # Mistral's
        {"detail": [FORBIDDEN, LACKING]},  # FastAPI's
        {"error": {"message": [FORBIDDEN, LACKING], "code": 422}},
    ],
)
def test_a_list_of_what_is_wrong_is_told_as_a_sentence(body: dict[str, object]) -> None:
    error = from_response(Refusal(422, {}, json.dumps(body).encode()), PLACE, "model-x", KEY)
    assert error.hint == f"Loop refuses the request (HTTP 422): {SAID}"


@pytest.mark.parametrize("told", [{"detail": {"a": 1}}, {"message": {"detail": None}}, {"detail": [1, {"loc": 3}]}])
def test_words_that_are_none_are_not_shown(told: object) -> None:
    error = from_response(Refusal(422, {}, json.dumps(told).encode()), PLACE, "model-x", KEY)
    assert error.hint == "Loop refuses the request (HTTP 422) without giving a reason"


def test_a_connection_lives_on_after_a_refusal() -> None:
    with Server(refusal(503, "busy"), stream("x")) as server:
        post = chat.request(Prompt("m", ()), Config(KEY, server.base), PLACE)
        with pytest.raises(ProviderError):
            chat.ask(post, lambda *_: None, lambda: False)
        assert chat.ask(post, lambda *_: None, lambda: False).text == "x"


@pytest.mark.parametrize(
    ("headers", "more", "seconds"),
    [
        ({"x-ms-retry-after-ms": "1500"}, {}, 1.5),  # Azure
        ({"retry-after": "2", "x-ms-retry-after-ms": "1500"}, {}, 1.5),
        ({"x-retry-after": "7"}, {}, 7),
        ({"x-ratelimit-retry-after-seconds": "7"}, {}, 7),
        ({"llm_provider-x-ms-retry-after-ms": "7000"}, {}, 7),
        ({"retry-after": "9", "llm_provider-retry-after-ms": "7000"}, {}, 9),
        ({"retry-after": "1m30s"}, {}, 90),
        ({"retry-after": "soon"}, {}, None),
        ({}, {"retry_after_ms": 7000}, 7),
        ({}, {"retryAfter": "7s"}, 7),
        ({}, {"metadata": {"retry_after_seconds": 7}}, 7),
        ({}, {"details": [{"retry_in": "7"}]}, 7),
        ({}, {"details": [{"retry_after": True}]}, None),
        ({}, {"message": "Please wait for 7 seconds."}, 7),
    ],
)
def test_a_wait_is_read_wherever_it_is(headers: dict[str, str], more: dict[str, object], seconds: float) -> None:
    body = json.dumps({"error": {"message": "slow down"} | more}).encode()
    assert from_response(Refusal(429, headers, body), PLACE, "m", KEY).after == seconds


def test_retry_after_comes_along() -> None:
    with Server(refusal(429, "slow", headers={"Retry-After": "17"})) as server, pytest.raises(ProviderError) as caught:
        chat.ask(chat.request(Prompt("m", ()), Config(KEY, server.base), PLACE), lambda *_: None, lambda: False)
    assert caught.value.after == 17
    assert judged(503, "", {"retry-after": "2"}).after == 2
    assert judged(429, "").after is None


@pytest.mark.parametrize(
    ("message", "size"),
    [
        # DeepSeek, OpenAI, vLLM, llama-cpp-python
        (
            "This model's maximum context length is 65536 tokens. However, you requested 66343 tokens (62247 in the"
            " messages, 4096 in the completion). Please reduce the length of the messages or completion.",
            62247,
        ),
        ("This model's maximum context length is 8192 tokens. However, your messages resulted in 8,545 tokens.", 8545),
        ("Input tokens exceed the configured limit: your input exceeds the context window of this model.", None),
        (
            "'max_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has"
            " 2104 input tokens (2000 > 4096 - 2104).",
            2104,
        ),
        (
            "This endpoint's maximum context length is 1000 tokens. However, you requested about 1337 tokens"
            " (1300 of text input, 37 in the output).",
            1300,
        ),
        ("prompt is too long: 213462 tokens > 200000 maximum", 213462),
        ("The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).", 1196265),
        ("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 537812),
        ("request (1407 tokens) exceeds the available context size (256 tokens), try increasing it", 1407),
        ("the request exceeds the available context size, try increasing it", None),
        ("Requested tokens (2285) exceed context window of 2048", 2285),
        ("The input (9000 tokens) is longer than the model's context length (8192 tokens).", 9000),
        ("Input is too long for requested model.", None),
        ("Your request exceeded model token limit: 131072", None),
        ("The number of tokens to keep from the initial prompt is greater than the context length", None),
        ("Please reduce the length of the messages or completion.", None),
        ("input length exceeds the context length", None),
        # OpenRouter, with an upstream's words in it; vLLM, whose "at least" is no size; LM Studio; llama.cpp
        (
            "This endpoint's maximum context length is 400000 tokens. However, you requested about 412345 tokens"
            " (410000 of text input, 2345 in the output). Please reduce the length of either one, or use the"
            " context-compression plugin to compress your prompt automatically.",
            410000,
        ),
        (
            "This model's maximum context length is 2048 tokens. However, your request has 2100 input tokens plus 16"
            " 'max_tokens'. Please reduce one or the other. (parameter=input_tokens, value=2100)",
            2100,
        ),
        (
            "This model's maximum context length is 32768 tokens. However, you requested 16000 output tokens and your"
            " prompt contains 20000 input tokens, for a total of 36000 tokens. Please reduce the length of the input"
            " prompt or the number of requested output tokens.",
            20000,
        ),
        (
            "This model's maximum context length is 16384 tokens. However, you requested 8192 output tokens and your"
            " prompt contains at least 8193 input tokens, for a total of at least 16385 tokens. Please reduce the"
            " length of the input prompt or the number of requested output tokens.",
            None,
        ),
        (
            "You passed 32769 input tokens and requested 0 output tokens. However, the model's context length is only"
            " 32768 tokens, resulting in a maximum input length of 32768 tokens. Please reduce the length of the input"
            " prompt. (parameter=input_tokens, value=32769)",
            None,
        ),
        ("The decoder prompt (length 33000) is longer than the maximum model length of 32768.", 33000),
        (
            "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with"
            " context length of only 32768 tokens, which is not enough. Try to load the model with a larger context"
            " length, or provide a shorter input",
            111490,
        ),
        ("Context size has been exceeded.", None),
        (
            "the request exceeds the available context size. try increasing the context size or enable context shift",
            None,
        ),
    ],
)
def test_a_prompt_that_is_too_long_in_many_wordings(message: str, size: int | None) -> None:
    error = judged(400, message)
    assert (error.kind, error.retryable, error.size) == ("too_long", False, size)


def test_a_prompt_that_is_too_long_by_its_code() -> None:
    assert judged(400, "no", code="context_length_exceeded").kind == "too_long"
    error = judged(500, "no", type="exceed_context_size_error", n_prompt_tokens=14429, n_ctx=8192)
    assert (error.kind, error.size) == ("too_long", 14429)
    assert from_event({"message": "prompt is too long: 9 tokens > 8", "code": 400}, PLACE, "m", None).kind == "too_long"
    assert from_event("Context size has been exceeded.", PLACE, "m", None).kind == "too_long"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 45,000. Reduce it.", "too_long"),
        ("Rate limit reached on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000.", "rate"),
        ("Rate limit reached: Limit 30000, Requested 5000. Please try again in 6s.", "rate"),
    ],
)
def test_a_prompt_beyond_the_limit_of_a_minute_is_too_long(said: str, kind: str) -> None:
    """No wait helps, since the next minute has the same limit."""
    assert judged(429, said, code="rate_limit_exceeded").kind == kind
    assert judged(413, said, code="rate_limit_exceeded").kind in (kind, "bad_request")


def test_the_reason_of_an_upstream_is_read_through_openrouter() -> None:
    said = "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens."
    raw = json.dumps({"error": {"message": said, "code": "context_length_exceeded"}})
    error = judged(400, "Provider returned error", code=400, metadata={"raw": raw, "provider_name": "Modal"})
    assert (error.kind, error.size) == ("too_long", 8545)
    busy = judged(429, "Provider returned error", metadata={"raw": "z-ai/glm is rate-limited upstream", "x": 1})
    assert (busy.kind, "rate-limited upstream" in busy.hint) == ("rate", True)
    assert judged(400, "no", metadata={"raw": ["x"]}).hint.endswith(": no")


def test_a_pause_that_googles_errors_tell() -> None:
    kind = "type.googleapis.com/google.rpc."
    details = [{"@type": f"{kind}Help", "links": []}, {"@type": f"{kind}RetryInfo", "retryDelay": "34.07s"}]
    body = json.dumps([{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "q", "details": details}}])
    error = from_response(Refusal(429, {}, body.encode()), PLACE, "m", KEY)
    assert (error.kind, error.after) == ("rate", 34.07)
    assert from_response(Refusal(429, {"retry-after": "2"}, body.encode()), PLACE, "m", KEY).after == 2
    assert judged(429, "q", details=[{"retryDelay": "soon"}, 3, {}]).after is None
    assert from_event({"code": 503, "details": details}, PLACE, "m", KEY).after == 34.07


@pytest.mark.parametrize("said", ["API key not valid. Please pass a valid API key.", "API key expired. Renew it."])
def test_a_key_that_is_refused_with_400(said: str) -> None:
    error = judged(400, f"{said} AIzaSyA0123456789 {KEY}")
    assert (error.kind, error.retryable) == ("auth", False)
    assert "https://loop/keys" in error.hint
    assert "AIza" not in error.hint
    assert KEY not in error.hint


def test_a_server_that_may_have_no_key_and_asks_for_one() -> None:
    keyless = replace(PLACE, keyless=True)
    error = from_response(Refusal(401, {}, b""), keyless, "m", None)
    assert error.kind == "auth"
    assert "requires a key (HTTP 401): put the key into LOOP_API_KEY" in error.hint
    assert "refuses the key" in from_response(Refusal(401, {}, b""), keyless, "m", KEY).hint


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens is too large: 500000. This model supports at most 128000 completion tokens.",
        "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        "messages[3].content is too long a name for a tool",
        "In this context the length of `name` must be below 64",
        "you sent too many requests",
    ],
)
def test_other_refusals_are_not_taken_for_it(message: str) -> None:
    assert judged(400, message).kind == "bad_request"


def test_a_model_that_is_not_there() -> None:
    for error in (
        judged(400, "Model Not Exist"),
        judged(400, "The model `x` does not exist"),
        judged(404, "", code="model_not_found"),
    ):
        assert error.kind == "missing"
        assert "DOTAGENT_MODEL" in error.hint
    assert "model-x" in judged(404, "").hint


def test_an_empty_account_may_come_as_too_many_requests() -> None:
    error = judged(429, "You exceeded your current quota", code="insufficient_quota")
    assert (error.kind, error.retryable) == ("credit", False)


def test_no_hint_repeats_a_key() -> None:
    for status in (400, 401, 403, 404, 422, 429, 500):
        for word in (KEY, "sk-proj-****wxyz", f"Bearer {KEY}", "AIzaSyA0123456789"):
            hint = judged(status, f"Incorrect API key provided: {word}. You can find it").hint
            assert not any(part in hint for part in (KEY, "wxyz", "AIza"))


@given(st.text(min_size=4).filter(lambda key: not key.isdecimal()), st.text(), st.text())  # 0000 stands in sizes
def test_what_a_server_says_is_one_short_line_without_the_key(key: str, before: str, after: str) -> None:
    said = clean(before + key + after, key)
    assert len(said) <= 300
    assert "\n" not in said
    if key.isalnum() and key.lower() not in SAMPLES and key not in before + "[key]" + after:
        assert key not in said


@given(st.integers(300, 599), st.binary() | st.from_type(type(None)).map(lambda _: b"[" * 100_000))
def test_any_body_is_judged(status: int, body: bytes) -> None:
    error = from_response(Refusal(status, {}, body), PLACE, "m", KEY)
    assert not {"\n", "\r", "\x1b", "\0"} & set(error.hint)


@pytest.mark.parametrize(
    "body",
    [b'{"message":"why"}', b'{"error":"why"}', b'{"detail":"why"}', b'[{"error":{"message":"why"}}]', b'"why"', b"why"],
)
def test_the_reason_is_found_in_many_shapes(body: bytes) -> None:
    assert "why" in from_response(Refusal(400, {}, body), PLACE, "m", None).hint


def test_a_page_is_not_quoted() -> None:
    assert "html" not in from_response(Refusal(502, {}, b"<html><h1>Bad Gateway"), PLACE, "m", None).hint


def test_a_key_that_litellm_looks_for_in_a_database_that_it_has_not_is_a_wrong_key() -> None:
    error = judged(400, "No connected db.", type="no_db_connection", code="400")
    assert error.kind == "auth" and "refuses the key in LOOP_API_KEY" in error.hint


TRIAL = (
    "You are using a Trial key, which is limited to {} API calls / {}. You can continue to use the Trial key for free"
)
NO_ROUTE = (
    "No endpoints found matching your data policy (Free model publication). Configure: https://x/settings/privacy"
)
NO_MEMORY = "model requires more system memory (8.0 GiB) than is available (5.2 GiB)"
KIMI = "You've reached your weekly (7-day) usage limit. Your quota will reset when the current 7-day window ends."
PAGE = "<!DOCTYPE html><html><title>Attention Required! | Cloudflare</title></html>"


@pytest.mark.parametrize(
    ("status", "body", "kind", "retryable", "hint"),
    [
        (429, {"message": TRIAL.format(1000, "month")}, "credit", False, "has used up its allowance"),
        (429, {"message": TRIAL.format(20, "minute")}, "rate", True, "too many requests"),
        (
            429,
            {"error": {"message": "You have exceeded your monthly quota."}},
            "credit",
            False,
            "used up its allowance",
        ),
        (
            429,
            {"error": {"message": "Your monthly token limit is exhausted"}},
            "credit",
            False,
            "used up its allowance",
        ),
        (429, {"error": {"message": "hour allocated quota exceeded"}}, "credit", False, "its allowance"),  # Alibaba
        (403, {"error": {"message": KIMI}}, "credit", False, "its allowance"),
        (498, {"error": {"message": "Flex tier is busy", "code": "capacity_exceeded"}}, "server", True, "overloaded"),
        (498, {"error": {"message": "Flex tier capacity exceeded"}}, "server", True, "overloaded"),  # Groq
        (498, {"message": "invalid token"}, "bad_request", False, "refuses the request"),  # Cohere
        (404, {"error": {"message": NO_ROUTE, "code": 404}}, "missing", False, "settings at Loop exclude every server"),
        (
            404,
            {"error": {"message": "No allowed providers are available for the selected model.", "code": 404}},
            "missing",
            False,
            "exclude every server of the model model-x",
        ),
        (500, {"error": NO_MEMORY}, "missing", False, "has too little memory for the model model-x"),
        (
            500,
            {"error": "llama runner process has terminated: cudaMalloc failed: out of memory"},
            "missing",
            False,
            "choose a smaller model",
        ),
        (500, {"error": "worker 3: out of memory"}, "server", True, "overloaded"),  # it may have been another's request
        (403, {"error": {"message": "Streaming is disabled for this plan"}}, "bad_request", False, "Streaming"),
        (403, {"error": {"message": "no", "type": "permission_error"}}, "auth", False, "LOOP_API_KEY"),
        (403, PAGE, "network", False, "firewall or proxy before Loop"),
        (403, "error code: 1010", "network", False, "firewall or proxy before Loop"),  # Cloudflare
    ],
)
def test_a_refusal_whose_status_says_something_else(
    status: int, body: object, kind: str, retryable: bool, hint: str
) -> None:
    told = body if isinstance(body, str) else json.dumps(body)
    error = from_response(Refusal(status, {}, told.encode()), PLACE, "model-x", KEY)
    assert (error.kind, error.retryable) == (kind, retryable)
    assert hint in error.hint and (kind == "auth") is ("LOOP_API_KEY" in error.hint)


def test_a_used_up_month_whose_end_the_server_names_is_waited_for() -> None:
    body = json.dumps({"message": TRIAL.format(1000, "month")}).encode()
    error = from_response(Refusal(429, {"retry-after": "90000"}, body), PLACE, "model-x", KEY)
    assert (error.kind, error.after) == ("rate", 90000)
