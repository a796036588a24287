"""Mistral: chat completions at https://api.mistral.ai/v1, with special forms for PDFs, sound and thoughts.

It refuses unknown parameters, even a request for usage, which it always reports.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dotagent.providers import Completion, Config, Emit, Exhibit, Prompt, Seen, model_and_window
from dotagent.providers.formats import chat, responses
from dotagent.providers.formats.place import Address
from dotagent.text import media

KEYS = ("MISTRAL_API_KEY",)
BASE = "https://api.mistral.ai/v1"
MODEL, WINDOW = model_and_window("mistral")
BACKGROUND = 4
OPTIONS = {"calls": "text|native", "temperature": "number 0 2", "max_tokens": "int 1 1e9", "effort": "str"}
SETTINGS = {"prompt_cache_key": "bool"}

PLACE = Address(
    "Mistral",
    KEYS[0],
    "MISTRAL_API_BASE",
    keys="https://console.mistral.ai/api-keys",
    credit="https://admin.mistral.ai/organization/billing",
    models="https://docs.mistral.ai/getting-started/models",
)
why_not = PLACE.unset


def describe(config: Config, model: str) -> Seen:
    """Return the model's window and the media that it accepts, from the server. Raises ProviderError."""
    seen = chat.find_model(config, model, PLACE, WINDOW)
    reads = media.PICTURE in (seen.sees or "").split()  # models with vision also get PDFs, read by another model
    return replace(seen, sees=f"{seen.sees} {media.PDF}") if reads else seen


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """Make one attempt; see Provider.answer."""
    post = chat.request(prompt, config, PLACE)
    body = {**(post.body or {}), **responses.cache_key(prompt, config, BASE), "messages": chat.messages(prompt, _piece)}
    del body["stream_options"]
    return chat.ask(replace(post, body=body), emit, stop)


def _piece(one: str | Exhibit) -> dict[str, object]:
    if isinstance(one, str) or one.kind == media.PICTURE:
        return chat.piece(one)
    if one.kind == media.PDF:
        return {"type": "document_url", "document_url": one.url, "document_name": one.name}
    return {"type": "input_audio", "input_audio": one.data}
