"""OpenRouter: chat completions that it passes on to whoever serves a model, at https://openrouter.ai/api/v1.

Every upstream has a prompt cache of its own, so a life stays with the one that answered it, while that one is there.
Its list of models, public, tells the windows; what an answer cost comes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from dotagent.providers import Config, Emit, ProviderError, Reply, Request, Seen
from dotagent.providers.formats import chat, errors, metadata

KEYS = ("OPENROUTER_API_KEY",)
BASE = "https://openrouter.ai/api/v1"
MODEL = "openai/gpt-5.2"
WINDOW = {"openai/gpt-5": 272_000, "": 32_000}
BACKGROUND = 4

PLACE = errors.Place(
    name="OpenRouter",
    key=KEYS[0],
    base="OPENROUTER_API_BASE",
    keys="https://openrouter.ai/settings/keys",
    credit="https://openrouter.ai/settings/credits",
    models="https://openrouter.ai/models",
)
# Without it models of 8,192 tokens and less lose the middle of a prompt that is too long, and nobody is told.
WHOLE = [{"id": "context-compression", "enabled": False}]


def why_not(config: Config) -> str | None:
    """None with a key and a base that can be used."""
    return errors.unset(config, PLACE)


def look(config: Config, model: str) -> Seen:
    """The window of a model, from the list of all: the smaller one of the model's and its foremost upstream's."""
    chat.key(config, PLACE)
    data = metadata.fetch(f"{chat.root(config)}/models", {}, PLACE).get("data")
    listed = {str(one.get("id")): one for one in data if isinstance(one, dict)} if isinstance(data, list) else {}
    found = listed.get(model) or listed.get(model.rpartition(":")[0])  # openai/gpt-5.2:nitro is a way to route it
    top = found.get("top_provider") if found else None
    told = [part.get("context_length") for part in (found, top) if isinstance(part, dict)]
    sizes = [size for size in told if isinstance(size, int) and size > 0]
    if not sizes:
        raise ProviderError("missing", f"{PLACE.name} does not list the model {model}: see {PLACE.models}")
    return Seen(model, min(sizes))


def answer(request: Request, config: Config, emit: Emit, stop: Callable[[], bool]) -> Reply:
    """One attempt; see Provider.answer."""
    asked = replace(request, params=_params(request))
    reply = chat.ask(chat.request(asked, config, PLACE, {"X-Title": "dotagent"}), emit, stop, _split)
    return replace(reply, upstream="_".join(reply.upstream.split()))


def _params(request: Request) -> dict[str, object]:
    """The request's own parameters, and where to send it.

    `session_id` keeps the life with one upstream from its first answer on, for ten minutes at a time; `order` for as
    long as it lives. OpenRouter documents slugs there and takes the names that it answers with as well; a slug is not
    always the name in small letters, so both are given, and what it does not know it passes over.
    """
    params: dict[str, object] = {"plugins": WHOLE, **request.params}
    if request.agent:
        params.setdefault("session_id", request.agent)
    if request.upstream:
        name = request.upstream.replace("_", " ")
        order = [name, name.lower().replace(" ", "-")]
        given = request.params.get("provider")
        own = given if isinstance(given, Mapping) else {}
        params["provider"] = {"order": order, "allow_fallbacks": True, **own}
    return params


def _split(delta: Mapping[str, object]) -> tuple[object, object]:
    """Reasoning as a text, or as details of which each may hold some text or summary."""
    reasoning, text = chat.split(delta)
    details = delta.get("reasoning_details")
    if not reasoning and isinstance(details, list):
        told = [one.get("text") or one.get("summary") for one in details if isinstance(one, dict)]
        reasoning = "".join(part for part in told if isinstance(part, str))
    return reasoning, text
