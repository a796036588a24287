"""The provider deepseek: what it needs, and that its answer comes over the wire."""

from __future__ import annotations

from loopback import USAGE, Server, stream

from dotagent.providers import Config, Prompt, Usage, configure, deepseek, load, window


def test_it_is_found_by_its_name_and_reads_its_variables() -> None:
    config = configure("deepseek", {"DEEPSEEK_API_KEY": "k"}, {})
    assert config == Config("k", "https://api.deepseek.com", None, {})
    assert load("deepseek").why_not(config) is None
    assert deepseek.MODEL == "deepseek-v4-pro"


def test_without_a_key_it_says_what_to_set() -> None:
    problem = deepseek.why_not(configure("deepseek", {}, {}))
    assert problem is not None
    assert "DEEPSEEK_API_KEY" in problem
    assert "https://platform.deepseek.com/api_keys" in problem


def test_an_answer_with_its_reasoning_and_cache_hits() -> None:
    seen = list[tuple[str, str]]()
    with Server(stream("Tea", reasoning=("Hm",))) as server:
        environ = {"DEEPSEEK_API_KEY": "k", "DEEPSEEK_API_BASE": server.base + "/v1/"}
        request = Prompt("deepseek-v4-pro", ({"role": "user", "content": "Tea?"},), {}, "ab")
        reply = deepseek.answer(
            request,
            configure("deepseek", environ, {}),
            lambda channel, delta: seen.append((channel, delta)),
            lambda: False,
        )
    assert (reply.text, reply.reasoning) == ("Tea", "Hm")
    assert reply.usage == Usage(100, 64, 9, 4)
    assert reply.usage.input == USAGE["prompt_tokens"]
    assert seen == [("reasoning", "Hm"), ("text", "Tea")]
    assert server.received[0].path == "/v1/chat/completions"
    assert server.received[0].body == {
        "model": "deepseek-v4-pro",
        "messages": [{"role": "user", "content": "Tea?"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_its_windows() -> None:
    assert window(deepseek.WINDOW, "deepseek-v4-pro") == 1_000_000
    assert window(deepseek.WINDOW, "some-other") == 128_000
