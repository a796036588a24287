"""OpenAI: chat completions at https://api.openai.com/v1, and the Responses format for the models that need it.

Which those are is a small table, and beyond it what the server itself says: a model that it refuses as a chat model is
asked again by the other format, and from then on by that one only, until this process ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from dotagent.providers import Completion, Config, Emit, Prompt, ProviderError, Seen, known, listed
from dotagent.providers.formats import chat, responses
from dotagent.providers.formats.http import Post
from dotagent.providers.formats.place import Address, flaw, keyed

KEYS = ("OPENAI_API_KEY", "OPENAI_OAUTH_ACCESS_TOKEN", "OPENAI_OAUTH_TOKEN_FILE")
BASE = "https://api.openai.com/v1"
MODEL, WINDOW = known("openai")
BACKGROUND = 4
OPTIONS = {
    "calls": "text|native",
    "temperature": "number 0 2",
    "max_tokens": "int 1 1e9",
    "effort": "str",
    "summary": "str",
}
SETTINGS = {
    "wire": "chat|responses",
    "header": "str",
    "prompt_cache_key": "bool",
    "prompt_cache_retention": "str",
}

PLACE = Address(
    "OpenAI",
    KEYS[0],
    "OPENAI_API_BASE",
    keys="https://platform.openai.com/api-keys",
    credit="https://platform.openai.com/settings/organization/billing",
    models="https://platform.openai.com/docs/models",
)
_WHERE = f"put one from {PLACE.keys} into the environment or a 0600 .env in the home"
_HEADERS = {"OPENAI_ORGANIZATION": "OpenAI-Organization", "OPENAI_PROJECT": "OpenAI-Project"}
_RESPONSES = re.compile(r"\bcodex\b|-pro(?:-\d|$)|deep-research|computer-use|-cyber\b")  # models by the other format
_REFUSED = re.compile(r"only supported in v1/responses|not a chat model", re.IGNORECASE)
_learnt: set[tuple[str, str]] = set()  # bases and models that were refused as chat models and answered otherwise


def why_not(config: Config) -> str | None:
    """None with exactly one credential, and with a base and settings that can be used."""
    try:
        config, place = keyed(config, PLACE, KEYS, _WHERE)
    except ProviderError as error:
        return error.hint
    for variable in _HEADERS:
        if wrong := flaw(variable, config.given.get(variable, ""), "see https://platform.openai.com/settings"):
            return wrong
    return place.unset(config)


def describe(config: Config, model: str) -> Seen:
    """The model's window: as the server tells it (OpenAI's own does not), else the table's. Raises ProviderError."""
    config, place = keyed(config, PLACE, KEYS, _WHERE)
    return chat.seen(config, model, place, WINDOW)


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """One attempt; see Provider.answer."""
    config, place = keyed(config, PLACE, KEYS, _WHERE)
    wire, known = config.settings.get("wire"), (config.base, prompt.model)
    refused = False
    if wire != "responses" and (wire or not (_RESPONSES.search(prompt.model) or known in _learnt)):
        try:
            return chat.ask(_chat(prompt, config, place), emit, stop)
        except ProviderError as error:
            if wire or not _REFUSED.search(error.hint):
                raise
            refused = True
    reply = responses.ask(_extended(responses.request(prompt, config, place), prompt, config), emit, stop)
    if refused:
        _learnt.add(known)
    return reply


def _chat(prompt: Prompt, config: Config, place: Address) -> Post:
    post = chat.request(prompt, config, place)
    own = not config.server or config.settings.get("header") or not listed(WINDOW, prompt.model).guess
    names = {"max_tokens": "max_completion_tokens"} if own else {}  # as others than OpenAI's own models call it still
    body = {names.get(name, name): it for name, it in (post.body or {}).items()}
    return _extended(replace(post, body=body), prompt, config)


def _extended(post: Post, prompt: Prompt, config: Config) -> Post:
    """The request, and what both formats take besides: who pays for it, and the name of the life's own cache."""
    named = {header: config.given[variable] for variable, header in _HEADERS.items() if config.given.get(variable)}
    retention = config.settings.get("prompt_cache_retention")
    cache = {
        **responses.cache_key(prompt, config, BASE),
        **({"prompt_cache_retention": retention} if retention else {}),
    }
    return replace(post, headers={**post.headers, **named}, body={**cache, **(post.body or {})})
