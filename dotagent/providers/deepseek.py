"""DeepSeek: chat completions at https://api.deepseek.com, with reasoning and a disk cache of whole prefixes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dotagent.providers import Completion, Config, Emit, Prompt, Seen, model_and_window
from dotagent.providers.formats import chat
from dotagent.providers.formats.place import Address

KEYS = ("DEEPSEEK_API_KEY",)
BASE = "https://api.deepseek.com"
MODEL, WINDOW = model_and_window("deepseek")
BACKGROUND = 4
OPTIONS = {
    "calls": "text|native",
    "temperature": "number 0 2",
    "max_tokens": "int 1 1e9",
    "effort": "str",
    "thinking": "bool",
}

PLACE = Address(
    "DeepSeek",
    KEYS[0],
    "DEEPSEEK_API_BASE",
    keys="https://platform.deepseek.com/api_keys",
    credit="https://platform.deepseek.com/top_up",
    models="https://api-docs.deepseek.com/quick_start/pricing",
)
why_not = PLACE.unset


def describe(config: Config, model: str) -> Seen:
    """Return the model's window from the server, or from the table. Raises ProviderError."""
    return chat.find_model(config, model, PLACE, WINDOW)


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """Make one attempt; see Provider.answer."""
    thinks = config.settings.get("thinking")
    if isinstance(thinks, bool):
        mode = {"thinking": {"type": "enabled" if thinks else "disabled"}}
        prompt = replace(prompt, params={**mode, **prompt.params})
    return chat.ask(chat.request(prompt, config, PLACE), emit, stop)
