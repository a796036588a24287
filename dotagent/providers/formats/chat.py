"""The chat completions format, streamed, as DeepSeek and many others document it.

The pieces of an answer are handed on as they come, reasoning kept apart. An answer counts only when the server says
that it is whole: a stream that was cut is an error and never a short answer. It owns nothing on disk.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from dotagent.providers import Config, Emit, ProviderError, Reply, Request, Usage
from dotagent.providers.formats import redaction, sse
from dotagent.providers.formats.errors import Place, from_event, unset
from dotagent.providers.formats.http import STALL, Answer, Post, parsed, patience, send
from dotagent.providers.formats.writing import Writing

PATH = "/chat/completions"
WHAT = "a chat completion"

Split = Callable[[Mapping[str, object]], tuple[object, object]]
"""What a piece of an answer holds: (reasoning, text); whatever is not a text counts as nothing."""


class Nothing(ProviderError):
    """An answer with status 200 in which nothing came, not even its end."""


def key(config: Config, place: Place) -> dict[str, str]:
    """The header with the key, none where there is no key. Raises ProviderError (unconfigured) for what is unusable."""
    problem = unset(config, place)
    if problem is not None:
        raise ProviderError("unconfigured", problem)
    return {"Authorization": f"Bearer {config.key}"} if config.key else {}


def root(config: Config) -> str:
    """The address that all paths of the API follow, whether or not the base names this format's."""
    return config.base.rstrip("/").removesuffix(PATH)


def request(
    asked: Request, config: Config, place: Place, headers: Mapping[str, str] | None = None, silence: float = STALL
) -> Post:
    """The request to the server; `silence` is in seconds, the longest that is usual there.

    Raises ProviderError (unconfigured) when key or base can not be used.
    """
    sent = {**key(config, place), **(headers or {})}
    body = {
        **asked.params,
        "model": asked.model,
        "messages": list(asked.messages),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    return Post(root(config) + PATH, sent, body, place, config.key, patience(config, silence))


def split(delta: Mapping[str, object]) -> tuple[object, object]:
    """Reasoning and text under the names that most servers use."""
    return delta.get("reasoning_content") or delta.get("reasoning"), delta.get("content")


def ask(post: Post, emit: Emit, stop: Callable[[], bool], split: Split = split) -> Reply:
    """Send it and return the whole answer, each piece emitted as it comes; a server that does not stream is taken too.

    Its upstream is what OpenRouter names as `provider`. Raises ProviderError: network for an answer that was cut off
    (Nothing where it had not begun) or is not in the format, and all that http.send raises.
    """
    coming = _Coming(post, Writing(emit), split)
    with send(post, stop) as answer:
        for chunk in _whole(answer, post) if answer.media.endswith("json") else _chunks(answer, post):
            coming.take(chunk)
    return coming.reply()


def usage(value: object) -> Usage:
    """Tokens from a usage object: DeepSeek's names for cached ones, and OpenAI's; the cost where OpenRouter tells it.

    Gemini counts its thoughts in the total alone: what the total has beyond prompt and answer was thought.
    """
    if not isinstance(value, dict):
        return Usage()
    prompt, said = _number(value, "prompt_tokens"), _number(value, "completion_tokens")
    thought = max(0, _number(value, "total_tokens") - prompt - said)
    cached = _number(value, "prompt_cache_hit_tokens") or _number(value, "prompt_tokens_details", "cached_tokens")
    reasoning = _number(value, "completion_tokens_details", "reasoning_tokens")
    return Usage(prompt, cached, said + thought, reasoning or thought, _cost(value))


def _cost(value: dict[str, object]) -> int | None:
    """Millionths of a dollar: what OpenRouter charges and, with a key of one's own, what its upstream charges."""
    details = value.get("cost_details") if value.get("is_byok") is True else None
    upstream = details.get("upstream_inference_cost") if isinstance(details, dict) else None
    parts = [part for part in (value.get("cost"), upstream) if isinstance(part, int | float)]
    total = sum(parts)
    return round(total * 1e6) if parts and math.isfinite(total) else None


def _chunks(answer: Answer, post: Post) -> Iterator[dict[str, object]]:
    """The JSON objects of a stream, up to its [DONE] if it has one."""
    for event in sse.events(answer.pieces):
        if event.data == "[DONE]":
            yield {"done": True}
            return
        yield parsed(event.data, post.place, WHAT)


def _whole(answer: Answer, post: Post) -> Iterator[dict[str, object]]:
    """An answer in one object; DeepSeek sends empty lines before it while it waits."""
    yield parsed(b"".join(answer.pieces).decode("utf-8", "replace"), post.place, WHAT)


@dataclass
class _Coming:
    """An answer as far as it has come."""

    post: Post
    writing: Writing
    split: Split
    upstream: str = ""
    begun: bool = False
    finish: str = ""
    usage: Usage = field(default_factory=Usage)
    done: bool = False

    def take(self, chunk: dict[str, object]) -> None:
        self.begun = True
        self._fail(chunk.get("error"))
        self.done = self.done or chunk.get("done") is True
        if chunk.get("usage"):
            self.usage = usage(chunk["usage"])
        if isinstance(chunk.get("provider"), str):
            self.upstream = redaction.masked(str(chunk["provider"]))
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return
        self._fail(choice.get("error"))
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            reasoning, text = self.split(delta)
            self.writing.add("reasoning", reasoning)
            self.writing.add("text", text)
        if isinstance(choice.get("finish_reason"), str):
            self.finish = choice["finish_reason"]

    def _fail(self, error: object) -> None:
        """Raise what the server says went wrong after it had begun."""
        if error:
            raise from_event(error, self.post.place, str(self.post.body["model"]), self.post.secret)

    def reply(self) -> Reply:
        """Raises ProviderError where the answer is not whole, or withheld."""
        name = self.post.place.name
        if not self.begun:
            raise Nothing("network", f"{name} began an answer and sent nothing")
        if not self.finish and not self.done:
            raise ProviderError("network", f"the answer of {name} broke off before its end")
        if self.finish in ("insufficient_system_resource", "error"):
            raise ProviderError("server", f"{name} broke the answer off ({self.finish}); ask again in some minutes")
        if self.finish == "content_filter":
            raise ProviderError(
                "bad_request", f"{name} withheld the answer (its content filter): say it in other words"
            )
        finish = "length" if self.finish == "length" else "stop"
        return Reply(self.writing.text, self.writing.reasoning, finish, self.usage, self.upstream)


def _number(value: dict[str, object], *path: str) -> int:
    found: object = value
    for label in path:
        found = found.get(label) if isinstance(found, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) else 0
