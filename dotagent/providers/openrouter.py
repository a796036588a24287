"""OpenRouter: chat completions that it passes on to whoever serves a model, at https://openrouter.ai/api/v1.

Every upstream has a prompt cache of its own, so a life stays with the one that answered it, while that one is there.
Its list of models tells the windows; what an answer cost comes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from dotagent.providers import Completion, Config, Emit, Prompt, ProviderError, Seen, known
from dotagent.providers.formats import chat, fields
from dotagent.providers.formats.http import Post, fetch
from dotagent.providers.formats.place import Address

KEYS = ("OPENROUTER_API_KEY",)
BASE = "https://openrouter.ai/api/v1"
MODEL, WINDOW = known("openrouter")
BACKGROUND = 4

PLACE = Address(
    "OpenRouter",
    KEYS[0],
    "OPENROUTER_API_BASE",
    keys="https://openrouter.ai/settings/keys",
    credit="https://openrouter.ai/settings/credits",
    models="https://openrouter.ai/models",
)
why_not = PLACE.unset
# Without it models of 8,192 tokens and less lose the middle of a prompt that is too long, and nobody is told.
WHOLE = [{"id": "context-compression", "enabled": False}]


def describe(config: Config, model: str) -> Seen:
    """The window of a model, from the list of all: the smaller one of the model's and its foremost upstream's."""
    told = fetch(Post(f"{chat.root(config)}/models", PLACE.bearer(config), None, PLACE, config.key, model))
    listed = {str(one.get("id")): one for one in fields.tables(told, "data")}
    found = listed.get(model) or listed.get(model.rpartition(":")[0])  # openai/gpt-5.2:nitro is a way to route it
    sizes = fields.count(found, "context_length"), fields.count(found, "top_provider", "context_length")
    if not any(sizes):
        raise ProviderError("missing", f"{PLACE.name} does not list the model {model}: see {PLACE.models}")
    return Seen(model, min(filter(None, sizes)))


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """One attempt; see Provider.answer."""
    routed = replace(prompt, params=_params(prompt))
    reply = chat.ask(chat.request(routed, config, PLACE, {"X-Title": "dotagent"}), emit, stop, _split)
    return replace(reply, upstream="_".join(reply.upstream.split()))


def _params(prompt: Prompt) -> dict[str, object]:
    """The request's own parameters, and where to send it.

    `session_id` keeps the life with one upstream from its first answer on, for ten minutes at a time; `order` for as
    long as it lives. OpenRouter documents slugs there and takes the names that it answers with as well; a slug is not
    always the name in small letters, so both are given, and what it does not know it passes over.
    """
    params: dict[str, object] = {"plugins": WHOLE, **prompt.params}
    if prompt.agent:
        params.setdefault("session_id", prompt.agent)
    if prompt.upstream:
        name = prompt.upstream.replace("_", " ")
        order = [name, name.lower().replace(" ", "-")]
        params["provider"] = {"order": order, "allow_fallbacks": True, **fields.table(prompt.params, "provider")}
    return params


def _split(delta: Mapping[str, object]) -> tuple[object, object]:
    """Reasoning as a text, or as details of which each may hold some text or summary."""
    reasoning, text = chat.split(delta)
    details = [] if reasoning else fields.tables(delta, "reasoning_details")
    return reasoning or "".join(fields.text(one, "text") or fields.text(one, "summary") for one in details), text
