"""Gemini's own format: which requests take it, what they hold, and how its answer is read."""

from __future__ import annotations

import base64
import json

import pytest
from exhibited import pdf
from generated import piece, stream
from loopback import CUT, Answer, Server, data, refusal

from dotagent import tools
from dotagent.providers import Completion, Exhibit, Prompt, ProviderError, Usage, configure, gemini
from dotagent.text import native

KEY = "AIzaSyA0123456789abcdef"
PLAN = Exhibit(5, "pdf", "application/pdf", base64.b64encode(pdf()).decode(), "plan.pdf", 560)
ASKED = Prompt(
    "gemini-3.8-flash",
    (
        {"role": "system", "content": "be"},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "ho"},
        {"role": "user", "content": "a PDF\n\nwell?"},
    ),
    {},
    "ab",
    shown={3: (PLAN,)},
)


def ask(server: Server, asked: Prompt = ASKED, **settings: object) -> Completion:
    config = configure("gemini", {"GEMINI_API_KEY": KEY, "GEMINI_API_BASE": f"{server.base}/v1beta/openai/"}, settings)
    return gemini.answer(asked, config, lambda channel, delta: None, lambda: False)


def test_a_request_that_shows_something_goes_to_the_models_own_address() -> None:
    with Server(stream("It", " is blank.", thinking=("Hm.",))) as server:
        assert ask(server, temperature=0.5, max_tokens=90, effort="low", thinking=True) == Completion(
            "It is blank.", "Hm.", "stop", Usage(70, 8, 12, 3)
        )
    received = server.received[0]
    assert received.path.partition("?")[0] == "/v1beta/models/gemini-3.8-flash:streamGenerateContent"
    assert received.headers["x-goog-api-key"] == KEY and "authorization" not in received.headers
    assert received.body == {
        "systemInstruction": {"parts": [{"text": "be"}]},
        "generationConfig": {
            "temperature": 0.5,
            "maxOutputTokens": 90,
            "thinkingConfig": {"includeThoughts": True, "thinkingLevel": "low"},
        },
        "contents": [
            {"role": "user", "parts": [{"text": "hi"}]},
            {"role": "model", "parts": [{"text": "ho"}]},
            {
                "role": "user",
                "parts": [
                    {"text": "a PDF"},
                    {"inlineData": {"mimeType": "application/pdf", "data": PLAN.data}},
                    {"text": "\n\nwell?"},
                ],
            },
        ],
    }


def test_its_calls_are_read_as_lines() -> None:
    called = {"functionCall": {"name": "SAY", "args": {"room": "dev", "text": "It is blank."}}}
    prompt = Prompt(ASKED.model, ASKED.messages, tools=native.decode(tools.schemas()), shown=ASKED.shown)
    with Server(Answer((piece({"text": "Well."}), piece(called, finish="STOP")))) as server:
        reply = ask(server, prompt)
    assert reply.text == "<reasoning>\nWell.\n</reasoning>\n\nSAY dev It is blank."
    (told,) = server.received[0].body["tools"]  # type: ignore[misc]
    assert {"name", "description", "parametersJsonSchema"} == told["functionDeclarations"][0].keys()


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (Answer((data({"promptFeedback": {"blockReason": "SAFETY"}}),)), "bad_request", "declines to answer (SAFETY)"),
        (Answer((piece(finish="PROHIBITED_CONTENT"),)), "bad_request", "PROHIBITED_CONTENT"),
        (Answer((piece({"text": "It is"}), CUT)), "network", ""),
        (Answer((piece({"text": "It is"}),)), "network", ""),
        (Answer((data({"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}),)), "server", ""),
        (refusal(429, "slow down"), "rate", ""),
        (refusal(404, "models/m is not found"), "missing", ""),
    ],
)
def test_what_is_no_whole_answer_is_an_error(answer: Answer, kind: str, words: str) -> None:
    with Server(answer) as server, pytest.raises(ProviderError) as caught:
        ask(server)
    assert caught.value.kind == kind and words in caught.value.hint and KEY not in caught.value.hint


def test_an_answer_that_a_limit_cut_off_says_so() -> None:
    with Server(stream("It is", finish="MAX_TOKENS")) as server:
        assert ask(server).finish == "length"
        assert json.dumps(server.received[0].body).count("inlineData") == 1
