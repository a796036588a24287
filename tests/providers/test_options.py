"""Options and servers of one's own, from settings to what a server is sent: real providers, workers and agents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from alive import Alive, a_home, hears, say
from loopback import Server, refusal, stream
from messaging import stream as messaging
from ollama_lines import pages as ollama_pages
from ollama_lines import stream as lines
from responding import responding
from support import make_home, run, until
from working import AGENT, serve, tells, text_of

from dotagent import providers
from dotagent.providers import Prompt, ProviderError
from dotagent.providers.server.worker import Worker
from dotagent.store import log, queue, requests
from dotagent.store.credentials import variable
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import Part

KEY = "sk-0123456789abcdef"
TALK = Prompt("m", ({"role": "user", "content": "hi"},))
CHAT, RESPONSES, MESSAGES, OLLAMA = stream("yo"), responding("yo"), messaging("yo"), lines("yo")


@pytest.mark.parametrize(
    ("name", "answer", "settings", "sent"),
    [
        ("deepseek", CHAT, {"temperature": 0.2, "max_tokens": 9, "effort": "max", "thinking": True},
         {"temperature": 0.2, "max_tokens": 9, "reasoning_effort": "max", "thinking": {"type": "enabled"}}),
        ("deepseek", CHAT, {"thinking": False}, {"thinking": {"type": "disabled"}}),
        ("gemini", CHAT, {"thinking": 500, "effort": "low"}, {"reasoning_effort": "low", "extra_body": {
            "google": {"thinking_config": {"include_thoughts": True, "thinking_budget": 500}}}}),
        ("openrouter", CHAT, {"effort": "low", "max_tokens": 9, "routing": {"sort": "price"}},
         {"reasoning": {"effort": "low"}, "max_tokens": 9, "provider": {"sort": "price"}, "reasoning_effort": None}),
        ("openrouter", CHAT, {"thinking": 800}, {"reasoning": {"max_tokens": 800}, "provider": None}),
        ("openai", CHAT, {"wire": "chat", "temperature": 1, "max_tokens": 9, "effort": "low"},
         {"temperature": 1, "max_completion_tokens": 9, "max_tokens": None, "reasoning_effort": "low"}),
        ("openai", RESPONSES, {"wire": "responses", "temperature": 1, "max_tokens": 9, "effort": "low"},
         {"temperature": 1, "max_output_tokens": 9, "reasoning": {"effort": "low"}}),
        ("anthropic", MESSAGES, {"max_tokens": 900}, {"max_tokens": 900}),
        ("local", CHAT, {"temperature": 0, "max_tokens": 9}, {"temperature": 0, "max_tokens": 9}),
        ("ollama", OLLAMA, {"temperature": 0, "max_tokens": 9, "think": "low"},
         {"options": {"temperature": 0, "num_predict": 9, "num_ctx": 4096}, "think": "low"}),
    ],
)  # fmt: skip
def test_each_provider_asks_in_its_own_words(name, answer, settings, sent) -> None:  # type: ignore[no-untyped-def]
    pages = ollama_pages() if name == "ollama" else {}
    with Server(answer, pages=pages) as server:
        given = {variable(name, "API_KEY"): KEY, variable(name, "API_BASE"): server.base}
        config = providers.configure(name, given, {"window": 4096, **settings})
        assert providers.load(name).answer(TALK, config, lambda *_: None, lambda: False).text == "yo"
        body = server.received[0].body
    assert {key: body.get(key) for key in sent} == sent


def placed(where: Home, provider: str, model: str = "", **params: object) -> Call:
    number = len(list(where.blobs.rglob("*")))
    body = requests.encode(AGENT, model, params, "", 0, [Part("user", f"{number} hello")])
    call = Call(
        where.store().put(body, at=f"2026-01-01T00:00:00.{number:06}Z", gist="r"), AGENT, provider, "live", "dev"
    )
    queue.place(where, call)
    return call


def test_a_request_is_answered_by_its_own_options_and_no_others(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    (where.root / "dotagent.toml").write_text('[providers.deepseek]\ntemperature = 1\neffort = "low"\n')
    with Server(stream("hi")) as server:
        worker = Worker(where, ["deepseek"], {"DEEPSEEK_API_KEY": KEY, "DEEPSEEK_API_BASE": server.base})
        strange = {"temperature": 0.5, "routing": {}, "wire": "responses", "effort": 3}
        serve(worker, placed(where, "deepseek", options=strange))
        serve(worker, placed(where, "deepseek"))
        names = ("temperature", "reasoning_effort")
        mine, usual = ({name: one.body.get(name) for name in names} for one in server.received)
    assert mine == {"temperature": 0.5, "reasoning_effort": None}  # what no provider of ours would ask is passed over
    assert usual == {"temperature": 1, "reasoning_effort": "low"}  # an earlier version's request


# --- servers of one's own


SETTINGS = """
[providers.one]
like = "openai"
wire = "chat"
base = "{0}/one?api-version=2026-01-01"
key = "KEY_OF_ONE"
header = "api-key"
model = "gpt-5-mini"
max_tokens = 7
[providers.two]
like = "openai"
wire = "chat"
base = "{0}/two"
max_tokens = 7
[providers.three]
like = "anthropic"
base = "{0}/three"
"""


def test_several_servers_of_one_protocol_at_once_each_with_its_key(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    listed = {"data": [{"id": "llama", "context_window": 9_000}, {"id": "whisper"}]}
    keys = {"KEY_OF_ONE": "sk-one-0123456789", "TWO_API_KEY": "sk-two-0123456789", "THREE_API_KEY": "sk-three-0123456"}
    answers = {"one": stream("I am one"), "two": stream("I am two"), "three": messaging("I am three")}
    with Server(lambda one: answers[one.path.split("/")[1]], pages={"/two/models": listed}) as server:
        (where.root / "dotagent.toml").write_text(SETTINGS.format(server.base))
        worker = Worker(where, ["one", "two", "three"], keys)
        worker.catalogue.publish()
        calls = [placed(where, "one"), placed(where, "two", "llama"), placed(where, "three", "claude-opus-5")]
        assert [text_of(where, one) for one in serve(worker, *calls)] == ["I am one", "I am two", "I am three"]
        found = {one.path.split("/")[1]: one for one in server.received}
        (lost,) = serve(worker, placed(where, "two"))
        tells(where, "two", windows={"llama": 9_000})
        one, two, three = (found[name] for name in ("one", "two", "three"))
    assert one.path == "/one/chat/completions?api-version=2026-01-01"
    assert one.headers["api-key"] == "sk-one-0123456789" and "authorization" not in one.headers
    assert one.body["model"] == "gpt-5-mini" and one.body["max_completion_tokens"] == 7
    assert two.headers["authorization"] == "Bearer sk-two-0123456789" and two.body["max_tokens"] == 7
    assert three.path == "/three/v1/messages" and three.headers["x-api-key"] == "sk-three-0123456"
    assert lost.kind == "missing" and "[providers.two]" in lost.hint and "llama, whisper" in lost.hint
    assert not any(key in (where.calls / "providers.json").read_text() for key in keys.values())


def test_what_is_missing_is_named_as_the_person_named_it() -> None:
    config = providers.configure(
        "groq", {}, {"like": "openai", "base": "https://x", "key": "GROQ_API_KEY", "page": "https://p"}
    )
    hint = providers.load("openai").why_not(config)
    assert hint is not None and hint.startswith("GROQ_API_KEY is not set") and "https://p" in hint
    azure = providers.configure(
        "azure", {"AZURE_OPENAI_API_KEY": KEY}, {"like": "openai", "base": "", "key": "AZURE_OPENAI_API_KEY"}
    )
    assert "base under [providers.azure] must be an address" in str(providers.load("openai").why_not(azure))
    with pytest.raises(ProviderError, match="there is no provider 'work'"):
        providers.configure("work", {}, {})


@pytest.mark.parametrize("like", ["anthropic", "openai", "gemini", "local"])
def test_a_server_of_ones_own_is_asked_without_a_key(like: str) -> None:
    with Server(refusal(401, "no key")) as server:
        config = providers.configure("gate", {}, {"like": like, "base": f"{server.base}/v1", "window": 4096})
        assert providers.load(like).why_not(config) is None
        with pytest.raises(ProviderError, match=r"gate requires a key \(HTTP 401\): put the key into GATE_API_KEY"):
            providers.load(like).answer(TALK, config, lambda *_: None, lambda: False)
        sent = server.received[-1].headers
    assert not {"authorization", "x-api-key", "x-goog-api-key"} & {*sent}


def test_a_known_service_and_a_gateway_with_another_format_differ() -> None:
    named = {"like": "anthropic", "base": "http://127.0.0.1:4000"}
    assert providers.load("anthropic").why_not(providers.configure("litellm", {}, named)) is None
    assert "ANTHROPIC_API_KEY is not set" in str(
        providers.load("anthropic").why_not(providers.configure("anthropic", {}, {}))
    )


TWO = """
provider = "one"
context_limit = 64000
[providers.one]
like = "local"
base = "{0}"
key = "ONE_KEY"
model = "big"
window = 64000
temperature = 0.5
models = {{ bi = {{ temperature = 0.25 }} }}
[providers.two]
like = "deepseek"
base = "{1}"
[background]
provider = "two"
model = "small"
thinking = false
max_tokens = 500
"""


@pytest.mark.slow
def test_an_agent_and_its_background_by_two_servers_with_the_options_of_each() -> None:
    with a_home() as where, Server(stream("from one")) as one, Server(stream("[]")) as two:
        (where.root / "dotagent.toml").write_text(TWO.format(one.base, two.base))
        alive = Alive(where, ONE_KEY="sk-one-0123456789", TWO_API_KEY="sk-two-0123456789")
        for number in range(1, 7):
            say(where, f"{number}: " + "what did I say about the garden, the fence and the old pear tree? " * 14)
            hears(where, "from one", number)
        (where.agent(alive.id) / "run/fade").touch()
        say(where, "and now?")
        asked = until(lambda: two.received and two.received[0], where.calls)
        assert asked.headers["authorization"] == "Bearer sk-two-0123456789"
        assert (asked.body["model"], asked.body["max_tokens"], asked.body["thinking"]) == (
            "small",
            500,
            {"type": "disabled"},
        )
        assert "temperature" not in asked.body
        last = one.received[-1]
        assert last.headers["authorization"] == "Bearer sk-one-0123456789"
        assert (last.body["model"], last.body["temperature"]) == ("big", 0.25)
        call = next(line.id for line in log.lines(where.agent(alive.id) / "LIFE.md") if line.event == "SEGMENT")
        shown = json.loads(run(where, "-m", "dotagent", "prompt", "--call", call, "--json").stdout)
        assert shown["params"]["options"] == {"thinking": False, "max_tokens": 500}
        alive.end()
        told = run(where, "-m", "dotagent", "providers", "one", "two", "--json").stdout
        rows = {row["name"]: row for row in map(json.loads, told.strip().split("\n"))}
        assert rows["one"]["options"] == {"": {"temperature": 0.25}}
        assert rows["two"]["options"] == {"background": {"thinking": False, "max_tokens": 500}}
