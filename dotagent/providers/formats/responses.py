"""The Responses format with streaming, as OpenAI documents it: named events; the last event says how it ended.

The server keeps nothing (`store` is false), so each request contains the whole prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dotagent.providers import Completion, Config, Emit, Exhibit, Prompt, ProviderError, Usage
from dotagent.providers.formats import media_parts
from dotagent.providers.formats.answer_text import Writing
from dotagent.providers.formats.errors import from_event
from dotagent.providers.formats.fields import count, table, tables, text
from dotagent.providers.formats.http import Answer, Post, patience
from dotagent.providers.formats.partial import Coming
from dotagent.providers.formats.place import Address, origin
from dotagent.providers.formats.reasons import Meaning
from dotagent.text import media

PATH = "/responses"
_NAMES = {"max_tokens": "max_output_tokens", "max_completion_tokens": "max_output_tokens"}  # the names in chat
_CHANNELS = {
    "response.output_text.delta": "text",
    "response.refusal.delta": "text",  # the model's own words, and its whole answer
    "response.reasoning_summary_text.delta": "reasoning",
    "response.reasoning_text.delta": "reasoning",
}
_ENDS = {
    "response.completed": "completed",
    "response.done": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
}


def request(prompt: Prompt, config: Config, place: Address, path: str = PATH) -> Post:
    """Return the request to the server. The settings `effort` and `summary` control the model's reasoning."""
    place = place.of(config)
    chosen = {name: config.settings[name] for name in ("temperature", "max_tokens") if name in config.settings}
    instructions = "\n\n".join(one["content"] for one in prompt.messages if one["role"] == "system")
    reasoning = {name: config.settings[name] for name in ("effort", "summary") if config.settings.get(name)}
    tools = [{"type": "function", **one, "strict": False} for one in prompt.tools]
    body = {
        **({"tools": tools} if tools else {}),
        **({"reasoning": reasoning} if reasoning else {}),
        **{_NAMES.get(name, name): value for name, value in {**chosen, **prompt.params}.items()},
        "model": prompt.model,
        **({"instructions": instructions} if instructions else {}),
        "input": [
            _item(number, one["role"], media_parts.pieces(prompt, number))
            for number, one in enumerate(prompt.messages)
            if one["role"] != "system"
        ],
        "stream": True,
        "store": False,
    }
    base, mark, query = config.base.partition("?")
    url = base.rstrip("/").removesuffix(path) + path + mark + query
    return Post(url, place.bearer(config), body, place, config.key, prompt.model, patience(config), tools=prompt.tools)


def cache_key(prompt: Prompt, config: Config, home: str) -> dict[str, object]:
    """Return the name of the agent's own cache for servers that accept it: the official one, or by the setting.

    A server that forwards requests may refuse an unknown parameter.
    """
    wanted = config.settings.get("prompt_cache_key", origin(config.base) == origin(home))
    return {"prompt_cache_key": prompt.agent} if wanted is True and prompt.agent else {}


def ask(post: Post, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """Send the request and return the whole answer; see Coming.whole."""
    return _Coming(post, Writing(emit)).whole(stop)


def usage(value: object) -> Usage:
    """Parse a response's usage object."""
    cached = count(value, "input_tokens_details", "cached_tokens")
    reasoning = count(value, "output_tokens_details", "reasoning_tokens")
    written = count(value, "input_tokens_details", "cache_write_tokens")
    return Usage(count(value, "input_tokens"), cached, count(value, "output_tokens"), reasoning, written=written)


def _item(number: int, role: str, pieces: Sequence[str | Exhibit]) -> dict[str, object]:
    """Return a message of the history. An answer gets the fields that the server gave it, with its position as id."""
    item: dict[str, object] = {"type": "message", "role": role}
    if role != "assistant":
        return {**item, "content": [_input(one) for one in pieces]}
    said: list[dict[str, object]] = [{"type": "output_text", "text": one, "annotations": []} for one in pieces]
    return {**item, "content": said, "id": f"msg_{number}", "status": "completed"}


def _input(one: str | Exhibit) -> dict[str, object]:
    if isinstance(one, str):
        return {"type": "input_text", "text": one}
    if one.kind == media.PICTURE:
        return {"type": "input_image", "detail": "auto", "image_url": one.url}
    if one.kind == media.PDF:
        return {"type": "input_file", "filename": one.name, "file_data": one.url}
    return {"type": "input_text", "text": f"({one.name}: this type of model API does not accept sound)"}


@dataclass
class _Coming(Coming):
    """`status` is how the answer ended, or "" before its end."""

    WHAT = "an event of a response"
    FORM = "responses"
    status: str = ""
    reason: str = ""
    gaps: set[str] = field(default_factory=set)  # channels with another message or summary

    def pieces(self, answer: Answer) -> Iterator[dict[str, object]]:
        """Yield the events. An answer in one object becomes the equivalent event."""
        for piece in super().pieces(answer):
            whole = answer.media.endswith("json")
            yield {"type": f"response.{piece.get('status')}", "response": piece} if whole else piece

    def take(self, piece: dict[str, object]) -> bool:
        kind = str(piece.get("type"))
        if kind == "error" or (piece.get("error") and kind not in _ENDS):
            raise self.failure(piece.get("error") or piece)
        if kind in _CHANNELS:
            self._write(_CHANNELS[kind], piece.get("delta"))
        elif kind == "response.function_call_arguments.delta":
            self.calls.add(piece.get("output_index"), None, piece.get("delta"), piece.get("item_id"))
        elif kind in ("response.output_item.added", "response.output_item.done"):
            self._item(kind, piece.get("output_index"), table(piece, "item"))
        elif kind == "response.reasoning_summary_part.added":
            self.gaps.add("reasoning")
        elif kind in _ENDS:
            self._end(_ENDS[kind], table(piece, "response"))
        return bool(self.status)

    def failure(self, error: object) -> ProviderError:
        """Return the error. A code that no table has is a refusal, because the few that pass are known."""
        unknown: Meaning = "refused" if text(error, "code") else "again"
        return from_event(error, self.post.place, self.post.model, self.post.secret, unknown)

    def reply(self) -> Completion:
        full = count(self.post.body, "max_output_tokens")
        if self.status == "completed" and full and self.usage.output == full:
            return self.ended("max_output_tokens")  # llama.cpp does not call this incomplete
        return self.ended(self.reason or self.status)

    def _write(self, channel: str, delta: object) -> None:
        """Write the next piece, after a blank line if a later part begins."""
        if not isinstance(delta, str) or not delta:
            return
        if channel in self.gaps:
            self.gaps.discard(channel)
            if self.writing.reasoning if channel == "reasoning" else self.writing.text:
                delta = f"\n\n{delta}"
        self.writing.add(channel, delta)

    def _item(self, kind: str, place: object, item: Mapping[str, object]) -> None:
        if item.get("type") == "message" and kind.endswith("added"):
            self.gaps.add("text")
        elif item.get("type") == "function_call":
            put = self.calls.add if kind.endswith("added") else self.calls.replaced
            put(place, item.get("name"), item.get("arguments"), item.get("id"))

    def _end(self, status: str, response: Mapping[str, object]) -> None:
        inside = text(response, "status")  # some servers name the event by its end and give the status inside
        status = inside if inside in ("incomplete", "failed", "cancelled") else status
        if status in ("failed", "cancelled"):
            raise self.failure(response.get("error") or {"message": f"the response was {status}"})
        self.status, self.usage = status, usage(response.get("usage"))
        self.reason = text(response, "incomplete_details", "reason")
        if not self.writing.text:
            self._output(response)
        called = [item for item in tables(response, "output") if item.get("type") == "function_call"]
        self.calls.replace_all([(one.get("name"), one.get("arguments"), one.get("id")) for one in called])

    def _output(self, response: Mapping[str, object]) -> None:
        """Read the output that a server without streaming puts into the response."""
        channels = {"message": "text"} if self.writing.reasoning else {"message": "text", "reasoning": "reasoning"}
        for item in tables(response, "output"):
            channel = channels.get(text(item, "type"))
            if channel:
                self.gaps.add(channel)
                for part in (*tables(item, "summary"), *tables(item, "content")):
                    self._write(channel, part.get("text") or part.get("refusal"))
