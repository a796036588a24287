"""Mistral: chat completions at https://api.mistral.ai/v1, with forms of its own for PDFs, sound and thoughts.

It refuses whatever it does not know, as to be asked for the usage, which it tells unasked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dotagent.providers import Completion, Config, Emit, Exhibit, Prompt, Seen, known
from dotagent.providers.formats import chat, responses
from dotagent.providers.formats.place import Address
from dotagent.text import media

KEYS = ("MISTRAL_API_KEY",)
BASE = "https://api.mistral.ai/v1"
MODEL, WINDOW = known("mistral")
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
    """The model's window and what it sees, as the server tells it. Raises ProviderError."""
    seen = chat.seen(config, model, PLACE, WINDOW)
    reads = media.PICTURE in (seen.sees or "").split()  # PDFs are read by another model, for those that see
    return replace(seen, sees=f"{seen.sees} {media.PDF}") if reads else seen


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """One attempt; see Provider.answer."""
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
