"""DeepSeek: chat completions at https://api.deepseek.com, with reasoning and a cache of whole prefixes on its disks."""

from __future__ import annotations

from collections.abc import Callable

from dotagent.providers import Completion, Config, Emit, Prompt, known
from dotagent.providers.formats import chat
from dotagent.providers.formats.place import Address

KEYS = ("DEEPSEEK_API_KEY",)
BASE = "https://api.deepseek.com"
MODEL, WINDOW = known("deepseek")
BACKGROUND = 4

PLACE = Address(
    "DeepSeek",
    KEYS[0],
    "DEEPSEEK_API_BASE",
    keys="https://platform.deepseek.com/api_keys",
    credit="https://platform.deepseek.com/top_up",
    models="https://api-docs.deepseek.com/quick_start/pricing",
)
why_not = PLACE.unset


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """One attempt; see Provider.answer."""
    return chat.ask(chat.request(prompt, config, PLACE), emit, stop)
