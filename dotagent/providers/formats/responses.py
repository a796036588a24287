"""The Responses format, streamed, as OpenAI documents it: named events, and a last one that says how it ended.

The server keeps nothing (`store` is false): each request holds the whole prompt. An answer counts only when its last
event is there: a stream that was cut is an error and never a short answer. It owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from dotagent.providers import Config, Emit, ProviderError, Reply, Request, Usage
from dotagent.providers.formats import sse
from dotagent.providers.formats.chat import key
from dotagent.providers.formats.errors import Place, from_event
from dotagent.providers.formats.http import Answer, Post, parsed, patience, send
from dotagent.providers.formats.writing import Writing

PATH = "/responses"
_NAMES = {"max_tokens": "max_output_tokens", "max_completion_tokens": "max_output_tokens"}  # chat's, and what is meant
WHAT = "an event of a response"
_CHANNELS = {
    "response.output_text.delta": "text",
    "response.refusal.delta": "text",  # the model's own words, and all that it says
    "response.reasoning_summary_text.delta": "reasoning",
    "response.reasoning_text.delta": "reasoning",
}
_ENDS = {
    "response.completed": "completed",
    "response.done": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
}


def request(asked: Request, config: Config, place: Place, path: str = PATH) -> Post:
    """The request to the server. The settings `effort` and `summary` are what is asked of a model's reasoning.

    Raises ProviderError (unconfigured) when key or base can not be used.
    """
    headers = key(config, place)
    instructions = "\n\n".join(one["content"] for one in asked.messages if one["role"] == "system")
    reasoning = {name: config.settings[name] for name in ("effort", "summary") if config.settings.get(name)}
    body = {
        **({"reasoning": reasoning} if reasoning else {}),
        **{_NAMES.get(name, name): value for name, value in asked.params.items()},
        "model": asked.model,
        **({"instructions": instructions} if instructions else {}),
        "input": [_item(one["role"], one["content"]) for one in asked.messages if one["role"] != "system"],
        "stream": True,
        "store": False,
    }
    url = config.base.rstrip("/")
    return Post(url if url.endswith(path) else url + path, headers, body, place, config.key, patience(config))


def ask(post: Post, emit: Emit, stop: Callable[[], bool]) -> Reply:
    """Send it and return the whole answer, each piece emitted as it comes; a server that does not stream is taken too.

    Raises ProviderError: network for an answer that was cut off or is not in the format, and all that http.send raises.
    """
    coming = _Coming(post, Writing(emit))
    with send(post, stop) as answer:
        for event in _whole(answer, post) if answer.media.endswith("json") else _events(answer, post):
            coming.take(event)
            if coming.status:
                break
    return coming.reply()


def usage(value: object) -> Usage:
    """Tokens from a response's usage object."""
    cached = _number(value, "input_tokens_details", "cached_tokens")
    reasoning = _number(value, "output_tokens_details", "reasoning_tokens")
    return Usage(_number(value, "input_tokens"), cached, _number(value, "output_tokens"), reasoning)


def _item(role: str, text: str) -> dict[str, object]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _events(answer: Answer, post: Post) -> Iterator[dict[str, object]]:
    for event in sse.events(answer.pieces):
        if event.data == "[DONE]":  # of servers that imitate the format
            return
        yield parsed(event.data, post.place, WHAT)


def _whole(answer: Answer, post: Post) -> Iterator[dict[str, object]]:
    """An answer in one object, as the event that would have brought it."""
    response = parsed(b"".join(answer.pieces).decode("utf-8", "replace"), post.place, WHAT)
    yield {"type": f"response.{response.get('status')}", "response": response}


@dataclass
class _Coming:
    """An answer as far as it has come; `status` is how it ended, empty until it has."""

    post: Post
    writing: Writing
    status: str = ""
    reason: str = ""
    usage: Usage = field(default_factory=Usage)
    gaps: set[str] = field(default_factory=set)  # channels in which another message or summary has begun

    def take(self, event: Mapping[str, object]) -> None:
        kind = str(event.get("type"))
        if kind == "error" or (event.get("error") and kind not in _ENDS):
            raise self._error(event.get("error") or event)
        if kind in _CHANNELS:
            self._write(_CHANNELS[kind], event.get("delta"))
        elif kind == "response.output_item.added":
            item = event.get("item")
            if isinstance(item, dict) and item.get("type") == "message":
                self.gaps.add("text")
        elif kind == "response.reasoning_summary_part.added":
            self.gaps.add("reasoning")
        elif kind in _ENDS:
            response = event.get("response")
            self._end(_ENDS[kind], response if isinstance(response, dict) else {})

    def reply(self) -> Reply:
        """Raises ProviderError where the answer is not whole, or withheld."""
        name = self.post.place.name
        if not self.status:
            raise ProviderError("network", f"the answer of {name} broke off before its end")
        if self.reason == "content_filter":
            raise ProviderError(
                "bad_request", f"{name} withheld the answer (its content filter): say it in other words"
            )
        finish = "stop" if self.status == "completed" else "length"
        return Reply(self.writing.text, self.writing.reasoning, finish, self.usage)

    def _write(self, channel: str, delta: object) -> None:
        """The next piece; a blank line comes before it where a new part begins and is not the first."""
        if not isinstance(delta, str) or not delta:
            return
        if channel in self.gaps:
            self.gaps.discard(channel)
            if self.writing.reasoning if channel == "reasoning" else self.writing.text:
                delta = f"\n\n{delta}"
        self.writing.add(channel, delta)

    def _end(self, status: str, response: Mapping[str, object]) -> None:
        if status == "failed":
            raise self._error(response.get("error") or {})
        details = response.get("incomplete_details")
        self.status, self.usage = status, usage(response.get("usage"))
        self.reason = str(details.get("reason")) if isinstance(details, dict) else ""
        if not self.writing.text:
            self._output(response.get("output"))

    def _output(self, output: object) -> None:
        """What a server that does not stream has put into the response itself."""
        channels = {"message": "text"} if self.writing.reasoning else {"message": "text", "reasoning": "reasoning"}
        for item in _dicts(output):
            channel = channels.get(str(item.get("type")))
            if channel:
                self.gaps.add(channel)
                for part in (*_dicts(item.get("summary")), *_dicts(item.get("content"))):
                    self._write(channel, part.get("text") or part.get("refusal"))

    def _error(self, error: object) -> ProviderError:
        return from_event(error, self.post.place, str(self.post.body["model"]), self.post.secret)


def _dicts(value: object) -> list[dict[str, object]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _number(value: object, *path: str) -> int:
    for label in path:
        value = value.get(label) if isinstance(value, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
