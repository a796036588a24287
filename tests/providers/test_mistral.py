"""The provider mistral: its request as its documents have it, and the forms of an answer that are its own."""

from __future__ import annotations

import base64

from exhibited import pdf, png, wav
from loopback import DONE, Answer, Server, data, event, stream

from dotagent.providers import Completion, Exhibit, Prompt, Seen, Usage, configure, describe, load, mistral

KEY = "0123456789abcdefghijABCDEFGHIJ01"
LIFE = "9f8e7d6c5b4a9f8e7d6c5b4a9f8e7d6c"
MESSAGES = ({"role": "system", "content": "be"}, {"role": "user", "content": "Tea?"})


def ask(server: Server, asked: Prompt, **settings: object) -> Completion:
    given = {"MISTRAL_API_KEY": KEY, "MISTRAL_API_BASE": f"{server.base}/v1"}
    return mistral.answer(asked, configure("mistral", given, settings), lambda *_: None, lambda: False)


def test_without_a_key_it_says_where_to_get_one() -> None:
    assert load("mistral").why_not(configure("mistral", {"MISTRAL_API_KEY": KEY}, {})) is None
    assert "https://console.mistral.ai" in str(mistral.why_not(configure("mistral", {}, {})))


def test_nothing_is_sent_that_it_would_refuse() -> None:
    """`stream_options` and `max_completion_tokens` are answered by 422; the usage comes unasked."""
    with Server(stream("Tea")) as server:
        reply = ask(server, Prompt("m", MESSAGES, {}, LIFE), temperature=0.5, max_tokens=7, effort="high")
        ask(server, Prompt("m", MESSAGES, {}, LIFE), prompt_cache_key=True)
    assert server.received[0].body == {
        "model": "m",
        "messages": list(MESSAGES),
        "stream": True,
        "temperature": 0.5,
        "max_tokens": 7,
        "reasoning_effort": "high",
    }
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.received[1].body["prompt_cache_key"] == LIFE  # at its own address without a setting
    assert reply.text == "Tea" and reply.usage == Usage(100, 64, 9, 4)


def test_a_picture_a_pdf_and_a_sound_in_its_own_forms() -> None:
    shown = tuple(
        Exhibit(4, kind, type, base64.b64encode(file).decode(), f"cat.{type[-3:]}")
        for kind, type, file in (
            ("image", "image/png", png(3, 4)),
            ("pdf", "application/pdf", pdf()),
            ("sound", "audio/wav", wav()),
        )
    )
    with Server(stream("Tea")) as server:
        ask(server, Prompt("m", MESSAGES, {}, shown={1: shown}))
    picture, paper, song = shown
    assert server.received[0].body["messages"][1]["content"] == [  # type: ignore[index]
        {"type": "text", "text": "Tea?"},
        {"type": "image_url", "image_url": {"url": picture.url}},
        {"type": "document_url", "document_url": paper.url, "document_name": "cat.pdf"},
        {"type": "input_audio", "input_audio": song.data},
    ]


def test_what_it_thinks_and_says_comes_as_lists_of_pieces() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}, {"type": "text", "text": "m."}]}
    answer = Answer(
        (
            event({"role": "assistant", "content": [thought]}),
            event({"content": [{"type": "reference", "reference_ids": [1]}, {"type": "text", "text": "Te"}]}),
            event({"content": "a."}),
            data({"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "stop"}],
                  "usage": {"prompt_tokens": 20, "completion_tokens": 8, "total_tokens": 28}}),
            DONE,
        )
    )  # fmt: skip
    with Server(answer) as server:
        reply = ask(server, Prompt("m", MESSAGES))
    assert reply == Completion("Tea.", "Hmm.", "stop", Usage(20, 0, 8))


def test_its_list_tells_the_window_and_what_a_model_sees() -> None:
    listed = [
        {"id": "m", "type": "base", "max_context_length": 262_144, "capabilities": {"vision": True, "audio": False}},
        {"id": "deaf", "type": "base", "max_context_length": 32_768, "capabilities": {"vision": False, "audio": False}},
        {"id": "ear", "type": "base", "max_context_length": 32_768, "capabilities": {"vision": False, "audio": True}},
    ]
    with Server(pages={"/v1/models": {"object": "list", "data": listed}}) as server:
        config = configure("mistral", {"MISTRAL_API_KEY": KEY, "MISTRAL_API_BASE": f"{server.base}/v1"}, {})
        seen = [describe(mistral, config, one) for one in ("m", "deaf", "ear", mistral.MODEL)]
    assert seen[:3] == [Seen("m", 262_144), Seen("deaf", 32_768), Seen("ear", 32_768)]
    assert [one.sees for one in seen] == ["image pdf", "", "sound", None]
    assert seen[3] == Seen("mistral-medium-latest", 256_000)
