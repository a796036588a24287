"""Gemini: Google's models at its OpenAI-compatible endpoint, https://generativelanguage.googleapis.com.

It uses chat completions with two exceptions: requested thoughts are marked text, and only the native endpoint reports
windows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from dotagent.providers import Completion, Config, Emit, Prompt, ProviderError, Seen, model_and_window
from dotagent.providers.formats import chat, fields, generate_content
from dotagent.providers.formats.http import Post, fetch
from dotagent.providers.formats.place import Address

KEYS = ("GEMINI_API_KEY",)
BASE = "https://generativelanguage.googleapis.com/v1beta/openai"
MODEL, WINDOW = model_and_window("gemini")
BACKGROUND = 4
OPTIONS = {
    "calls": "text|native",
    "temperature": "number 0 2",
    "max_tokens": "int 1 1e9",
    "effort": "str",
    "thinking": "bool int 1 1e9",
}

PLACE = Address(
    "Gemini",
    KEYS[0],
    "GEMINI_API_BASE",
    keys="https://aistudio.google.com/apikey",
    credit="https://aistudio.google.com/usage",
    models="https://ai.google.dev/gemini-api/docs/models",
)
why_not = PLACE.unset
TAKES = (
    "image/png",
    "image/jpeg",
    "image/webp",
    "application/pdf",
    "audio/wav",
    "audio/mpeg",
    "audio/ogg",
    "audio/flac",
)
OPEN, CLOSE = "<thought>", "</thought>"


def describe(config: Config, model: str) -> Seen:
    """Return the model's window, which is for the prompt only; the answer's tokens are counted separately."""
    place = PLACE.of(config)
    place.check(config)
    url, headers = generate_content.address(_root(config), model), generate_content.key_header(config)
    told = fetch(Post(url, headers, None, place, config.key, model))
    size = fields.count(told, "inputTokenLimit")
    if not size:
        raise ProviderError(
            "missing", f"{place.name} does not report a context window for the model {model}; see {place.models}"
        )
    return Seen(model, size)


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """Make one attempt; see Provider.answer."""
    if prompt.shown:
        return generate_content.ask(generate_content.request(prompt, config, PLACE, _root(config)), emit, stop)
    asked = replace(prompt, params={**_thoughts(config.settings.get("thinking")), **prompt.params})
    return chat.ask(chat.request(asked, config, PLACE), emit, stop, _splitter())


def _root(config: Config) -> str:
    """Return the address of the native format, next to that of chat completions."""
    return chat.root(config).removesuffix("/openai")


def _thoughts(wanted: object) -> dict[str, object]:
    """Return the request's parameters for thoughts: whether to show them, or also their most tokens."""
    if wanted is None:
        return {}
    budget = {} if isinstance(wanted, bool) else {"thinking_budget": wanted}
    return {"extra_body": {"google": {"thinking_config": {"include_thoughts": wanted is not False, **budget}}}}


def _splitter() -> chat.Split:
    """Return a function that separates thoughts from text. Thoughts are marked, and the tags around them are removed.

    The closing tag begins the first piece that is not a thought.
    """
    thinking = False

    def split(delta: Mapping[str, object]) -> tuple[object, object]:
        nonlocal thinking
        content = fields.text(delta, "content")
        if not content:
            return chat.split(delta)
        before = thinking
        thinking = fields.value_at(delta, "extra_content", "google", "thought") is True
        if thinking:
            return (content if before else content.removeprefix(OPEN)).removesuffix(CLOSE), None
        return None, content.removeprefix(CLOSE) if before else content

    return split
