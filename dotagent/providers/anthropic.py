"""Anthropic: the Messages API at https://api.anthropic.com, which caches the prompt up to given marks.

Models think as they decide, unless settings say otherwise, because each model accepts different values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import quote

from dotagent.providers import Completion, Config, Emit, Prompt, Seen, find_window, model_and_window, window
from dotagent.providers.formats import fields, messages
from dotagent.providers.formats.http import Post, fetch
from dotagent.providers.formats.place import Address
from dotagent.text import tokens

KEYS = ("ANTHROPIC_API_KEY",)
BASE = "https://api.anthropic.com"
MODEL, WINDOW = model_and_window("anthropic")
BACKGROUND = 4
OPTIONS = {"calls": "text|native", "max_tokens": "int 1 1e9", "thinking": "bool str int 1 1e9", "effort": "str"}
CACHE = 300

ANSWER = (32_000, 128_000)  # the most tokens of an answer with thinking, for models with a small and a large window
DENSE = 1.5  # how many times the estimate a prompt may be in these models' tokens

PLACE = Address(
    "Anthropic",
    KEYS[0],
    "ANTHROPIC_API_BASE",
    keys="https://platform.claude.com/settings/keys",
    credit="https://platform.claude.com/settings/billing",
    models="https://platform.claude.com/docs/en/about-claude/models/overview",
)
why_not = PLACE.unset


def describe(config: Config, model: str) -> Seen:
    """Return the model's window from the API, or from the table. Raises ProviderError."""
    place = PLACE.of(config)
    place.check(config)
    url = messages.address(config.base, f"/models/{quote(model, safe='')}")
    told = fetch(Post(url, messages.headers(config), None, place, config.key, model))
    size = fields.count(told, "max_input_tokens")
    found = Seen(model, size) if size else find_window(WINDOW, model)
    return replace(found, ends=fields.text(told, "retires_at")[:10])


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """Make one attempt; see Provider.answer."""
    return messages.ask(messages.request(prompt, config, PLACE, more(prompt, config)), emit, stop)


def more(prompt: Prompt, config: Config) -> dict[str, object]:
    """Return the required parts of the request other than the prompt, and those from settings.

    `max_tokens` is the model's maximum, or the rest of its window. The setting `thinking` is a word of the API or a
    budget in tokens; `effort` is passed on.
    """
    whole = window(WINDOW, prompt.model)
    left = min(whole, fields.count(config.settings, "window") or whole)
    size = prompt.size or sum(tokens.estimate(message["content"]) for message in prompt.messages)
    left -= int(DENSE * size)
    left -= sum(one.tokens for many in prompt.shown.values() for one in many)
    room = max(tokens.REPLY, min(ANSWER[whole > WINDOW["claude-"]], left))
    room = min(room, fields.count(config.settings, "max_tokens") or room)
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
