"""Options and native calls through software that nobody here wrote: LiteLLM's proxy, which reads each format strictly
and translates it for a backend of another one.

Runs where the program is installed (`pip install 'litellm[proxy]'`, in a venv of its own if you like: DOTAGENT_LITELLM
is its path), and in the night: `.ci/real` installs it so.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import calling
import pytest
from exhibited import png
from loopback import Received, Server, closed_port, stream
from responding import responding
from support import PATIENCE, until

from dotagent import extensions, providers, tools
from dotagent.providers import Exhibit, Prompt, ProviderError, Seen
from dotagent.text import grammar, native, partial_reply

PROGRAM = os.environ.get("DOTAGENT_LITELLM") or shutil.which(
    "litellm", path=f"{Path(sys.executable).parent}:{os.defpath}"
)
KEY = "sk-proxy-0123456789"
SAID = (
    "Let me look.",
    [("READ_FILE", {"argument": "notes/plan.md 1-8"}), ("SAY", {"room": "dev", "text": 'Hi "Ana" 😀\n◱ é'})],
)
CONFIG = """
model_list:
  - model_name: talker
    litellm_params: {{model: hosted_vllm/m, api_key: none, api_base: "{base}/v1"}}
    model_info: {{max_input_tokens: 77000, supports_vision: true}}
general_settings: {{master_key: {key}}}
litellm_settings: {{drop_params: false, telemetry: false}}
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PROGRAM, reason="litellm is not installed"),
    pytest.mark.xdist_group("litellm"),
]


def backend(received: Received) -> object:
    """A server of chat and Responses: it calls tools where it has some."""
    if received.path.endswith("/responses"):
        return calling.responses(*SAID) if received.body.get("tools") else responding("All is well.")
    return calling.chat(*SAID) if received.body.get("tools") else stream("All is well.")


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Server]]:
    """The proxy's address, and the backend behind it."""
    where, port = tmp_path_factory.mktemp("litellm"), closed_port()
    with Server(backend) as server:  # type: ignore[arg-type]
        (where / "config.yaml").write_text(CONFIG.format(base=server.base, key=KEY))
        words = [str(PROGRAM), "--config", str(where / "config.yaml"), "--host", "127.0.0.1", "--port", str(port)]
        env = {**os.environ, "HOME": str(where), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        with (where / "log").open("wb") as log:
            child = subprocess.Popen(words, env=env, stdout=log, stderr=log, cwd=where)
        try:
            base = f"http://127.0.0.1:{port}"
            until(lambda: child.poll() is not None or answers(f"{base}/health/liveliness"), where, times=5)
            assert child.poll() is None, (where / "log").read_text()[-2000:]
            yield base, server
        finally:
            child.terminate()
            child.wait(PATIENCE)


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as found:
            return bool(found.status == 200)
    except (urllib.error.URLError, OSError):
        return False


CASES: list[tuple[str, dict[str, object], dict[str, object]]] = [  # what we say, and what the backend must be asked
    ("local", {"temperature": 0.25, "max_tokens": 300}, {"temperature": 0.25, "max_tokens": 300}),
    ("openai", {"wire": "chat", "temperature": 0.25, "max_tokens": 300}, {"temperature": 0.25}),
    (
        "openai",
        {"wire": "responses", "temperature": 0.25, "max_tokens": 300},
        {"temperature": 0.25, "max_output_tokens": 300},
    ),
    ("anthropic", {"max_tokens": 300}, {"max_tokens": 300}),
]


@pytest.mark.parametrize(("like", "settings", "asked"), CASES)
@pytest.mark.parametrize("own", [False, True], ids=["text", "native"])
def test_what_is_asked_arrives_and_what_comes_is_read(
    proxy: tuple[str, Server], like: str, settings: dict[str, object], asked: dict[str, object], own: bool
) -> None:
    base, server = proxy
    mine = {"like": like, "base": base if like == "anthropic" else f"{base}/v1", "key": "PROXY_KEY"}
    config = providers.configure("proxy", {"PROXY_KEY": KEY}, {**mine, **settings})
    schemas = native.decode(tools.schemas()) if own else ()
    talk = ({"role": "system", "content": "be"}, {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "READ_FILE a"}, {"role": "user", "content": "and?"})  # fmt: skip
    begun, seen = len(server.received), list[str]()
    prompt = Prompt("talker", talk, {}, "ab", tools=schemas)  # type: ignore[arg-type]
    reply = providers.load(like).answer(prompt, config, lambda channel, text: seen.append(text), lambda: False)
    (body,) = (one.body for one in server.received[begun:])
    assert asked.items() <= body.items()
    said = body.get("messages") or [{"content": body["instructions"]}, *body["input"]]  # type: ignore[misc]
    assert "READ_FILE a" in str(said[2]) and len(said) == 4  # type: ignore[index, arg-type]
    if not own:
        assert reply.text == "All is well." == "".join(seen) and "tools" not in body
        return
    named = [one.get("function", one)["name"] for one in body["tools"]]  # type: ignore[attr-defined]
    assert named == [one["name"] for one in schemas] and set(named) == set(extensions.tools().forms)
    first, say = grammar.read(reply.text, extensions.tools()).calls
    assert (first.name, first.args) == ("READ_FILE", "notes/plan.md 1-8")
    assert (say.name, say.args, (say.body or "").strip()) == ("SAY", "dev", 'Hi "Ana" 😀\n◱ é')
    assert partial_reply.spoken("".join(seen), extensions.tools(), "dev", waking=True) == 'Hi "Ana" 😀\n◱ é'


@pytest.mark.parametrize(("like", "settings"), [
    ("local", {}), ("openai", {"wire": "chat"}), ("openai", {"wire": "responses"}), ("anthropic", {}),
])  # fmt: skip
def test_a_picture_arrives_in_whatever_form_it_is_shown(
    proxy: tuple[str, Server], like: str, settings: dict[str, object]
) -> None:
    base, server = proxy
    mine = {"like": like, "base": base if like == "anthropic" else f"{base}/v1", "key": "PROXY_KEY"}
    config = providers.configure("proxy", {"PROXY_KEY": KEY}, {**mine, **settings})
    cat = Exhibit(2, "image", "image/png", base64.b64encode(png(30, 40)).decode(), "cat.png")
    talk = ({"role": "system", "content": "be"}, {"role": "user", "content": "hi, what is it?"})
    begun = len(server.received)
    prompt = Prompt("talker", talk, {}, "ab", shown={1: (cat,)})  # type: ignore[arg-type]
    reply = providers.load(like).answer(prompt, config, lambda *_: None, lambda: False)
    assert reply.text == "All is well."
    (body,) = (one.body for one in server.received[begun:])
    said = (body.get("messages") or body["input"])[-1]["content"]  # type: ignore[index]
    first, middle, last = (one["type"].removeprefix("input_") for one in said)
    assert (first, last) == ("text", "text") and middle in ("image", "image_url")
    assert cat.data in json.dumps(said[1]) and (said[0]["text"], said[2]["text"]) == ("hi", ", what is it?")


def test_the_window_of_a_model_behind_it_and_what_it_sees_are_told(proxy: tuple[str, Server]) -> None:
    for like, sees in (("local", "image"), ("openai", None)):
        mine = {"like": like, "base": f"{proxy[0]}/v1", "key": "PROXY_KEY"}
        config = providers.configure("proxy", {"PROXY_KEY": KEY}, mine)
        seen = providers.describe(providers.load(like), config, "talker")
        assert (seen, seen.sees, seen.alone) == (Seen("talker", 77_000), sees, False)


def test_a_wrong_key_is_told_as_one(proxy: tuple[str, Server]) -> None:
    mine = {"like": "local", "base": f"{proxy[0]}/v1", "key": "PROXY_KEY"}
    config = providers.configure("proxy", {"PROXY_KEY": "sk-another-0123456789"}, mine)
    with pytest.raises(ProviderError, match="refuses the key in PROXY_KEY"):
        providers.describe(providers.load("local"), config, "talker")
