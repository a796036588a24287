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
_SEES = {"image": "image", "file": "pdf", "audio": "sound"}  # what it calls them
# Without it models of 8,192 tokens and less lose the middle of a prompt that is too long, and nobody is told.
WHOLE = [{"id": "context-compression", "enabled": False}]


def describe(config: Config, model: str) -> Seen:
    """The window of a model, from the list of all: the smaller one of the model's and its foremost upstream's."""
    place = PLACE.of(config)
    told = fetch(Post(f"{chat.root(config)}/models", place.bearer(config), None, place, config.key, model))
    listed = {str(one.get("id")): one for one in fields.tables(told, "data")}
    found = listed.get(model) or listed.get(model.rpartition(":")[0])  # openai/gpt-5.2:nitro is a way to route it
    sizes = fields.count(found, "context_length"), fields.count(found, "top_provider", "context_length")
    if not any(sizes):
        raise ProviderError("missing", f"{place.name} does not list the model {model}: see {place.models}")
    able = fields.at(found, "architecture", "input_modalities")
    names = [_SEES[one] for one in able if one in _SEES] if isinstance(able, list) else None
    return Seen(model, min(filter(None, sizes)), sees=None if names is None else " ".join(names))


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """One attempt; see Provider.answer."""
    routed = replace(prompt, params=_params(prompt, config.settings))
    plain = replace(config, settings={name: one for name, one in config.settings.items() if name != "effort"})
    reply = chat.ask(chat.request(routed, plain, PLACE, {"X-Title": "dotagent"}), emit, stop, _split)
    return replace(reply, upstream="_".join(reply.upstream.split()))


def _params(prompt: Prompt, settings: Mapping[str, object]) -> dict[str, object]:
    """The request's own parameters, what settings say of reasoning, and where to send it: before all else as `routing`
    says, whose fields are those of the API's `provider`.

    `session_id` keeps the life with one upstream from its first answer on, for ten minutes at a time; `order` for as
    long as it lives. OpenRouter documents slugs there and takes the names that it answers with as well; a slug is not
    always the name in small letters, so both are given, and what it does not know it passes over.
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
    """Reasoning as a text, or as details of which each may hold some text or summary."""
    reasoning, text = chat.split(delta)
    details = [] if reasoning else fields.tables(delta, "reasoning_details")
    return reasoning or "".join(fields.text(one, "text") or fields.text(one, "summary") for one in details), text
