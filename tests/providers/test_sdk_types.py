"""What each provider sends, and what the servers of these tests answer, held to the official SDKs' types.

Nobody here wrote them, so they judge. They run where the SDKs are installed, each alone (`pip install openai anthropic
google-genai ollama mistralai groq together fireworks-ai`), and in the night: `.ci/real` installs them in
a separate venv.
"""

from __future__ import annotations

import base64
import importlib
import importlib.metadata
import json
import typing
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, Literal, NamedTuple

import calling
import pytest
from codex_token import token
from exhibited import pdf, png, wav
from generated import stream as generated
from loopback import Answer, Server, stream
from messaging import stream as messaging
from ollama_lines import pages as ollama_pages
from ollama_lines import stream as lines
from responding import responding

from dotagent import providers, tools
from dotagent.providers import Completion, Exhibit, Prompt
from dotagent.providers.formats import reasons
from dotagent.store import options
from dotagent.store.credentials import variable
from dotagent.text import native

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
MISTRAL = CHAT._replace(
    request="mistralai.client.models:ChatCompletionStreamRequestTypedDict",
    piece="mistralai.client.models:CompletionChunk",
)
KEY = "sk-0123456789abcdef"
ROUTED = {"plugins", "session_id", "reasoning", "provider"}
CASES: list[tuple[str, Judge, dict[str, object], set[str]]] = [  # the settings, and what is the provider's own
    ("deepseek", CHAT, {}, set()),
    ("deepseek", CHAT, {"temperature": 0.5, "max_tokens": 9, "effort": "high", "thinking": False}, {"thinking"}),
    ("gemini", CHAT, {"effort": "low", "thinking": 99}, {"extra_body"}),
    (
        "openrouter",
        CHAT,
        {"effort": "low", "routing": {"sort": "price"}},
        {"plugins", "session_id", "reasoning", "provider"},
    ),
    ("openai", RESPONSES, {"wire": "responses", "temperature": 0.5, "max_tokens": 90}, set()),
    ("openai", CHAT, {"wire": "chat", "temperature": 0.5, "max_tokens": 90}, set()),
    ("anthropic", MESSAGES, {"max_tokens": 900}, set()),
    ("ollama", OLLAMA, {"temperature": 0.5, "max_tokens": 900}, {"truncate", "shift"}),
    *((name, CHAT, {"calls": "native"}, set()) for name in ("deepseek", "gemini", "local")),
    ("openai", CHAT, {"calls": "native", "wire": "chat"}, set()),
    ("openai", RESPONSES, {"calls": "native", "wire": "responses"}, set()),
    ("openai-codex", RESPONSES, {"calls": "native"}, set()),
    ("anthropic", MESSAGES, {"calls": "native"}, set()),
    ("ollama", OLLAMA, {"calls": "native"}, {"truncate", "shift"}),
    ("gemini", CHAT, {}, set()),
    ("local", CHAT, {}, set()),
    ("openai", CHAT, {"effort": "low", "prompt_cache_key": True, "prompt_cache_retention": "24h"}, set()),
    ("openrouter", CHAT, {}, {"plugins", "session_id"}),
    ("openai", RESPONSES, {"wire": "responses", "prompt_cache_ttl": "12h"}, set()),
    ("openai", RESPONSES, {"wire": "responses", "effort": "low", "summary": "auto", "prompt_cache_key": True}, set()),
    ("openai-codex", RESPONSES, {"effort": "high", "prompt_cache_key": True}, set()),
    ("anthropic", MESSAGES, {}, set()),
    ("anthropic", MESSAGES, {"thinking": "adaptive", "effort": "low"}, set()),
    ("anthropic", MESSAGES, {"thinking": "between_tools"}, set()),
    ("anthropic", MESSAGES, {"thinking": "disabled"}, set()),
    ("anthropic", MESSAGES, {"thinking": 2000}, set()),
    ("mistral", MISTRAL, {}, set()),
    ("mistral", MISTRAL, {"calls": "native", "temperature": 0.5, "max_tokens": 90, "effort": "high"}, set()),
    ("mistral", MISTRAL, {"prompt_cache_key": True}, set()),
    ("ollama", OLLAMA, {}, {"truncate", "shift"}),
    ("ollama", OLLAMA, {"think": "low", "keep_alive": "30m"}, {"truncate", "shift"}),
]


def exhibit(at: int, kind: str, type: str, data: bytes) -> Exhibit:
    return Exhibit(at, kind, type, base64.b64encode(data).decode(), f"cat.{type.rpartition('/')[2]}", 9)


PICTURE = exhibit(len(SAID[2]), "image", "image/png", png(3, 4))
PAPER = exhibit(4, "pdf", "application/pdf", pdf())
SONG = exhibit(4, "sound", "audio/wav", wav())
EXHIBITED: list[tuple[str, Judge, dict[str, object], tuple[Exhibit, ...], set[str]]] = [
    ("openai", CHAT, {"wire": "chat"}, (PAPER, SONG, PICTURE), set()),
    ("openai", RESPONSES, {"wire": "responses"}, (PAPER, SONG, PICTURE), set()),
    ("openai-codex", RESPONSES, {}, (PAPER, PICTURE), set()),
    ("openrouter", CHAT, {}, (PAPER, SONG, PICTURE), {"plugins", "session_id"}),
    ("local", CHAT, {}, (SONG, PICTURE), set()),
    ("anthropic", MESSAGES, {}, (PAPER, PICTURE), set()),
    ("anthropic", MESSAGES, {"calls": "native"}, (SONG, PICTURE), set()),
    ("ollama", OLLAMA, {}, (PICTURE,), {"truncate", "shift"}),
    ("mistral", MISTRAL, {}, (PAPER, SONG, PICTURE), set()),
]
PLACE = "types.chat.completion_create_params:CompletionCreateParams"
SERVERS = [  # what their types do not know they take: the usage in a stream, as OpenAI's has it
    ("groq", CHAT._replace(request=f"groq.{PLACE}"), {"stream_options"}),
    ("together", CHAT._replace(request=f"together.{PLACE}Streaming"), {"stream_options"}),
    ("fireworks", CHAT._replace(request=f"fireworks.{PLACE}Streaming"), {"stream_options"}),
    ("xai", RESPONSES, set()),
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


def sent(
    name: str, judge: Judge, settings: Mapping[str, object], shown: tuple[Exhibit, ...] = ()
) -> tuple[dict[str, object], Completion]:
    """The body of the provider's request, and what it made of the answer."""
    token_or_key = {"openai-codex": {"OPENAI_CODEX_OAUTH_ACCESS_TOKEN": token()}}
    given = token_or_key.get(name, {variable(name, "API_KEY"): KEY})
    with Server(judge.answer, pages=judge.pages) as server:
        config = providers.configure(name, {**given, variable(name, "API_BASE"): server.base}, settings)
        own = tools.schemas() if settings.get("calls") == "native" else "[]"
        talk = replace(TALK, tools=native.decode(own), shown={3: shown} if shown else {})
        reply = providers.load(name).answer(talk, config, lambda *_: None, lambda: False)
        return server.received[0].body, reply


@pytest.mark.parametrize(("name", "judge", "settings", "own"), CASES)
def test_a_request_is_of_the_sdks_type(name: str, judge: Judge, settings: dict[str, object], own: set[str]) -> None:
    request = kind(judge.request)
    body, reply = sent(name, judge, settings)
    held(request, body)
    fields = getattr(request, "model_fields", None) or request.__annotations__
    assert body.keys() - fields.keys() <= own
    assert (reply.text, reply.reasoning) == ("Yes.", "Hm")


@pytest.mark.parametrize(("name", "judge", "settings", "shown", "own"), EXHIBITED)
def test_a_request_that_shows_something_is_of_the_sdks_type(
    name: str, judge: Judge, settings: dict[str, object], shown: tuple[Exhibit, ...], own: set[str]
) -> None:
    request = kind(judge.request)
    body, reply = sent(name, judge, settings, shown)
    held(request, body)
    fields = getattr(request, "model_fields", None) or request.__annotations__
    assert body.keys() - fields.keys() <= own
    assert reply.text == "Yes."
    text = json.dumps(body)
    for one in shown:
        taken = one.kind != "sound" or judge in (CHAT, MISTRAL)
        assert (one.data in text) == taken


@pytest.mark.parametrize(("name", "judge", "own"), SERVERS)
@pytest.mark.parametrize("settings", [{}, {"calls": "native", "temperature": 0.5, "max_tokens": 90, "effort": "low"}])
@pytest.mark.parametrize("shown", [(), (PICTURE,)], ids=["text", "picture"])
def test_a_request_to_a_server_that_is_known_is_of_its_own_sdks_type(
    name: str, judge: Judge, own: set[str], settings: dict[str, object], shown: tuple[Exhibit, ...]
) -> None:
    request, preset = kind(judge.request), options.presets()[name]
    with Server(judge.answer) as server:
        config = providers.configure(name, {str(preset["key"]): KEY}, {**preset, **settings, "base": server.base})
        mine = native.decode(tools.schemas()) if "calls" in settings else ()
        talk = replace(TALK, tools=mine, shown={3: shown} if shown else {})
        reply = providers.load("openai").answer(talk, config, lambda *_: None, lambda: False)
        body = server.received[0].body
    held(request, body)
    assert body.keys() - request.__annotations__.keys() <= own
    assert reply.text == "Yes." and ("prompt_cache_key" in body) == (name in ("xai", "fireworks"))
    assert not settings or (body["temperature"], body.get("max_output_tokens", body.get("max_tokens"))) == (0.5, 90)


@pytest.mark.parametrize("settings", [{}, {"calls": "native", "temperature": 0.5, "max_tokens": 90, "thinking": 99}])
def test_geminis_own_format_is_of_the_sdks_type(settings: dict[str, object]) -> None:
    types, adapter = pytest.importorskip("google.genai.types"), pytest.importorskip("pydantic").TypeAdapter
    judge = Judge("", "", generated("Yes", ".", thinking=("Hm",)))
    body, reply = sent("gemini", judge, settings, (PAPER, SONG, PICTURE))
    assert (reply.text, reply.reasoning) == ("Yes.", "Hm")
    parts = {
        "contents": list[types.Content],
        "systemInstruction": types.Content,
        "tools": list[types.Tool],
        "generationConfig": types.GenerationConfig,
    }
    assert body.keys() <= parts.keys() and ("tools" in body) == bool(settings)
    for name, value in body.items():
        adapter(parts[name]).validate_json(json.dumps(value))  # JSON, in which bytes are base64
    (contents,) = [adapter(parts["contents"]).validate_json(json.dumps(body["contents"]))]
    seen = [part.inline_data for one in contents for part in one.parts if part.inline_data]
    assert [(one.mime_type, one.data) for one in seen] == [
        ("application/pdf", pdf()),
        ("audio/wav", wav()),
        ("image/png", png(3, 4)),
    ]
    for piece in judge.answer.pieces:
        assert isinstance(piece, bytes)
        adapter(types.GenerateContentResponse).validate_json(piece.decode().removeprefix("data: "))


CALLED = ("Well.", [("SAY", {"room": "dev", "text": "Hi"}), ("WAIT", {})])
CALLING = [
    replacing._replace(answer=make(*CALLED))
    for replacing, make in (
        (CHAT, calling.chat),
        (RESPONSES, calling.responses),
        (MESSAGES, calling.messages),
        (OLLAMA, calling.ollama),
    )
]


@pytest.mark.parametrize("judge", [CHAT, RESPONSES, MESSAGES, OLLAMA, MISTRAL, *CALLING])
def test_a_stream_of_these_tests_is_of_the_sdks_type(judge: Judge) -> None:
    piece = kind(judge.piece)
    text = b"".join(one for one in judge.answer.pieces if isinstance(one, bytes)).decode()
    found = [line.removeprefix("data: ") for line in text.split("\n") if line.startswith(("data: {", "{"))]
    assert len(found) > 3
    for one in found:
        if (value := json.loads(one)).get("type") != "ping":  # the SDK passes it over, and has no type for it
            held(piece, value)


def values(kind: Any) -> set[str]:
    """The texts that a type allows: literals and enumerations, in unions and in the fields `error_code` of models."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {str(one.value) for one in kind}
    if typing.get_origin(kind) is Literal:
        return {one for one in typing.get_args(kind) if isinstance(one, str)}
    coded = getattr(kind, "model_fields", {}).get("error_code")
    return set().union(*map(values, typing.get_args(kind)), values(coded.annotation) if coded else ())


ROWS = [
    (f"{form} {what}", row)
    for form, tables in providers.facts("reasons").items()
    for what, rows in tables.items()
    for row in rows
    if "types" in row
]


@pytest.mark.parametrize(("name", "row"), ROWS, ids=[f"{name} {row['types'][0]}" for name, row in ROWS])
def test_each_reason_and_code_of_an_sdk_has_a_meaning(name: str, row: dict[str, Any]) -> None:
    package, version = row["sdk"].split()
    pytest.importorskip(row["types"][0].partition(":")[0].partition(".")[0])
    assert importlib.metadata.version(package) == version, "read the table of the new version"
    ours = {one for meaning in reasons.MEANINGS for one in row.get(meaning, ())}
    theirs = set[str]()
    for place in row["types"]:
        module, _, path = place.partition(":")
        first, _, field = path.partition(".")
        found: Any = getattr(importlib.import_module(module), first)
        theirs |= values(found.model_fields[field].annotation if field else found)
    assert theirs and ours == theirs
