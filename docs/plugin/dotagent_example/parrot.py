"""Parrot: repeats the last message, so that you can try things without a model."""

from __future__ import annotations

from collections.abc import Callable

from dotagent.providers import Completion, Config, Emit, Prompt

KEYS: tuple[str, ...] = ()
BASE = ""
MODEL = "parrot"
WINDOW = 100_000
BACKGROUND = 1
COMPACTS = False  # it finds no chunks and sums nothing up


def why_not(config: Config) -> str | None:
    """It needs nothing."""
    return None


def answer(prompt: Prompt, config: Config, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """The last message, without its head."""
    said = next(one["content"] for one in reversed(prompt.messages) if one["role"] == "user")
    return Completion(f"You said: {said.rpartition(': ')[2]}")
