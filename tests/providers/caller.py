"""Asking the loopback server as a provider does: one request to whatever answers, and what came of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from loopback import Server

from dotagent.providers import Completion, Config, Prompt, ProviderError, Usage
from dotagent.providers.formats import chat
from dotagent.providers.formats.place import Address

PLACE = Address(
    "Loop", "LOOP_API_KEY", "LOOP_API_BASE", "https://loop/keys", "https://loop/credit", "https://loop/models"
)
ASKED = Prompt(
    "m", ({"role": "system", "content": "be"}, {"role": "user", "content": "hi ◱ é"}), {"max_tokens": 7}, "ab"
)
KEY = "sk-0123456789abcdef"
USED = Usage(input=100, cached=64, output=9, reasoning=4)


def never() -> bool:
    return False


def ask(
    server: Server | str,
    *,
    stall: float = 5,
    stop: Callable[[], bool] = never,
    seen: list[tuple[str, str]] | None = None,
) -> Completion:
    base = server if isinstance(server, str) else server.base
    kept = list[tuple[str, str]]() if seen is None else seen
    post = chat.request(ASKED, Config(KEY, base, None, {"stall": stall}), PLACE)
    return chat.ask(post, lambda channel, delta: kept.append((channel, delta)), stop)


def failure(server: Server | str, *, stall: float = 5, stop: Callable[[], bool] = never) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(server, stall=stall, stop=stop)
    assert KEY not in caught.value.hint
    return caught.value
