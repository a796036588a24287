"""A server of one's own that speaks chat completions: llama.cpp's, LM Studio's, vLLM's or another.

Which model it runs and with what window each of them tells in its own way, as do hosted services that are reached so;
llama-cpp-python not at all. Its window is then guessed: on this machine a size that is hardly ever too large. One
background call at a time, since one machine does all the work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dotagent.providers import Completion, Config, Emit, Prompt, ProviderError, Seen
from dotagent.providers.formats import chat, redaction
from dotagent.providers.formats.fields import count, tables
from dotagent.providers.formats.http import LOADING, Post, fetch
from dotagent.providers.formats.place import Address, near, origin
from dotagent.text import tokens

KEYS = ("LOCAL_API_KEY",)
BASE = "http://127.0.0.1:8080/v1"
MODEL = ""
WINDOW = 4096
HOSTED = 128_000  # the guess elsewhere: few services that are paid for have models with less
BACKGROUND = 1
# Its names beside a model: vLLM's, LiteLLM's, Groq's, of Together and Fireworks, Mistral's.
TELL = ("max_model_len", "max_input_tokens", "context_window", "context_length", "max_context_length")
NEAR = 0.75  # of a window: from here on an estimate may be a prompt that does not fit

PLACE = Address(
    "the local server",
    KEYS[0],
    "LOCAL_API_BASE",
    keys="the server's own settings",
    credit="the server's own settings",
    models="the server's own list of models",
    keyless=True,
)
why_not = PLACE.unset


def describe(config: Config, model: str) -> Seen:
    """The model asked for, or the one that runs there, and its window, from the first page that tells it.

    Raises ProviderError where the server lists no models.
    """
    headers = PLACE.bearer(config)
    base = chat.root(config)
    root = base.removesuffix("/v1")

    def page(path: str) -> dict[str, object]:
        """What each kind of server has besides, and the others have not."""
        try:
            return fetch(Post(root + path, headers, None, PLACE, config.key))
        except ProviderError:
            return {}

    mine = _chosen(tables(fetch(Post(f"{base}/models", headers, None, PLACE, config.key)), "data"), model)
    size = next(filter(None, (count(mine, name) for name in TELL)), 0) or count(mine, "meta", "n_ctx")  # llama.cpp's
    if not size:
        size = count(page("/props"), "default_generation_settings", "n_ctx")  # llama.cpp: of one slot
    if not size:
        loaded = [one for one in tables(page("/api/v0/models"), "data") if one.get("state") == "loaded"]  # LM Studio
        mine = _chosen(loaded, model) or mine
        size = count(mine, "loaded_context_length")
    name = model or redaction.masked(str(mine.get("id") or ""))
    if not name:
        raise ProviderError("missing", f"{PLACE.name} at {origin(base)} runs no model: load one there")
    return Seen(name, size or min(untold(base), count(mine, "meta", "n_ctx_train") or HOSTED), not size)


def untold(base: str) -> int:
    """The window to guess where a server tells none."""
    return WINDOW if near(base) else HOSTED


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """One attempt; see Provider.answer."""
    post = chat.request(prompt, config, PLACE, silence=LOADING)
    try:
        reply = chat.ask(post, emit, stop)
    except chat.Nothing:
        _ask_why(post)
        _measure(prompt, config)
        raise
    if not reply.text and not reply.reasoning:  # LM Studio, for some models
        _measure(prompt, config)
    return reply


def _ask_why(post: Post) -> None:
    """Raise what the server has against a request to which it streamed nothing.

    llama-cpp-python can not say in a stream what is wrong, as that a prompt is too long; for a whole answer it has a
    status. It is asked for one token on a connection of its own, since it closes the one with the empty stream.
    """
    body = {**(post.body or {}), "stream": False, "max_tokens": 1}
    del body["stream_options"]
    try:
        fetch(replace(post, body=body))
    except ProviderError as error:
        if error.kind not in ("network", "timeout"):  # in a moment it has read no prompt that it takes
            raise


def _measure(prompt: Prompt, config: Config) -> None:
    """Raise too_long when the prompt of an empty answer may well not fit into the window."""
    size = sum(tokens.estimate(message["content"]) for message in prompt.messages)
    try:
        window = count(config.settings, "window") or describe(config, prompt.model).window
    except ProviderError:
        return  # no window to measure by: the answer is what it is
    if size >= NEAR * window:
        hint = f"{PLACE.name} says nothing to a prompt of about {size} tokens, and its window is {window} tokens"
        raise ProviderError("too_long", hint)


def _chosen(entries: list[dict[str, object]], model: str) -> dict[str, object]:
    """The entry of the model; of no model in particular the first that can talk."""
    able = [one for one in entries if one.get("type") != "embeddings"]
    return next((one for one in able if not model or one.get("id") == model), {})
