"""The provider openai: its requests by both formats compared whole, which model takes which, and its credentials."""

from __future__ import annotations

from pathlib import Path

import pytest
from loopback import USAGE, Answer, Received, Server, refusal, stream
from responding import responding
from support import environment, files, make_home, together, until

from dotagent.providers import Completion, Prompt, ProviderError, Usage, configure, load, openai, window
from dotagent.providers.formats import responses
from dotagent.store import disk, launch, queue, requests
from dotagent.store.queue import Call
from dotagent.store.requests import Part

KEY = "sk-0123456789abcdef"
LIFE = "9f8e7d6c5b4a9f8e7d6c5b4a9f8e7d6c"
MESSAGES = ({"role": "system", "content": "be"}, {"role": "user", "content": "Tea?"})
ELSEWHERE = refusal(404, "This model is only supported in v1/responses and not in v1/chat/completions.", code=None)


def ask(
    server: Server, model: str = "gpt-5.2", settings: dict[str, object] | None = None, **environ: str
) -> Completion:
    given = {f"OPENAI_{name}": value for name, value in (environ or {"API_KEY": KEY}).items()}
    config = configure("openai", {"OPENAI_API_BASE": f"{server.base}/v1", **given}, settings or {})
    assert openai.why_not(config) is None
    asked = Prompt(model, MESSAGES, {"max_tokens": 7}, LIFE)
    return openai.answer(asked, config, lambda channel, delta: None, lambda: False)


def paths(server: Server) -> list[str]:
    return [one.path.removeprefix("/v1") for one in server.received]


def test_a_chat_request_is_what_the_documentation_asks_for() -> None:
    with Server(stream("Tea")) as server:
        reply = ask(server, API_KEY=KEY, ORGANIZATION="org-1", PROJECT="proj_1")
    received = server.received[0]
    assert received.path == "/v1/chat/completions"
    assert {
        name: received.headers.get(name) for name in ("authorization", "openai-organization", "openai-project")
    } == {
        "authorization": f"Bearer {KEY}",
        "openai-organization": "org-1",
        "openai-project": "proj_1",
    }
    assert received.body == {
        "model": "gpt-5.2",
        "messages": list(MESSAGES),
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens": 7,
    }
    assert reply.text == "Tea"
    assert reply.usage == Usage(USAGE["prompt_tokens"], 64, 9, 4)


def test_a_responses_request_is_what_the_documentation_asks_for() -> None:
    with Server(responding("Tea", reasoning=("Hm",))) as server:
        assert ask(server, "gpt-5-pro") == Completion("Tea", "Hm", "stop", Usage(100, 64, 9, 4, written=25))
    received = server.received[0]
    assert received.path == "/v1/responses"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert "openai-organization" not in received.headers
    assert received.body == {
        "model": "gpt-5-pro",
        "instructions": "be",
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Tea?"}]}],
        "stream": True,
        "store": False,
        "max_output_tokens": 7,
    }


def test_the_caches_name_is_sent_to_who_is_known_to_take_it_or_as_the_setting_says() -> None:
    """Who passes requests on to others answers 400 to a parameter that these do not know."""

    def key(base: str, **settings: object) -> object:
        config = configure("openai", {"OPENAI_API_KEY": KEY, "OPENAI_API_BASE": base}, settings)
        return responses.cache_key(Prompt("m", MESSAGES, {}, LIFE), config, openai.BASE).get("prompt_cache_key")

    assert key("") == key("https://api.openai.com/v1/") == LIFE
    assert key("http://127.0.0.1:4000/v1") is key("https://api.openai.com.example/v1") is None
    assert key("http://127.0.0.1:4000/v1", prompt_cache_key=True) == LIFE
    assert key("", prompt_cache_key=False) is None
    with Server(stream("x"), responding("x")) as server:
        for wire in ("chat", "responses"):
            ask(server, settings={"wire": wire, "prompt_cache_key": True})
        assert [one.body.get("prompt_cache_key") for one in server.received] == [LIFE, LIFE]


def test_settings_that_ask_for_more() -> None:
    more: dict[str, object] = {"effort": "low", "summary": "auto", "prompt_cache_retention": "24h"}
    with Server(stream("x"), responding("x")) as server:
        ask(server, settings=more)
        ask(server, settings={**more, "wire": "responses"})
    bodies = [one.body for one in server.received]
    assert [body["prompt_cache_retention"] for body in bodies] == ["24h", "24h"]
    assert bodies[0]["reasoning_effort"] == "low"
    assert bodies[1]["reasoning"] == {"effort": "low", "summary": "auto"}


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("gpt-5.2", "/chat/completions"),
        ("gpt-5-mini", "/chat/completions"),
        ("gpt-4.1", "/chat/completions"),
        ("o3", "/chat/completions"),
        ("gpt-5-promo", "/chat/completions"),
        ("o1-pro", "/responses"),
        ("o3-pro-2025-06-10", "/responses"),
        ("gpt-5.2-pro", "/responses"),
        ("gpt-5-codex", "/responses"),
        ("gpt-5.1-codex-max", "/responses"),
        ("codex-mini-latest", "/responses"),
        ("o4-mini-deep-research-2025-06-26", "/responses"),
        ("computer-use-preview", "/responses"),
    ],
)
def test_which_model_needs_which_format(model: str, path: str) -> None:
    with Server(lambda got: responding("x") if got.path.endswith("responses") else stream("x")) as server:
        ask(server, model)
        ask(server, model, {"wire": "chat"})
        ask(server, model, {"wire": "responses"})
    assert paths(server) == [path, "/chat/completions", "/responses"]


@pytest.mark.parametrize(
    "no",
    [ELSEWHERE, refusal(404, "This is not a chat model and thus not supported in the v1/chat/completions endpoint.")],
)
def test_a_model_that_is_refused_as_a_chat_model_is_asked_otherwise_and_that_is_remembered(no: Answer) -> None:
    with Server(lambda got: responding("x") if got.path.endswith("responses") else no) as server:
        assert ask(server, "gpt-next").text == ask(server, "gpt-next").text == "x"
    assert paths(server) == ["/chat/completions", "/responses", "/responses"]


def test_it_is_not_asked_otherwise_where_the_setting_says_chat_or_the_refusal_is_another() -> None:
    with Server(ELSEWHERE) as server:
        with pytest.raises(ProviderError, match=r"only supported in v1/responses"):
            ask(server, "gpt-other", {"wire": "chat"})
        with pytest.raises(ProviderError) as caught:
            ask(server, "gpt-other")
        assert caught.value.kind == "missing"
        assert paths(server) == ["/chat/completions", "/chat/completions", "/responses"]
    with Server(refusal(404, "The model `gpt-other` does not exist")) as server:
        with pytest.raises(ProviderError):
            ask(server, "gpt-other")
        assert paths(server) == ["/chat/completions"]


def test_a_token_of_a_file_is_read_anew_for_each_call_and_never_told(tmp_path: Path) -> None:
    path = tmp_path / "token"

    def answer(got: Received) -> Answer:
        return refusal(400, f"no {got.headers['authorization'].removeprefix('Bearer ')}")

    with Server(answer) as server:
        for token in ("plain-0123456789", "other-0123456789"):
            path.write_text(f"{token}\n")
            with pytest.raises(ProviderError, match=r"no \[key\]") as caught:
                ask(server, OAUTH_TOKEN_FILE=str(path))
            assert token not in caught.value.hint
    assert [one.headers["authorization"] for one in server.received] == [
        "Bearer plain-0123456789",
        "Bearer other-0123456789",
    ]


def test_a_refused_token_is_named_by_its_variable() -> None:
    with Server(refusal(401, f"Incorrect API key provided: {KEY}")) as server, pytest.raises(ProviderError) as caught:
        ask(server, OAUTH_ACCESS_TOKEN=KEY)
    assert caught.value.kind == "auth"
    assert "OPENAI_OAUTH_ACCESS_TOKEN" in caught.value.hint
    assert KEY not in caught.value.hint


@pytest.mark.parametrize(
    ("environ", "settings", "says"),
    [
        ({}, {}, "OPENAI_API_KEY is not set (nor OPENAI_OAUTH_ACCESS_TOKEN, OPENAI_OAUTH_TOKEN_FILE): get one at"),
        ({"API_KEY": KEY, "OAUTH_ACCESS_TOKEN": KEY}, {}, "OPENAI_API_KEY and OPENAI_OAUTH_ACCESS_TOKEN are set"),
        ({"API_KEY": "sk-..."}, {}, "OPENAI_API_KEY contains an example"),
        ({"OAUTH_TOKEN_FILE": "/none/such"}, {}, "/none/such cannot be read"),
        ({"API_KEY": KEY, "API_BASE": "api.openai.com"}, {}, "OPENAI_API_BASE must be"),
        ({"API_KEY": KEY, "PROJECT": "my project"}, {}, "OPENAI_PROJECT contains a space"),
        ({"CODEX_OAUTH_ACCESS_TOKEN": KEY}, {}, "OPENAI_API_KEY is not set"),
    ],
)
def test_what_is_wrong_with_a_configuration(environ: dict[str, str], settings: dict[str, object], says: str) -> None:
    given = {f"OPENAI_{name}": value for name, value in environ.items()}
    hint = load("openai").why_not(configure("openai", given, settings))
    assert hint is not None
    assert says in hint
    assert KEY not in hint


def test_its_windows_are_never_larger_than_the_truth() -> None:
    assert window(openai.WINDOW, openai.MODEL) == 922_000  # of 1,050,000, a prompt may have these
    assert window(openai.WINDOW, "gpt-5.2-chat-latest") == 128_000
    assert window(openai.WINDOW, "gpt-5.4-pro") == 922_000
    assert window(openai.WINDOW, "gpt-5.4-mini") == 272_000
    assert window(openai.WINDOW, "gpt-4-0613") == 8_192
    assert window(openai.WINDOW, "gpt-4o-mini") == 128_000
    assert window(openai.WINDOW, "o4-mini") == 200_000
    assert window(openai.WINDOW, "gpt-7") == window(openai.WINDOW, "") == 128_000


@pytest.mark.slow
def test_a_token_file_reaches_the_providers_process_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real process, born without it; the file is renewed between two calls; the home never holds the token."""
    where, path = make_home(tmp_path / "home"), tmp_path / "token"
    for name, value in environment(where).items():
        monkeypatch.setenv(name, value)

    def answered(text: str) -> str:
        request = requests.encode(LIFE, "", {}, "", 0, [Part("user", text)])
        id = where.store().put(request, at="2026-01-01T00:00:00.000000Z", gist="request")
        call = Call(id, LIFE, "openai")
        disk.make_dir(where.calls / "done" / LIFE)
        queue.place(where, call)
        done = until(lambda: queue.done(where, LIFE, id), where.calls / "done" / LIFE)
        return done.hint or where.store().get(done.reply).body.decode()

    with Server(stream("one"), refusal(400, "no second-0123456789")) as server:
        path.write_text("first-0123456789")
        given = {"OPENAI_OAUTH_TOKEN_FILE": str(path), "OPENAI_API_BASE": server.base, "OPENAI_PROJECT": "proj_1"}
        assert launch.choose(where, None, given) == "openai"
        together(lambda: launch.ensure(where, "openai", given))
        assert answered("hello") == "one"
        path.write_text("second-0123456789")
        assert "no [key]" in answered("and again")
    assert [one.headers["authorization"] for one in server.received] == [
        "Bearer first-0123456789",
        "Bearer second-0123456789",
    ]
    assert server.received[0].headers["openai-project"] == "proj_1"
    for file, data in files(where.root):
        assert b"-0123456789" not in data, file
    launch.stop(where, "openai")
    until(lambda: not launch.served(where, "openai"), where.calls)
