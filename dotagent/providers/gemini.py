"""Gemini: Google's own models by its OpenAI-compatible endpoint, https://generativelanguage.googleapis.com.

It speaks chat completions but for two things: thoughts, where they are asked for, come as text that is marked, and
windows are told by the native endpoint beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import quote

from dotagent.providers import Completion, Config, Emit, Prompt, ProviderError, Seen, known
from dotagent.providers.formats import chat, fields
from dotagent.providers.formats.http import Post, fetch
from dotagent.providers.formats.place import Address

KEYS = ("GEMINI_API_KEY",)
BASE = "https://generativelanguage.googleapis.com/v1beta/openai"
MODEL, WINDOW = known("gemini")
BACKGROUND = 4

PLACE = Address(
    "Gemini",
    KEYS[0],
    "GEMINI_API_BASE",
    keys="https://aistudio.google.com/apikey",
    credit="https://aistudio.google.com/usage",
    models="https://ai.google.dev/gemini-api/docs/models",
)
why_not = PLACE.unset
OPEN, CLOSE = "<thought>", "</thought>"


def describe(config: Config, model: str) -> Seen:
    """The model's window: what a prompt may have. The answer's tokens count apart."""
    PLACE.check(config)
    native = chat.root(config).removesuffix("/openai")
    url = f"{native}/models/{quote(model.removeprefix('models/'), safe='')}"
    told = fetch(Post(url, {"x-goog-api-key": config.key or ""}, None, PLACE, config.key, model))
    size = fields.count(told, "inputTokenLimit")
    if not size:
        raise ProviderError("missing", f"{PLACE.name} tells no window of the model {model}: see {PLACE.models}")
    return Seen(model, size)


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """One attempt; see Provider.answer."""
    return chat.ask(chat.request(prompt, config, PLACE), emit, stop, _splitter())


def _splitter() -> chat.Split:
    """Tells thoughts from text: a thought is marked beside its text, and the tags around all thoughts are left out.

    The closing tag begins the first piece that is not a thought.
    """
    thinking = False

    def split(delta: Mapping[str, object]) -> tuple[object, object]:
        nonlocal thinking
        content = fields.text(delta, "content")
        if not content:
            return chat.split(delta)
        before = thinking
        thinking = fields.at(delta, "extra_content", "google", "thought") is True
        if thinking:
            return (content if before else content.removeprefix(OPEN)).removesuffix(CLOSE), None
        return None, content.removeprefix(CLOSE) if before else content

    return split
