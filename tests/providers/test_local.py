"""The provider local: a key or none, the model and the window as each kind of server tells them, and its silences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from local_server import ASKED, EMPTY, LLAMA, LONG, MESSAGES, ask, config
from loopback import CUT, DONE, Answer, Server, closed_port, data, event, refusal, stream, whole
from support import make_home

from dotagent.providers import (
    Completion,
    Config,
    Prompt,
    ProviderError,
    Seen,
    configure,
    describe,
    load,
    local,
)
from dotagent.providers.server.catalogue import SEVERAL, Catalogue
from dotagent.store import options

KEY = "secret-0123456789"
BODY = {
    "model": "m",
    "messages": list(MESSAGES),
    "stream": True,
    "stream_options": {"include_usage": True},
    "temperature": 0.5,
}
MUTE = Answer((event({"content": ""}, "stop"), DONE))
NAMED = {"/v1/models": {"object": "list", "data": [{"id": "m", "object": "model"}]}}
VLLM = {"/v1/models": {"data": [{"id": "org/m", "max_model_len": 32768}, {"id": "lora", "max_model_len": 16384}]}}
STUDIO = {
    "/v1/models": {"data": [{"id": "embed"}, {"id": "big"}, {"id": "m"}]},
    "/api/v0/models": {
        "data": [
            {"id": "embed", "type": "embeddings", "state": "loaded", "loaded_context_length": 512},
            {"id": "big", "type": "llm", "state": "not-loaded", "max_context_length": 262144},
            {"id": "m", "type": "llm", "state": "loaded", "max_context_length": 131072, "loaded_context_length": 16384},
        ]
    },
}


HOSTED = ("max_input_tokens", "context_window", "max_context_length", "context_length")  # LiteLLM, Groq, Mistral, …


def failure(server: Server, asked: Prompt = ASKED, key: str = "") -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(server, asked, key)
    assert not key or key not in caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("given", "params", "asked"),
    [({}, {}, 0), ({"temperature": 0.7}, {}, 0.7), ({}, {"temperature": 0.5}, 0.5), ({"alone": False}, {}, None)],
)
def test_its_temperature_is_0_unless_somebody_says_otherwise(
    given: dict[str, object], params: dict[str, object], asked: float | None
) -> None:
    with Server(stream("Tea.")) as server:
        local.answer(Prompt("m", MESSAGES, params), config(server, **given), lambda *_: None, lambda: False)
    assert server.received[0].body.get("temperature") == asked


def test_it_is_found_by_its_name_and_needs_nothing() -> None:
    default = configure("local", {}, {})
    assert default == Config(None, "http://127.0.0.1:8080/v1")
    assert load("local").BACKGROUND == 1
    assert local.why_not(default) is None
    assert "LOCAL_API_KEY contains a space" in str(local.why_not(configure("local", {"LOCAL_API_KEY": "a b"}, {})))
    assert "LOCAL_API_BASE must be" in str(local.why_not(configure("local", {"LOCAL_API_BASE": "localhost"}, {})))


def test_the_request_is_what_the_documentation_asks_for() -> None:
    with Server(stream("Yes")) as server:
        assert ask(server).text == "Yes"
        ask(server, key=KEY)
    first, second = server.received
    assert first.path == "/v1/chat/completions"
    assert "authorization" not in first.headers
    assert second.headers["authorization"] == f"Bearer {KEY}"
    assert first.body == second.body == BODY


def test_a_server_that_asks_for_a_key() -> None:
    with Server(refusal(401, "Invalid API Key")) as server:
        assert "requires a key" in failure(server).hint
        assert "refuses the key in LOCAL_API_KEY" in failure(server, key=KEY).hint


@pytest.mark.parametrize(
    ("pages", "model", "seen"),
    [
        (LLAMA, "", Seen("m", 8192)),
        (LLAMA, "any-name", Seen("any-name", 8192)),
        (VLLM, "", Seen("org/m", 32768)),
        (VLLM, "lora", Seen("lora", 16384)),
        (STUDIO, "", Seen("m", 16384)),
        (STUDIO, "m", Seen("m", 16384)),
        (STUDIO, "big", Seen("big", 4096, True)),  # not loaded: with which window it will be, nobody knows
        (NAMED, "", Seen("m", 4096, True)),
        ({"/v1/models": {"data": [{"id": "m", "meta": {"n_ctx": 6000}}]}}, "", Seen("m", 6000)),
        ({"/v1/models": {"data": [{"id": "m", "meta": {"n_ctx_train": 2048}}]}}, "", Seen("m", 2048, True)),
        *(({"/v1/models": {"data": [{"id": "m", name: 131072}]}}, "", Seen("m", 131072)) for name in HOSTED),
    ],
)
def test_each_kind_of_server_tells_its_model_and_window_in_its_way(
    pages: dict[str, object], model: str, seen: Seen
) -> None:
    with Server(stream("x"), pages=pages) as server:
        assert describe(local, config(server, KEY), model) == seen
    assert {asked.headers["authorization"] for asked in server.looked} == {f"Bearer {KEY}"}


def test_an_address_may_name_the_whole_path() -> None:
    with Server(stream("x"), pages=LLAMA) as server:
        whole_path = replace(config(server), base=f"{server.base}/v1/chat/completions")
        assert describe(local, whole_path) == Seen("m", 8192)


def test_what_an_address_has_behind_a_question_mark_stands_there_again() -> None:
    with Server(stream("x"), pages={"/v1/models?tenant=a": {"data": [{"id": "m", "max_model_len": 9000}]}}) as server:
        asked = replace(config(server), base=f"{server.base}/v1?tenant=a")
        assert describe(local, asked) == Seen("m", 9000)


def test_litellm_tells_what_a_model_behind_it_sees() -> None:
    def pages(**able: object) -> dict[str, object]:
        info = [
            {"model_name": "other", "model_info": {"supports_vision": True}},
            {"model_name": "m", "model_info": able},
        ]
        return {"/v1/models": {"data": [{"id": "m", "max_input_tokens": 8000}]}, "/v1/model/info": {"data": info}}

    found = list[str | None]()
    for able in ({"supports_vision": True, "supports_pdf_input": True, "supports_audio_input": None},
                 {"supports_vision": False}, {"supports_vision": None}, {}):  # fmt: skip
        with Server(stream("x"), pages=pages(**able)) as server:
            found.append(describe(local, config(server)).sees)
    assert found == ["image pdf", "", None, None]


def test_a_guess_is_small_on_this_machine_only() -> None:
    assert local.untold("http://127.0.0.1:8080/v1") == local.untold("http://[::1]:1/v1") == 4096
    assert local.untold("http://localhost/v1") == 4096
    assert local.untold("https://api.groq.com/openai/v1") == local.untold("http://192.168.0.7:8080/v1") == 128_000


def test_the_setting_window_always_wins() -> None:
    with Server(stream("x"), pages=NAMED) as server:
        assert describe(local, config(server, window=20000)).window == 20000
    with Server(stream("x"), pages=LLAMA) as server:
        assert describe(local, config(server, window=20000)).window == 20000
        assert describe(local, config(server, window=2000)).window == 2000


def test_a_server_without_a_model_and_one_that_is_not_there() -> None:
    with Server(stream("x"), pages={"/v1/models": {"data": []}}) as server, pytest.raises(ProviderError) as caught:
        describe(local, config(server))
    assert caught.value.kind == "missing"
    with pytest.raises(ProviderError) as caught:
        describe(local, configure("local", {"LOCAL_API_BASE": f"http://127.0.0.1:{closed_port()}/v1"}, {}))
    assert caught.value.kind == "network"


def test_a_stream_with_nothing_in_it_is_asked_why() -> None:
    """llama-cpp-python: a prompt that is too long gets 200 and no stream, but 400 when nothing is to be streamed."""
    said = (
        "This model's maximum context length is 2048 tokens. However, you requested 4031 tokens (4030 in the messages,"
        " 1 in the completion). Please reduce the length of the messages or completion."
    )
    with Server(EMPTY, refusal(400, said, code="context_length_exceeded"), pages=NAMED) as server:
        error = failure(server)
    assert (error.kind, error.size) == ("too_long", 4030)
    body = {name: value for name, value in BODY.items() if name != "stream_options"}
    assert server.received[1].body == body | {"stream": False, "max_tokens": 1}


def test_an_empty_stream_without_a_reason_is_measured() -> None:
    with Server(EMPTY, whole("x"), EMPTY, Answer((CUT,)), pages=NAMED) as server:
        error = failure(server)
        assert (error.kind, error.retryable) == ("network", True)
        error = failure(server, LONG)
    assert (error.kind, error.size) == ("too_long", None)
    assert "4096" in error.hint


def test_an_answer_without_a_word_to_a_prompt_that_can_not_fit() -> None:
    with Server(MUTE, pages=NAMED) as server:
        assert ask(server) == Completion("")
        assert failure(server, LONG).kind == "too_long"
    with Server(MUTE) as server:  # that tells nothing of itself
        assert ask(server, LONG) == Completion("")


def test_a_prompt_that_is_too_long_as_lm_studio_says_it() -> None:
    said = "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with …"
    told = Answer((b'event: error\ndata: {"error":{"message":"' + said.encode() + b'"}}\n\n',))
    with Server(told) as server:
        error = failure(server)
    assert (error.kind, error.size) == ("too_long", 9000)


@pytest.mark.parametrize(
    ("pages", "more"), [(NAMED, {}), (VLLM, {}), ({**NAMED, "/props": {"ok": 1}}, {}), (LLAMA, {"alone": False})]
)
def test_a_gateway_on_this_machine_is_asked_once_since_each_request_may_be_paid_for(
    pages: dict[str, object], more: dict[str, object]
) -> None:
    """LiteLLM's proxy and others answer at loopback, and a model elsewhere is behind them."""
    asked = replace(ASKED, messages=({"role": "user", "content": "word " * local.STEP},), most=50)
    with Server(stream("Tea."), pages=pages) as server:
        assert not describe(local, config(server, **more), "").alone
        assert ask(server, asked).text == "Tea." and len(server.received) == 1
    preset = options.presets()["litellm"]
    assert preset["base"] == "http://127.0.0.1:4000/v1" and preset["alone"] is False


def test_who_has_others_do_the_work_gets_several_background_calls_at_once(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    (where.root / "dotagent.toml").write_text('[providers.one]\nlike = "local"\n')
    catalogue = Catalogue(where, ["litellm", "one", "local"], {})
    catalogue.publish()
    assert [catalogue.slots(name) for name in ("litellm", "one", "local")] == [SEVERAL, 1, 1]


def emitted(server: Server) -> list[tuple[str, str]]:
    found = list[tuple[str, str]]()
    describe(local, config(server))
    local.answer(ASKED, config(server), lambda *one: found.append(one), lambda: False)
    return found


def test_llama_cpp_tells_how_much_of_the_prompt_it_has_read_and_no_other_server_is_asked_to() -> None:
    progress = [data({"choices": [], "prompt_progress": {"total": 90, "cache": 10, "processed": read, "time_ms": 5}})
                for read in (50, 90)]  # fmt: skip
    said = (event({"content": "Tea."}, "stop"), DONE)
    with Server(Answer((*progress, *said)), pages=LLAMA) as server:
        assert emitted(server) == [("read", "50/90"), ("read", "90/90"), ("text", "Tea.")]
        assert server.received[-1].body["return_progress"] is True
    with Server(Answer(said), pages=VLLM) as server:
        assert emitted(server) == [("text", "Tea.")] and "return_progress" not in server.received[-1].body


@pytest.mark.parametrize("path", ["", "/", " ", "/chat/completions", "/v1/models", "/v1/completions"])
@pytest.mark.parametrize("lists", [True, False])
def test_an_address_of_another_form_is_tried_with_v1(path: str, lists: bool) -> None:
    there = {"data": [{"id": "m", "max_model_len": 8192}]}
    pages = {"/v1/models": there} | ({"/models": {"error": "Unexpected endpoint"}} if lists else {})
    with Server(stream("fine"), stream("fine"), pages=pages) as server:
        bare = configure("local", {"LOCAL_API_BASE": f"{server.base}{path}"}, {})
        for _ in range(2):
            assert local.answer(ASKED, bare, lambda *_: None, lambda: False).text == "fine"
        assert local.describe(bare, "").window == 8192
        assert {one.path for one in server.received} == {"/v1/chat/completions"}


def test_an_address_without_a_path_stays_where_the_server_is_there() -> None:
    with Server(stream("fine"), pages={"/models": {"data": [{"id": "m"}]}}) as server:
        bare = configure("local", {"LOCAL_API_BASE": server.base}, {})
        assert local.answer(ASKED, bare, lambda *_: None, lambda: False).text == "fine"
        assert [one.path for one in server.received] == ["/chat/completions"]
