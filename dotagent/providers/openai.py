"""OpenAI: chat completions at https://api.openai.com/v1, and the Responses format for models that need it.

A small pattern names these models. If the server refuses another one as a chat model, it is asked again in the
Responses format, and then only in that format until this process ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from dotagent.providers import Completion, Config, Emit, Prompt, ProviderError, Seen, find_window, model_and_window
from dotagent.providers.formats import chat, responses
from dotagent.providers.formats.http import Post
from dotagent.providers.formats.place import Address, flaw, keyed

KEYS = ("OPENAI_API_KEY", "OPENAI_OAUTH_ACCESS_TOKEN", "OPENAI_OAUTH_TOKEN_FILE")
BASE = "https://api.openai.com/v1"
MODEL, WINDOW = model_and_window("openai")
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
    "prompt_cache_ttl": "30m|12h",
}

PLACE = Address(
    "OpenAI",
    KEYS[0],
    "OPENAI_API_BASE",
    keys="https://platform.openai.com/api-keys",
    credit="https://platform.openai.com/settings/organization/billing",
    models="https://platform.openai.com/docs/models",
)
_WHERE = f"get one at {PLACE.keys}, and put it into the environment or into .env in dotagent's data directory"
_HEADERS = {"OPENAI_ORGANIZATION": "OpenAI-Organization", "OPENAI_PROJECT": "OpenAI-Project"}
_RESPONSES = re.compile(r"\bcodex\b|-pro(?:-\d|$)|deep-research|computer-use|-cyber\b")  # models by the other format
_REFUSED = re.compile(r"only supported in v1/responses|not a chat model", re.IGNORECASE)
_learnt: set[tuple[str, str]] = set()  # bases and models for which chat was refused and the other format worked


def why_not(config: Config) -> str | None:
    """Return None if exactly one credential, the base and the settings are usable."""
    try:
        config, place = keyed(config, PLACE, KEYS, _WHERE)
    except ProviderError as error:
        return error.hint
    for variable in _HEADERS:
        if wrong := flaw(variable, config.given.get(variable, ""), "see https://platform.openai.com/settings"):
            return wrong
    return place.unset(config)


def describe(config: Config, model: str) -> Seen:
    """Return the model's window from the server (OpenAI's own does not report it), or from the table. Raises
    ProviderError."""
    config, place = keyed(config, PLACE, KEYS, _WHERE)
    return chat.find_model(config, model, place, WINDOW)


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """Make one attempt; see Provider.answer."""
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
    own = not config.server or config.settings.get("header") or not find_window(WINDOW, prompt.model).guess
    names = {"max_tokens": "max_completion_tokens"} if own else {}  # servers with other models still use the old name
    body = {names.get(name, name): it for name, it in (post.body or {}).items()}
    return _extended(replace(post, body=body), prompt, config)


def _extended(post: Post, prompt: Prompt, config: Config) -> Post:
    """Add the parts common to both formats: who pays, and the name of the agent's own cache."""
    named = {header: config.given[variable] for variable, header in _HEADERS.items() if config.given.get(variable)}
    retention, lifetime = (config.settings.get(f"prompt_cache_{one}") for one in ("retention", "ttl"))
    cache = {
        **responses.cache_key(prompt, config, BASE),
        **({"prompt_cache_retention": retention} if retention else {}),
        **({"prompt_cache_options": {"ttl": lifetime}} if lifetime else {}),
    }
    return replace(post, headers={**post.headers, **named}, body={**cache, **(post.body or {})})
