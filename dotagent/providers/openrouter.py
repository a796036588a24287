"""OpenRouter: chat completions forwarded to the services behind it, at https://openrouter.ai/api/v1.

Each service has its own prompt cache, so an agent stays with the service that answered it while possible. The list of
models contains the windows, and an answer its cost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from dotagent.providers import Completion, Config, Emit, Prompt, ProviderError, Seen, model_and_window
from dotagent.providers.formats import chat, fields
from dotagent.providers.formats.http import Post, fetch
from dotagent.providers.formats.place import Address

KEYS = ("OPENROUTER_API_KEY",)
BASE = "https://openrouter.ai/api/v1"
MODEL, WINDOW = model_and_window("openrouter")
BACKGROUND = 4
OPTIONS = {
    "calls": "text|native",
    "temperature": "number 0 2",
    "max_tokens": "int 1 1e9",
    "effort": "str",
    "thinking": "bool int 1 1e9",
    "routing": "table",
}

PLACE = Address(
    "OpenRouter",
    KEYS[0],
    "OPENROUTER_API_BASE",
    keys="https://openrouter.ai/settings/keys",
    credit="https://openrouter.ai/settings/credits",
    models="https://openrouter.ai/models",
)
why_not = PLACE.unset
_SEES = {"image": "image", "file": "pdf", "audio": "sound"}  # its names for them
# Without this, models with up to 8,192 tokens silently lose the middle of a too long prompt.
WHOLE = [{"id": "context-compression", "enabled": False}]


def describe(config: Config, model: str) -> Seen:
    """Return a model's window from the list: the smaller of the model's and its main service's."""
    place = PLACE.of(config)
    told = fetch(Post(f"{chat.root(config)}/models", place.bearer(config), None, place, config.key, model))
    listed = {str(one.get("id")): one for one in fields.tables(told, "data")}
    found = listed.get(model) or listed.get(model.rpartition(":")[0])  # openai/gpt-5.2:nitro selects a route
    sizes = fields.count(found, "context_length"), fields.count(found, "top_provider", "context_length")
    if not any(sizes):
        raise ProviderError("missing", f"{place.name} does not list the model {model}: see {place.models}")
    able = fields.value_at(found, "architecture", "input_modalities")
    names = [_SEES[one] for one in able if one in _SEES] if isinstance(able, list) else None
    sees, ends = None if names is None else " ".join(names), fields.text(found, "expiration_date")[:10]
    return Seen(model, min(filter(None, sizes)), sees=sees, ends=ends)


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """Make one attempt; see Provider.answer."""
    routed = replace(prompt, params=_params(prompt, config.settings))
    plain = replace(config, settings={name: one for name, one in config.settings.items() if name != "effort"})
    reply = chat.ask(chat.request(routed, plain, PLACE, {"X-Title": "dotagent"}), emit, stop, _split)
    return replace(reply, upstream="_".join(reply.upstream.split()))


def _params(prompt: Prompt, settings: Mapping[str, object]) -> dict[str, object]:
    """Return the request's own parameters, the settings for reasoning, and the routing. The setting `routing` has the
    fields of the API's `provider` and goes first.

    `session_id` keeps the agent with one service for ten minutes after each answer, and `order` permanently. OpenRouter
    documents slugs there and also accepts the names in its answers. A slug is not always the name in lower case, so
    both are sent; unknown ones are ignored.
    """
    params: dict[str, object] = {"plugins": WHOLE, **prompt.params}
    if prompt.agent:
        params.setdefault("session_id", prompt.agent)
    effort, thinking, routing = (settings.get(name) for name in ("effort", "thinking", "routing"))
    reasoning = {"effort": effort} if effort else {}
    if thinking is not None:
        reasoning |= {"enabled": thinking} if isinstance(thinking, bool) else {"max_tokens": thinking}
    if reasoning:
        params.setdefault("reasoning", reasoning)
    wanted = {**fields.table(routing), **fields.table(prompt.params, "provider")}
    if wanted:
        params["provider"] = wanted
    if prompt.upstream:
        name = prompt.upstream.replace("_", " ")
        order = [name, name.lower().replace(" ", "-")]
        params["provider"] = {"order": order, "allow_fallbacks": True, **wanted}
    return params


def _split(delta: Mapping[str, object]) -> tuple[object, object]:
    """Return reasoning and text. Reasoning is a text, or a list of details with a text or a summary."""
    reasoning, text = chat.split(delta)
    details = [] if reasoning else fields.tables(delta, "reasoning_details")
    return reasoning or "".join(fields.text(one, "text") or fields.text(one, "summary") for one in details), text
