"""What each provider sends, and what the servers of these tests answer, held to the official SDKs' types.

Nobody here wrote them, so they judge. They run where the SDKs are installed, each alone (`pip install openai anthropic
ollama`); docs/dependencies.md says why nothing else installs them.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import pytest
from loopback import Answer, Server, stream
from responding import responding
from test_anthropic import stream as messaging
from test_ollama import pages as ollama_pages
from test_ollama import stream as lines
from test_openai_codex import token

from dotagent import providers
from dotagent.providers import Completion, Prompt
from dotagent.store.credentials import variable

SAID = ("hi ◱ é", "ho", "and?\n\nnow?", "so", "well")
TALK = Prompt(
    "m",
    (
        {"role": "system", "content": "be"},
        *({"role": "assistant" if number % 2 else "user", "content": text} for number, text in enumerate(SAID)),
    ),
    agent="ab",
    previous=(3, 4),
)


class Judge(NamedTuple):
    """An SDK's types of a request and of a piece of its answer, and an answer as our tests' servers give it."""

    request: str
    piece: str
    answer: Answer
    pages: Mapping[str, object] = {}


CHAT = Judge(
    "openai.types.chat.completion_create_params:CompletionCreateParamsStreaming",
    "openai.types.chat:ChatCompletionChunk",
    stream("Yes", ".", reasoning=("Hm",)),
)
RESPONSES = Judge(
    "openai.types.responses.response_create_params:ResponseCreateParamsStreaming",
    "openai.types.responses:ResponseStreamEvent",
    responding("Yes", ".", reasoning=("Hm",)),
)
MESSAGES = Judge(
    "anthropic.types.message_create_params:MessageCreateParamsStreaming",
    "anthropic.types:RawMessageStreamEvent",
    messaging("Yes", ".", thinking=("Hm",)),
)
OLLAMA = Judge("ollama._types:ChatRequest", "ollama:ChatResponse", lines("Yes", ".", thinking=("Hm",)), ollama_pages())
KEY = "sk-0123456789abcdef"
CASES: list[tuple[str, Judge, dict[str, object], set[str]]] = [  # the settings, and what is the provider's own
    ("deepseek", CHAT, {}, set()),
    ("gemini", CHAT, {}, set()),
    ("local", CHAT, {}, set()),
    ("openai", CHAT, {"effort": "low", "prompt_cache_key": True, "prompt_cache_retention": "24h"}, set()),
    ("openrouter", CHAT, {}, {"plugins", "session_id"}),
    ("openai", RESPONSES, {"wire": "responses"}, set()),
    ("openai", RESPONSES, {"wire": "responses", "effort": "low", "summary": "auto", "prompt_cache_key": True}, set()),
    ("openai-codex", RESPONSES, {"effort": "high", "prompt_cache_key": True}, set()),
    ("anthropic", MESSAGES, {}, set()),
    ("anthropic", MESSAGES, {"thinking": "adaptive", "effort": "low"}, set()),
    ("anthropic", MESSAGES, {"thinking": "between_tools"}, set()),
    ("anthropic", MESSAGES, {"thinking": "disabled"}, set()),
    ("anthropic", MESSAGES, {"thinking": 2000}, set()),
    ("ollama", OLLAMA, {}, {"truncate", "shift"}),
    ("ollama", OLLAMA, {"think": "low", "keep_alive": "30m"}, {"truncate", "shift"}),
]


def kind(place: str) -> Any:
    """A type of an SDK; where that is not installed the test is skipped."""
    module, name = place.split(":")
    pytest.importorskip(module.partition(".")[0])
    return getattr(importlib.import_module(module), name)


def held(kind: Any, value: object) -> None:
    """Raise pydantic's ValidationError where the value is not of the type."""
    judge = pytest.importorskip("pydantic").TypeAdapter(kind)  # it must live as long as what it checks
    consumed(judge.validate_python(value))


def consumed(value: object) -> None:
    """Look at all of it: pydantic checks the members of an iterable only then."""
    if isinstance(value, Mapping):
        value = value.values()
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        for one in value:
            consumed(one)


def sent(name: str, judge: Judge, settings: Mapping[str, object]) -> tuple[dict[str, object], Completion]:
    """The body of the provider's request, and what it made of the answer."""
    token_or_key = {"openai-codex": {"OPENAI_CODEX_OAUTH_ACCESS_TOKEN": token()}}
    given = token_or_key.get(name, {variable(name, "API_KEY"): KEY})
    with Server(judge.answer, pages=judge.pages) as server:
        config = providers.configure(name, {**given, variable(name, "API_BASE"): server.base}, settings)
        reply = providers.load(name).answer(TALK, config, lambda *_: None, lambda: False)
        return server.received[0].body, reply


@pytest.mark.parametrize(("name", "judge", "settings", "own"), CASES)
def test_a_request_is_of_the_sdks_type(name: str, judge: Judge, settings: dict[str, object], own: set[str]) -> None:
    request = kind(judge.request)
    body, reply = sent(name, judge, settings)
    held(request, body)
    fields = getattr(request, "model_fields", None) or request.__annotations__
    assert body.keys() - fields.keys() <= own
    assert (reply.text, reply.reasoning) == ("Yes.", "Hm")


@pytest.mark.parametrize("judge", [CHAT, RESPONSES, MESSAGES, OLLAMA])
def test_a_stream_of_these_tests_is_of_the_sdks_type(judge: Judge) -> None:
    piece = kind(judge.piece)
    text = b"".join(one for one in judge.answer.pieces if isinstance(one, bytes)).decode()
    found = [line.removeprefix("data: ") for line in text.split("\n") if line.startswith(("data: {", "{"))]
    assert len(found) > 3
    for one in found:
        if (value := json.loads(one)).get("type") != "ping":  # the SDK passes it over, and has no type for it
            held(piece, value)
