"""Gemini: Google's own models by its OpenAI-compatible endpoint, https://generativelanguage.googleapis.com.

It speaks chat completions but for two things: thoughts, where they are asked for, come as text that is marked, and
windows are told by the native endpoint beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import quote

from dotagent.providers import Config, Emit, ProviderError, Reply, Request, Seen
from dotagent.providers.formats import chat, errors, metadata

KEYS = ("GEMINI_API_KEY",)
BASE = "https://generativelanguage.googleapis.com/v1beta/openai"
MODEL = "gemini-3.8-flash"
WINDOW = {"gemini-3": 1_048_576, "gemini-2.5-flash": 1_048_576, "gemini-2.5-pro": 1_048_576, "": 32_768}
BACKGROUND = 4

PLACE = errors.Place(
    name="Gemini",
    key=KEYS[0],
    base="GEMINI_API_BASE",
    keys="https://aistudio.google.com/apikey",
    credit="https://aistudio.google.com/usage",
    models="https://ai.google.dev/gemini-api/docs/models",
)
OPEN, CLOSE = "<thought>", "</thought>"


def why_not(config: Config) -> str | None:
    """None with a key and a base that can be used."""
    return errors.unset(config, PLACE)


def look(config: Config, model: str) -> Seen:
    """The model's window: what a prompt may have. The answer's tokens count apart."""
    chat.key(config, PLACE)
    native = chat.root(config).removesuffix("/openai")
    url = f"{native}/models/{quote(model.removeprefix('models/'), safe='')}"
    size = metadata.fetch(url, {"x-goog-api-key": config.key or ""}, PLACE, config.key).get("inputTokenLimit")
    if not isinstance(size, int) or size <= 0:
        raise ProviderError("missing", f"{PLACE.name} tells no window of the model {model}: see {PLACE.models}")
    return Seen(model, size)


def answer(request: Request, config: Config, emit: Emit, stop: Callable[[], bool]) -> Reply:
    """One attempt; see Provider.answer."""
    return chat.ask(chat.request(request, config, PLACE), emit, stop, _splitter())


def _splitter() -> chat.Split:
    """Tells thoughts from text: a thought is marked beside its text, and the tags around all thoughts are left out.

    The closing tag begins the first piece that is not a thought.
    """
    thinking = False

    def split(delta: Mapping[str, object]) -> tuple[object, object]:
        nonlocal thinking
        content = delta.get("content")
        if not isinstance(content, str) or not content:
            return chat.split(delta)
        extra = delta.get("extra_content")
        google = extra.get("google") if isinstance(extra, Mapping) else None
        before = thinking
        thinking = isinstance(google, Mapping) and google.get("thought") is True
        if thinking:
            return (content if before else content.removeprefix(OPEN)).removesuffix(CLOSE), None
        return None, content.removeprefix(CLOSE) if before else content

    return split
