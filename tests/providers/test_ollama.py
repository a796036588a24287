"""The provider ollama: what it sends, what it asks of the server's models, and what it reads of a stream of lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loopback import CUT, STALL, Answer, Received, Server, closed_port
from ollama_lines import NDJSON, SHOWN, done, pages, said, stream
from support import PATIENCE

from dotagent.providers import Completion, Config, Prompt, ProviderError, Seen, Usage, configure, describe, load, ollama

KEY = "0123456789abcdef.ollama"


USED = Usage(input=26, cached=16, output=298)
ASKED = Prompt(
    "qwen3:8b",
    ({"role": "system", "content": "be"}, {"role": "user", "content": "hi ◱ é"}),
    {"temperature": 0},
    window=20_000,
)


def config_of(server: Server | str, key: str = "", **given: object) -> Config:
    base = server if isinstance(server, str) else server.base
    return configure("ollama", {"OLLAMA_API_KEY": key, "OLLAMA_API_BASE": base}, {"stall": 5, **given})


def ask(
    server: Server | str,
    asked: Prompt = ASKED,
    *,
    key: str = "",
    seen: list[tuple[str, str]] | None = None,
    stop: Callable[[], bool] = lambda: False,
    **given: object,
) -> Completion:
    kept = [] if seen is None else seen
    config = config_of(server, key, **given)
    return ollama.answer(asked, config, lambda channel, text: kept.append((channel, text)), stop)


def failure(server: Server | str, asked: Prompt = ASKED, **given: object) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(server, asked, **given)  # type: ignore[arg-type]
    assert KEY not in caught.value.hint
    return caught.value


def sent(asked: Prompt = ASKED, shown: Mapping[str, object] = SHOWN, **given: object) -> dict[str, object]:
    with Server(stream("x"), pages=pages(shown)) as server:
        ask(server, asked, **given)  # type: ignore[arg-type]
    return server.received[0].body


def test_its_temperature_is_0_unless_settings_say_otherwise() -> None:
    plain = Prompt(ASKED.model, ASKED.messages)
    asked = [sent(plain, **given)["options"] for given in ({}, {"temperature": 0.7})]
    assert [one["temperature"] for one in asked if isinstance(one, dict)] == [0, 0.7]


def test_the_request_is_what_the_documentation_asks_for() -> None:
    with Server(stream("x"), pages=pages()) as server:
        ask(server)
        ask(server, key=KEY, think="low", keep_alive="30m")
    first, second = server.received
    assert first.path == second.path == "/api/chat"
    assert first.headers["content-type"] == "application/json"
    assert "authorization" not in first.headers
    assert first.body == {
        "model": "qwen3:8b",
        "messages": [{"role": "system", "content": "be"}, {"role": "user", "content": "hi ◱ é"}],
        "stream": True,
        "truncate": False,
        "shift": False,
        "options": {"temperature": 0, "num_ctx": 20_000},
    }
    assert second.headers["authorization"] == f"Bearer {KEY}"
    assert second.body == {**first.body, "think": "low", "keep_alive": "30m"}


def test_an_answer_that_is_to_be_short_is_bounded_on_the_server_too() -> None:
    options = sent(Prompt("m", ASKED.messages, most=300))["options"]
    assert isinstance(options, dict) and options["num_predict"] == 300 + 4096  # its thoughts are free


@pytest.mark.parametrize("end", ["", "/", "/api", "/api/chat", "/v1", "/v1/"])
def test_no_part_of_the_address_is_doubled(end: str) -> None:
    with Server(stream("x"), pages=pages()) as server:
        ask(server.base + end)
    assert server.received[0].path == "/api/chat"


def test_it_needs_no_key() -> None:
    config = configure("ollama", {}, {})
    assert config.base == "http://127.0.0.1:11434"
    assert load("ollama").why_not(config) is None
    problem = ollama.why_not(configure("ollama", {"OLLAMA_API_BASE": "localhost"}, {}))
    assert problem is not None
    assert "OLLAMA_API_BASE" in problem
    with pytest.raises(ProviderError):
        describe(ollama, configure("ollama", {"OLLAMA_API_BASE": "localhost"}, {}))
    assert ollama.BACKGROUND == 1


def num_ctx(life: int, shown: Mapping[str, object] = SHOWN, **given: object) -> object:
    options = sent(Prompt("m", ASKED.messages, window=life), shown, **given)["options"]
    assert isinstance(options, dict)
    return options["num_ctx"]


def test_the_context_is_what_the_life_needs_and_never_more_than_there_may_be() -> None:
    assert num_ctx(8_596) == 8_596
    assert num_ctx(0) == num_ctx(101_596) == 32_768
    assert num_ctx(101_596, window=40_000) == 40_000
    assert num_ctx(101_596, window=90_000) == 90_000, "more than the model was made for, if the person says so"
    assert num_ctx(101_596, {**SHOWN, "parameters": "num_ctx 12000\nstop <x>"}) == 12_000
    assert num_ctx(101_596, {}) == 32_768


@pytest.mark.parametrize(
    ("info", "length"),
    [
        ({"general.architecture": "a", "a.context_length": 8192, "clip.context_length": 77}, 8192),
        ({"a.context_length": 8192, "b.context_length": 9000}, 8192),
        ({"general.architecture": "a"}, 32_768),
        ("none", 32_768),
    ],
)
def test_how_much_a_model_was_made_for(info: object, length: int) -> None:
    with Server(pages=pages({"model_info": info})) as server:
        assert describe(ollama, config_of(server), "m") == Seen("m", length)
    assert [one.body for one in server.looked] == [{"model": "m"}]


def test_a_server_is_asked_about_a_model_once() -> None:
    with Server(stream("x"), pages=pages()) as server:
        for _ in range(3):
            ask(server)
        assert [one.path for one in server.looked] == ["/api/show"]
        ask(server, window=9_000)
    assert server.received[-1].body["options"] == {"temperature": 0, "num_ctx": 9_000}


def model(name: str, at: str, family: str = "llama", **more: object) -> dict[str, object]:
    return {"name": name, "model": name, "modified_at": at, "details": {"family": family}, **more}


INSTALLED = [
    model("old:1b", "2025-10-01T10:00:00.123456789+02:00"),
    model("nomic-embed-text:latest", "2026-10-05T10:00:00Z"),
    model("all-minilm:latest", "2026-10-05T10:00:00Z", "bert"),
    model("paints:latest", "2026-10-04T10:00:00Z"),
    model("huge:cloud", "2026-10-06T10:00:00Z", remote_host="https://ollama.com:443"),
    model("new:8b", "2026-10-03T01:00:00.5-09:00"),
    model("newer-by-its-digits:8b", "2026-10-03T09:00:00+02:00"),
    model("odd:latest", "yesterday"),
]


def show(received: Received) -> Answer:
    able = ["image"] if received.body["model"] == "paints:latest" else ["completion"]
    return Answer((json.dumps({**SHOWN, "capabilities": able}).encode(),), headers={"content-type": "application/json"})


def test_without_a_model_it_is_the_one_that_was_installed_last_and_talks() -> None:
    def served(received: Received) -> Answer:
        return show(received) if received.path == "/api/show" else stream("x")

    with Server(served, pages={"/api/tags": {"models": INSTALLED}}) as server:
        assert describe(ollama, config_of(server)) == Seen("new:8b", 32_768)
        asked_before = len(server.received)
        ask(server, Prompt("", ASKED.messages))
        ask(server, Prompt("new:8b", ASKED.messages))
    assert [one.path for one in server.received[asked_before:]] == ["/api/chat"] * 2, "what is known is not asked again"
    assert {str(one.body["model"]) for one in server.received[asked_before:]} == {"new:8b"}
    with Server(served, pages={"/api/tags": {"models": INSTALLED[4:5]}}) as server:
        assert describe(ollama, config_of(server)).model == "huge:cloud"


@pytest.mark.parametrize("models", [[], None, INSTALLED[1:3], ["x", {}]])
def test_a_server_without_models_says_how_to_get_one(models: object) -> None:
    with Server(pages=pages(models=models)) as server:
        error = failure(server, Prompt("", ASKED.messages))
    assert error.kind == "missing"
    assert "ollama pull" in error.hint


def test_thinking_text_usage_and_end_are_read_as_they_come() -> None:
    seen = list[tuple[str, str]]()
    with Server(stream("Good ", "day", thinking=("I ", "think")), pages=pages()) as server:
        reply = ask(server, seen=seen)
    assert reply == Completion("Good day", "I think", "stop", USED)
    assert seen == [("reasoning", "I "), ("reasoning", "think"), ("text", "Good "), ("text", "day")]


def test_a_piece_is_handed_on_before_the_next_is_there() -> None:
    seen = list[tuple[str, str]]()
    with Server(Answer((said("first"), STALL), headers=NDJSON), pages=pages()) as server:
        assert failure(server, seen=seen, stop=lambda: bool(seen)).kind == "cancelled"
        assert server.hung_up.wait(PATIENCE)
    assert seen == [("text", "first")]


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 800), max_size=12), st.booleans())
def test_borders_between_pieces_never_matter(cuts: list[int], ended: bool) -> None:
    raw = b"".join(one for one in stream("é😀", "‹ü›\r", thinking=("ø",)).pieces if isinstance(one, bytes))
    raw = raw if ended else raw.removesuffix(b"\n")
    at = sorted({min(cut, len(raw)) for cut in cuts})
    pieces = tuple(raw[first:last] for first, last in zip([0, *at], [*at, len(raw)], strict=True))
    with Server(Answer(pieces, headers=NDJSON), pages=pages()) as server:
        assert ask(server) == Completion("é😀‹ü›\r", "ø", "stop", USED)


def test_why_it_ended_and_what_it_counted() -> None:
    with Server(stream("half", last=done("length")), pages=pages()) as server:
        assert ask(server).finish == "length"
    with Server(
        stream("x", last=done(None, prompt_eval_count=None, prompt_eval_cached_count=None, eval_count=True)),
        pages=pages(),
    ) as server:
        assert ask(server) == Completion("x")


@pytest.mark.parametrize(
    "pieces",
    [
        (),
        (CUT,),
        (said("x"),),
        (said("x"), CUT),
        (said("x")[:30], CUT),
        (said("x"), done()[:30]),
        (b"{not json\n", done()),
        (b"[1]\n",),
    ],
)
def test_a_stream_without_an_end_is_broken_and_may_be_tried_again(pieces: tuple[bytes | str, ...]) -> None:
    with Server(Answer(pieces, headers=NDJSON), pages=pages()) as server:
        error = failure(server)
    assert (error.kind, error.retryable) == ("network", True)


def test_an_error_inside_a_stream_is_an_error() -> None:
    inside = json.dumps({"error": f"an error was encountered while running the model {KEY}"}).encode() + b"\n"
    long = b'{"error":"the input length exceeds the context length"}\n'
    with Server(Answer((said("x"), inside), headers=NDJSON), Answer((long,), headers=NDJSON), pages=pages()) as server:
        error = failure(server, key=KEY)
        assert (error.kind, error.retryable) == ("server", True)
        assert "running the model" in error.hint
        assert failure(server).kind == "too_long"


@pytest.mark.parametrize(
    ("status", "message", "kind", "says"),
    [
        (400, "the input length exceeds the context length", "too_long", "too long"),
        (400, '"qwen3:8b" does not support thinking', "bad_request", "thinking"),
        (404, "model 'qwen3:8b' not found", "missing", "`ollama pull qwen3:8b`"),
        (401, "unauthorized", "auth", "OLLAMA_API_KEY"),
        (429, "too many concurrent requests", "rate", "too many requests"),
        (500, "model requires more system memory (9 GiB) than is available (4 GiB)", "missing", "more system memory"),
        (503, "server busy, please try again. maximum pending requests exceeded", "server", "busy"),
    ],
)
def test_a_refused_request(status: int, message: str, kind: str, says: str) -> None:
    refused = Answer((json.dumps({"error": message}).encode(),), status, {"content-type": "application/json"})
    with Server(refused, pages=pages()) as server:
        error = failure(server)
    assert error.kind == kind
    assert says in error.hint


def test_a_model_that_is_not_there_is_known_before_it_is_asked() -> None:
    gone = Answer((b'{"error":"model \'qwen3:8b\' not found"}',), 404, {"content-type": "application/json"})
    with Server(pages={"/api/show": gone}) as server:
        error = failure(server)
    assert (error.kind, error.retryable) == ("missing", False)
    assert "`ollama pull qwen3:8b`" in error.hint


def test_a_server_that_is_not_there_says_how_to_start_it() -> None:
    nobody = f"http://127.0.0.1:{closed_port()}"
    error = failure(nobody)
    assert (error.kind, error.retryable) == ("network", True)
    assert "`ollama serve`" in error.hint
    with Server(stream("x"), pages=pages()) as server:
        ask(server)
    error = failure(server)
    assert (error.kind, error.retryable) == ("network", True)
    assert "`ollama serve`" in error.hint, "also when it was there before"


def test_another_server_at_its_address_is_a_hint() -> None:
    with Server(Answer((b"<html>",), headers={"content-type": "text/html"}), pages=pages()) as server:
        error = failure(server)
    assert (error.kind, "OLLAMA_API_BASE" in error.hint) == ("missing", True)
