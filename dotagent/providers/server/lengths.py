"""Refusals that do not say that a prompt is too long, but may mean it, whatever their words.

New and unusual parts of the request were already left out (formats/attempts.py). If the prompt is then longer than
every prompt that this server has answered, or near the end of the model's window, it counts as too long: older entries
fade, and the agent asks again. If that does not help, the length was not the reason, and the person gets a message.
Owns nothing on disk.
"""

from __future__ import annotations

from collections import Counter

from dotagent.providers import Prompt, ProviderError
from dotagent.store.queue import Call
from dotagent.text import tokens

LITTLE = 3000  # tokens: hardly any model refuses so short a prompt for its length
NEAR = 0.75  # share of a window, because tokenizers differ from the estimate
ONCE, TWICE = 1, 2  # how often a talk fades for such refusals, and near the window's end, until the next answer


class Lengths:
    """The longest prompt that each model has answered, and how often each agent's prompt counted as too long since."""

    def __init__(self) -> None:
        self._answered: dict[tuple[str, str], int] = {}
        self._faded = Counter[tuple[str, str]]()

    def answered(self, call: Call, request: Prompt) -> None:
        """Record an answer to this prompt."""
        of = (call.provider, request.model)
        self._answered[of] = max(_size(request), self._answered.get(of, 0))
        self._faded.pop((call.provider, call.agent), None)

    def judge(self, call: Call, request: Prompt, window: int, error: ProviderError) -> ProviderError:
        """Return the error, or an error that says that the prompt is too long. `window` is the model's, or 0 if it is a
        guess."""
        if error.kind != "bad_request" or not 400 <= error.status < 500 or call.kind != "live":
            return error
        size, who = _size(request), (call.provider, call.agent)
        near = window > 0 and size >= NEAR * window
        longer = size >= LITTLE and size > self._answered.get((call.provider, request.model), 0)
        if self._faded[who] >= (TWICE if near else ONCE) or not (near or longer):
            return error
        self._faded[who] += 1
        told = ProviderError("too_long", f"the prompt may be too long: {error.hint}")
        told.usage, told.status, told.words = error.usage, error.status, error.words
        return told


def _size(request: Prompt) -> int:
    return request.size or sum(tokens.estimate(one["content"]) for one in request.messages)
