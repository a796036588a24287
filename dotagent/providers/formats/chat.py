"""The chat completions format, streamed, as DeepSeek and many others document it.

The pieces of an answer are handed on as they come, reasoning kept apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from dotagent.providers import Completion, Config, Emit, Prompt, ProviderError, Usage
from dotagent.providers.formats.coming import Coming, Writing
from dotagent.providers.formats.fields import at, count, number, tables, text
from dotagent.providers.formats.http import STALL, Post, patience
from dotagent.providers.formats.place import Address

PATH = "/chat/completions"

Split = Callable[[Mapping[str, object]], tuple[object, object]]
"""What a piece of an answer holds: (reasoning, text); whatever is not a text counts as nothing."""


class Nothing(ProviderError):
    """An answer with status 200 in which nothing came, not even its end."""


def root(config: Config) -> str:
    """The address that all paths of the API follow, whether or not the base names this format's."""
    return config.base.rstrip("/").removesuffix(PATH)


def request(
    prompt: Prompt, config: Config, place: Address, headers: Mapping[str, str] | None = None, silence: float = STALL
) -> Post:
    """The request to the server; `silence` is in seconds, the longest that is usual there."""
    body = {
        **prompt.params,
        "model": prompt.model,
        "messages": list(prompt.messages),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    sent = {**place.bearer(config), **(headers or {})}
    return Post(root(config) + PATH, sent, body, place, config.key, prompt.model, patience(config, silence))


def split(delta: Mapping[str, object]) -> tuple[object, object]:
    """Reasoning and text under the names that most servers use."""
    return delta.get("reasoning_content") or delta.get("reasoning"), delta.get("content")


def ask(post: Post, emit: Emit, stop: Callable[[], bool], split: Split = split) -> Completion:
    """Send it and return the whole answer; see Coming.whole. Raises Nothing where the answer had not even begun."""
    return _Coming(post, Writing(emit), split=split).whole(stop)


def usage(value: object) -> Usage:
    """Tokens from a usage object: DeepSeek's names for cached ones, and OpenAI's; the cost where OpenRouter tells it.

    Gemini counts its thoughts in the total alone: what the total has beyond prompt and answer was thought.
    """
    prompt, said = count(value, "prompt_tokens"), count(value, "completion_tokens")
    thought = max(0, count(value, "total_tokens") - prompt - said)
    cached = count(value, "prompt_cache_hit_tokens") or count(value, "prompt_tokens_details", "cached_tokens")
    reasoning = count(value, "completion_tokens_details", "reasoning_tokens")
    written = count(value, "prompt_tokens_details", "cache_write_tokens")
    return Usage(prompt, cached, said + thought, reasoning or thought, _cost(value), written)


def _cost(value: object) -> int | None:
    """Millionths of a dollar: what OpenRouter charges and, with a key of one's own, what its upstream charges."""
    own = at(value, "is_byok") is True
    upstream = number(value, "cost_details", "upstream_inference_cost") if own else None
    parts = [part for part in (number(value, "cost"), upstream) if part is not None]
    return round(sum(parts) * 1e6) if parts else None


@dataclass(kw_only=True)
class _Coming(Coming):
    WHAT = "a chat completion"
    split: Split
    upstream: str = ""
    begun: bool = False
    finish: str = ""
    done: bool = False

    def take(self, piece: dict[str, object]) -> bool:
        self.begun = True
        self._fail(piece.get("error"))
        self.done = piece.get("done") is True
        if piece.get("usage"):
            self.usage = usage(piece["usage"])
        if upstream := text(piece, "provider"):  # OpenRouter's
            self.upstream = upstream
        for choice in tables(piece, "choices")[:1]:
            self._fail(choice.get("error"))
            delta = choice.get("delta") or choice.get("message")
            if isinstance(delta, dict):
                reasoning, said = self.split(delta)
                self.writing.add("reasoning", reasoning)
                self.writing.add("text", said)
            self.finish = text(choice, "finish_reason") or self.finish
        return self.done

    def _fail(self, error: object) -> None:
        if error:
            raise self.failure(error)

    def reply(self) -> Completion:
        name = self.post.place.name
        if not self.begun:
            raise Nothing("network", f"{name} began an answer and sent nothing")
        if self.finish in ("insufficient_system_resource", "error"):
            raise ProviderError("server", f"{name} broke the answer off ({self.finish}); ask again in some minutes")
        ended = "stop" if self.finish or self.done else ""
        finish = self.finish if self.finish in ("length", "content_filter") else ended
        return replace(self.said(finish), upstream=self.upstream)
