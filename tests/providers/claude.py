"""The provider anthropic as tests ask it: a prompt, a key, what comes of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from loopback import Server

from dotagent.providers import Completion, Prompt, ProviderError, Usage, anthropic, configure

KEY = "sk-ant-0123456789abcdef"
USED = Usage(input=100, cached=64, output=9, reasoning=4, written=25)
ASKED = Prompt(
    "claude-sonnet-5-5",
    (
        {"role": "system", "content": "be"},
        {"role": "user", "content": "hi ◱ é"},
        {"role": "assistant", "content": "yes?"},
        {"role": "user", "content": "one\n\ntwo"},
    ),
    previous=(3, 3),
)


def ask(
    server: Server | str,
    asked: Prompt = ASKED,
    *,
    seen: list[tuple[str, str]] | None = None,
    stop: Callable[[], bool] = lambda: False,
    **given: object,
) -> Completion:
    """What the provider answers when it asks this server."""
    base = server if isinstance(server, str) else server.base
    config = configure("anthropic", {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_API_BASE": base}, {"stall": 5, **given})
    kept = [] if seen is None else seen
    return anthropic.answer(asked, config, lambda channel, text: kept.append((channel, text)), stop)


def failure(server: Server | str, **given: object) -> ProviderError:
    """The error that comes instead."""
    with pytest.raises(ProviderError) as caught:
        ask(server, **given)  # type: ignore[arg-type]
    assert KEY not in caught.value.hint
    return caught.value
