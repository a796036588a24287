"""Anthropic: the Messages API at https://api.anthropic.com, with a cache of what stands before a mark in the prompt.

Whether and how much a model thinks is left to the model unless settings say: what it can be told differs from model to
model, and a word that one of them needs is refused by another.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from dotagent.providers import Config, Emit, ProviderError, Reply, Request, Seen
from dotagent.providers.formats import errors, messages, metadata
from dotagent.text import tokens

KEYS = ("ANTHROPIC_API_KEY",)
BASE = "https://api.anthropic.com"
MODEL = "claude-sonnet-5-5"
_LARGE = ("sonnet-5", "opus-5", "haiku-5", "fable-5", "mythos-5", "sonnet-4-6", "opus-4-6", "opus-4-7", "opus-4-8")
WINDOW = {"claude-": 200_000, **{f"claude-{name}": 1_000_000 for name in _LARGE}}
BACKGROUND = 4
CACHE = 300

ANSWER = (32_000, 128_000)  # tokens of an answer with its thinking: the most of models with a small and a large window
DENSE = 1.5  # times the estimate: what a prompt may be in the tokens of these models

PLACE = errors.Place(
    name="Anthropic",
    key=KEYS[0],
    base="ANTHROPIC_API_BASE",
    keys="https://platform.claude.com/settings/keys",
    credit="https://platform.claude.com/settings/billing",
    models="https://platform.claude.com/docs/en/about-claude/models/overview",
)


def why_not(config: Config) -> str | None:
    """None with a key and a base that can be used."""
    return errors.unset(config, PLACE)


def look(config: Config, model: str) -> Seen:
    """The model's window as the API tells it, else the table's. Raises ProviderError."""
    problem = why_not(config)
    if problem is not None:
        raise ProviderError("unconfigured", problem)
    url = f"{messages.root(config.base)}/models/{quote(model, safe='')}"
    told = metadata.fetch(url, messages.headers(config), PLACE, config.key, model=model)
    window = told.get("max_input_tokens")
    return Seen(model, window if isinstance(window, int) and window > 0 else _window(model))


def answer(request: Request, config: Config, emit: Emit, stop: Callable[[], bool]) -> Reply:
    """One attempt; see Provider.answer."""
    post = messages.request(request, config, PLACE, more(request, config))
    return messages.ask(post, emit, stop)


def more(request: Request, config: Config) -> dict[str, object]:
    """What the API needs besides the prompt: `max_tokens`, the most that the model may answer or what the prompt leaves
    of its window, and what settings say: `thinking` (a word of the API, or a budget in tokens) and `effort`."""
    whole = _window(request.model)
    most = config.settings.get("window")
    left = min(whole, most) if isinstance(most, int) and most > 0 else whole
    left -= int(DENSE * sum(tokens.estimate(message["content"]) for message in request.messages))
    room = max(tokens.REPLY, min(ANSWER[whole > WINDOW["claude-"]], left))
    found: dict[str, object] = {"max_tokens": room}
    thinking, effort = config.settings.get("thinking"), config.settings.get("effort")
    if isinstance(thinking, bool):
        thinking = "adaptive" if thinking else "disabled"
    if isinstance(thinking, int) and thinking > 0:
        found["thinking"] = {"type": "enabled", "budget_tokens": thinking}
        found["max_tokens"] = max(room, thinking + tokens.REPLY)
    elif thinking == "adaptive":
        found["thinking"] = {"type": "adaptive", "display": "summarized"}
    elif isinstance(thinking, str) and thinking:
        found["thinking"] = {"type": thinking}
    if isinstance(effort, str) and effort:
        found["output_config"] = {"effort": effort}
    return found


def _window(model: str) -> int:
    known = [name for name in WINDOW if model.startswith(name)]
    return WINDOW[max(known, key=len, default="claude-")]
