"""A piece of a stream that holds no part of an answer never spoils the pieces beside it."""

from __future__ import annotations

import json

import generated
import messaging
import ollama_lines
import pytest
import responding
from hypothesis import given
from hypothesis import strategies as st
from loopback import DONE, Answer, Received, Server, event, refusal

from dotagent import providers
from dotagent.providers import Completion, Config, Prompt, ProviderError, gemini
from dotagent.providers.formats import generate_content

ASKED = Prompt("m", ({"role": "system", "content": "be"}, {"role": "user", "content": "hi"}))
WHOLE = {
    "deepseek": (event({"content": "one "}), event({"content": "two"}), event({}, finish="stop"), DONE),
    "anthropic": (
        messaging.start(),
        messaging.delta(type="text_delta", text="one "),
        messaging.delta(type="text_delta", text="two"),
        messaging.end(),
        messaging.STOP,
    ),
    "openai": (responding.text("one "), responding.text("two"), responding.ended()),
    "gemini": generated.stream("one ", "two").pieces,
    "ollama": ollama_lines.stream("one ", "two").pieces,
}
NO_PART = ["null", "[]", "[1, 2]", '"ping"', "17", "true", "ping", "{}", '{"type": "ping"}', '{"type": "response.new"}',
           '{"choices": null}', '{"choices": [null, 1]}', '{"choices": [{"delta": null}]}', '{"message": 3}',
           '{"choices": [{"delta": {"tool_calls": [null, "x", {"function": 3}]}}]}', '{"candidates": ["x"]}',
           '{"candidates": [{"content": {"parts": [null, {"text": 7}]}}]}', '{"type": "content_block_delta"}',
           '{"type": "content_block_start", "index": {}, "content_block": []}', '{"usage": "much"}',
           '{"type": "response.output_item.added", "item": [1]}', '{"usageMetadata": []}']  # fmt: skip


def answered(name: str, pieces: list[bytes | str]) -> Completion:
    """What comes of these pieces."""
    headers = ollama_lines.NDJSON if name == "ollama" else {"content-type": "text/event-stream"}
    with Server(Answer(tuple(pieces), headers=headers), pages={"/api/show": {"model_info": {}}}) as server:
        given = {"OPENAI_API_KEY": "k"} if name == "openai" else {}
        wire = {"wire": "responses"} if name == "openai" else {}
        config = Config("k", server.base, None, {"stall": 5, **wire}, given)
        if name == "gemini":  # its own format
            post = generate_content.request(ASKED, config, gemini.PLACE, server.base)
            return generate_content.ask(post, lambda channel, text: None, lambda: False)
        return providers.load(name).answer(ASKED, config, lambda channel, text: None, lambda: False)


@pytest.mark.slow
@given(st.sampled_from(sorted(WHOLE)), st.lists(st.tuples(st.integers(0, 4), st.sampled_from(NO_PART)), max_size=4))
def test_pieces_without_a_part_of_the_answer_are_passed_over(name: str, odd: list[tuple[int, str]]) -> None:
    pieces = list(WHOLE[name])
    for at, text in odd:
        piece = f"{text}\n".encode() if name == "ollama" else f"data: {text}\n\n".encode()
        pieces.insert(min(at, len(pieces) - 1), piece)
    found = answered(name, pieces)
    assert (found.text, found.finish) == ("one two", "stop")


@pytest.mark.parametrize("name", ["deepseek", "gemini", "ollama"])
def test_an_answer_without_one_object_is_an_error(name: str) -> None:
    for text in ("<html>", "[]"):
        with pytest.raises(providers.ProviderError, match="sent something that is not"):
            answered(name, [f"{text}\n".encode() if name == "ollama" else f"data: {text}\n\n".encode(), DONE])


def test_a_model_that_ollama_cannot_show_hides_no_other() -> None:
    models = [{"model": "new:8b", "modified_at": "2026-11-01T00:00:00Z"}, {"model": 7}, None, {"name": "old:8b"}]

    class Broken(Server):
        """Shows all models but one."""

        def told(self, received: Received) -> Answer | None:
            """What it says of a model."""
            if received.path == "/api/show" and received.body["model"] == "new:8b":
                return refusal(500, "invalid manifest")
            return super().told(received)

    with Broken(pages=ollama_lines.pages(models=models)) as server:
        assert providers.describe(providers.load("ollama"), Config("", server.base), "").model == "old:8b"


@pytest.mark.parametrize("name", ["application/json", "text/plain", "text/event-stream"])
def test_what_an_answer_begins_with_decides_and_not_its_name(name: str) -> None:
    body = json.dumps({"choices": [{"message": {"content": "one two"}, "finish_reason": "stop"}]}).encode()
    for pieces in (WHOLE["deepseek"], (body,), (b"\n\n", body[:3], body[3:])):
        with Server(Answer(tuple(pieces), headers={"content-type": name})) as server:
            config = Config("k", server.base, None, {"stall": 5}, {})
            reply = providers.load("deepseek").answer(ASKED, config, lambda *_: None, lambda: False)
        assert reply.text == "one two"


def test_lines_of_json_without_a_name_are_pieces_too() -> None:
    sent = [piece for piece in WHOLE["deepseek"][:-1] if isinstance(piece, bytes)]
    bare = [piece.replace(b"data: ", b"").replace(b"\n\n", b"\n") for piece in sent]
    assert answered("deepseek", [*bare]).text == "one two"
    assert answered("deepseek", [WHOLE["deepseek"][0], *bare[1:]]).text == "one two"


def test_an_error_as_a_line_of_json_is_told() -> None:
    with pytest.raises(ProviderError, match="the upstream died"):
        answered("deepseek", [WHOLE["deepseek"][0], b'{"error": {"message": "the upstream died"}}\n'])
