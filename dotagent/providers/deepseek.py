"""DeepSeek: chat completions at https://api.deepseek.com, with reasoning and a cache of whole prefixes on its disks."""

from __future__ import annotations

from collections.abc import Callable

from dotagent.providers import Config, Emit, Reply, Request
from dotagent.providers.formats import chat, errors

KEYS = ("DEEPSEEK_API_KEY",)
BASE = "https://api.deepseek.com"
MODEL = "deepseek-v4-pro"
WINDOW = {"deepseek-v4": 1_000_000, "deepseek-flash": 1_000_000, "deepseek-": 128_000}
BACKGROUND = 4

PLACE = errors.Place(
    name="DeepSeek",
    key=KEYS[0],
    base="DEEPSEEK_API_BASE",
    keys="https://platform.deepseek.com/api_keys",
    credit="https://platform.deepseek.com/top_up",
    models="https://api-docs.deepseek.com/quick_start/pricing",
)


def why_not(config: Config) -> str | None:
    """None with a key and a base that can be used."""
    return errors.unset(config, PLACE)


def answer(request: Request, config: Config, emit: Emit, stop: Callable[[], bool]) -> Reply:
    """One attempt; see Provider.answer."""
    return chat.ask(chat.request(request, config, PLACE), emit, stop)
