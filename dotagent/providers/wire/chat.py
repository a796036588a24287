"""The chat completions format, streamed, as DeepSeek and many others document it.

The pieces of an answer are handed on as they come, reasoning kept apart. An answer counts only when the server says
that it is whole: a stream that was cut is an error and never a short answer. It owns nothing on disk.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from dotagent.providers import Config, Emit, ProviderError, Reply, Request, Usage
from dotagent.providers.wire import sse
from dotagent.providers.wire.errors import Place, from_event, unset
from dotagent.providers.wire.http import STALL, Answer, Post, send
from dotagent.providers.wire.writing import Writing

PATH = "/chat/completions"


def request(asked: Request, config: Config, place: Place) -> Post:
    """The request to the server. Raises ProviderError (unconfigured) when key or base can not be used."""
    problem = unset(config, place)
    if problem is not None:
        raise ProviderError("unconfigured", problem)
    url = config.base.rstrip("/")
    body = {
        **asked.params,
        "model": asked.model,
        "messages": list(asked.messages),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    headers = {"Authorization": f"Bearer {config.key}"}
    stall = config.settings.get("stall")
    seconds = float(stall) if isinstance(stall, int | float) and stall > 0 else STALL
    return Post(url if url.endswith(PATH) else url + PATH, headers, body, place, config.key, seconds)


def ask(post: Post, emit: Emit, stop: Callable[[], bool]) -> Reply:
    """Send it and return the whole answer, each piece emitted as it comes; a server that does not stream is taken too.

    Raises ProviderError: network for an answer that was cut off or is not in the format, and all that http.send raises.
    """
    coming = _Coming(post, Writing(emit))
    with send(post, stop) as answer:
        if answer.media == "text/html":
            hint = f"{post.place.name} answered with a web page: {post.place.base} is not the address of its API"
            raise ProviderError("missing", hint)
        for chunk in _whole(answer, post) if answer.media.endswith("json") else _chunks(answer, post):
            coming.take(chunk)
    return coming.reply()


def usage(value: object) -> Usage:
    """Tokens from a usage object: DeepSeek's names for cached ones, and OpenAI's."""
    if not isinstance(value, dict):
        return Usage()
    cached = _number(value, "prompt_cache_hit_tokens") or _number(value, "prompt_tokens_details", "cached_tokens")
    reasoning = _number(value, "completion_tokens_details", "reasoning_tokens")
    return Usage(_number(value, "prompt_tokens"), cached, _number(value, "completion_tokens"), reasoning)


def _chunks(answer: Answer, post: Post) -> Iterator[dict[str, object]]:
    """The JSON objects of a stream, up to its [DONE] if it has one."""
    for event in sse.events(answer.pieces):
        if event.data == "[DONE]":
            yield {"done": True}
            return
        yield _object(event.data, post)


def _whole(answer: Answer, post: Post) -> Iterator[dict[str, object]]:
    """An answer in one object; DeepSeek sends empty lines before it while it waits."""
    yield _object(b"".join(answer.pieces).decode("utf-8", "replace"), post)


def _object(text: str, post: Post) -> dict[str, object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ProviderError("network", f"{post.place.name} sent something that is not a chat completion")
    return value


@dataclass
class _Coming:
    """An answer as far as it has come."""

    post: Post
    writing: Writing
    finish: str = ""
    usage: Usage = field(default_factory=Usage)
    done: bool = False

    def take(self, chunk: dict[str, object]) -> None:
        if chunk.get("error"):
            raise from_event(chunk["error"], self.post.place, str(self.post.body["model"]), self.post.secret)
        self.done = self.done or chunk.get("done") is True
        if chunk.get("usage"):
            self.usage = usage(chunk["usage"])
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            self.writing.add("reasoning", delta.get("reasoning_content") or delta.get("reasoning"))
            self.writing.add("text", delta.get("content"))
        if isinstance(choice.get("finish_reason"), str):
            self.finish = choice["finish_reason"]

    def reply(self) -> Reply:
        """Raises ProviderError where the answer is not whole, or withheld."""
        name = self.post.place.name
        if not self.finish and not self.done:
            raise ProviderError("network", f"the answer of {name} broke off before its end")
        if self.finish in ("insufficient_system_resource", "error"):
            raise ProviderError("server", f"{name} broke the answer off ({self.finish}); ask again in some minutes")
        if self.finish == "content_filter":
            raise ProviderError(
                "bad_request", f"{name} withheld the answer (its content filter): say it in other words"
            )
        finish = "length" if self.finish == "length" else "stop"
        return Reply(self.writing.text, self.writing.reasoning, finish, self.usage)


def _number(value: dict[str, object], *path: str) -> int:
    found: object = value
    for label in path:
        found = found.get(label) if isinstance(found, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) else 0
