"""The chat completions format, streamed, as DeepSeek and many others document it.

The pieces of an answer are handed on as they come, reasoning kept apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from dotagent import providers
from dotagent.providers import Completion, Config, Emit, Exhibit, Prompt, ProviderError, Seen, Usage, listed
from dotagent.providers.formats import shown
from dotagent.providers.formats.coming import Coming
from dotagent.providers.formats.fields import at, count, number, table, tables, text
from dotagent.providers.formats.http import STALL, Post, fetch, patience
from dotagent.providers.formats.place import Address
from dotagent.providers.formats.writing import Writing
from dotagent.text import media

PATH = "/chat/completions"
SHOWN = 12  # models that a hint lists
# A window's names beside a model: vLLM's, LiteLLM's, Groq's, of Together and Fireworks, Mistral's.
TELL = ("max_model_len", "max_input_tokens", "context_window", "context_length", "max_context_length")

_SILENT = ("embeddings", "embedding", "image", "moderation", "rerank", "audio", "transcribe", "video")
_SEES = {media.PICTURE: "vision", media.SOUND: "audio"}  # what Mistral calls them
_SOUNDS = {"audio/mpeg": "mp3", "audio/wav": "wav"}

Split = Callable[[Mapping[str, object]], tuple[object, object]]
"""What a piece of an answer holds: (reasoning, text); whatever is not a text counts as nothing."""


class Nothing(ProviderError):
    """An answer with status 200 in which nothing came, not even its end."""


_OPTIONS = {"temperature": "temperature", "max_tokens": "max_tokens", "effort": "reasoning_effort"}


def root(config: Config) -> str:
    """The address that all paths of the API follow, whether or not the base names this format's."""
    return config.base.partition("?")[0].rstrip("/").removesuffix(PATH)


def at_path(config: Config, path: str) -> str:
    """A path's address; what the base has behind a question mark, as Azure's `api-version`, stands there again."""
    _, mark, query = config.base.partition("?")
    return root(config) + path + mark + query


def chosen(entries: list[dict[str, object]], model: str) -> dict[str, object]:
    """The entry of the model; of no model in particular the first that can talk."""
    return next((one for one in talking(entries) if not model or one.get("id") == model), {})


def talking(entries: list[dict[str, object]]) -> list[dict[str, object]]:
    """Those that answer in words, as LM Studio and Together tell them from others."""
    return [one for one in entries if one.get("type") not in _SILENT]


def length(entry: Mapping[str, object]) -> int:
    """The window that a server's list of models tells of one, by whichever name; 0 where it tells none."""
    return next(filter(None, (count(entry, name) for name in TELL)), 0)


def senses(entry: Mapping[str, object]) -> str | None:
    """What of media.KINDS a server's list says that a model takes, as Mistral's does; None where it says nothing."""
    able = table(entry, "capabilities")
    return " ".join(kind for kind, name in _SEES.items() if able.get(name) is True) if "vision" in able else None


def seen(config: Config, model: str, place: Address, usual: int | Mapping[str, int]) -> Seen:
    """The model's window as the server's list tells it, else as the table does. Raises ProviderError, but not for a
    server that has no such list."""
    place = place.of(config)
    try:
        told = fetch(Post(at_path(config, "/models"), place.bearer(config), None, place, config.key, model))
    except ProviderError as error:
        if error.kind not in ("missing", "bad_request"):
            raise
        told = {}
    if not model:
        there = ", ".join(text(one, "id") for one in talking(tables(told, "data"))[:SHOWN])
        hint = f"which model of {place.name}? set `model` under [providers.{config.server}], or DOTAGENT_MODEL: it has"
        raise ProviderError("missing", f"{hint} {there or f'those that {place.models} tells of'}")
    mine = chosen(tables(told, "data"), model)
    size = length(mine)
    found = Seen(model, size) if size else listed(providers.table(config, usual), model)
    return replace(found, sees=senses(mine))


def request(
    prompt: Prompt, config: Config, place: Address, headers: Mapping[str, str] | None = None, silence: float = STALL
) -> Post:
    """The request to the server; `silence` is in seconds, the longest that is usual there."""
    place = place.of(config)
    chosen = {there: config.settings[name] for name, there in _OPTIONS.items() if name in config.settings}
    body = {
        **functions(prompt),
        **chosen,
        **prompt.params,
        "model": prompt.model,
        "messages": messages(prompt, piece),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    sent = {**place.bearer(config), **(headers or {})}
    return Post(
        at_path(config, PATH),
        sent,
        body,
        place,
        config.key,
        prompt.model,
        patience(config, silence),
        tools=prompt.tools,
    )


def messages(prompt: Prompt, form: Callable[[str | Exhibit], dict[str, object]]) -> list[Mapping[str, object]]:
    """The messages as this format has them: text alone is a text, and each piece of others has its `form`."""
    found: list[Mapping[str, object]] = [*prompt.messages]
    for index in prompt.shown:
        found[index] = {**found[index], "content": [form(one) for one in shown.pieces(prompt, index)]}
    return found


def piece(one: str | Exhibit) -> dict[str, object]:
    """A text, or what is shown, as this format has it."""
    if isinstance(one, str):
        return {"type": "text", "text": one}
    if one.kind == media.PICTURE:
        return {"type": "image_url", "image_url": {"url": one.url}}
    if one.kind == media.PDF:
        return {"type": "file", "file": {"filename": one.name, "file_data": one.url}}
    return {"type": "input_audio", "input_audio": {"data": one.data, "format": _SOUNDS.get(one.type, "wav")}}


def functions(prompt: Prompt) -> dict[str, object]:
    """The tools as this format has them; nothing where there are none."""
    return {"tools": [{"type": "function", "function": one} for one in prompt.tools]} if prompt.tools else {}


def split(delta: Mapping[str, object]) -> tuple[object, object]:
    """Reasoning and text under the names that most servers use; some, as Mistral's, have pieces of both in a list."""
    content = delta.get("content")
    if not isinstance(content, list):
        return delta.get("reasoning_content") or delta.get("reasoning"), content
    parts = tables(delta, "content")
    thought = "".join(text(one, "text") for part in parts for one in tables(part, "thinking"))
    return thought, "".join(text(part, "text") for part in parts if part.get("type") == "text")


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
        self._fail(piece.get("error") or at(piece, "x_groq", "error"))
        self.done = piece.get("done") is True
        if told := piece.get("usage") or at(piece, "x_groq", "usage"):  # Groq tells it there, unasked
            self.usage = usage(told)
        if upstream := text(piece, "provider"):  # OpenRouter's
            self.upstream = upstream
        for choice in tables(piece, "choices")[:1]:
            self._fail(choice.get("error"))
            delta = choice.get("delta") or choice.get("message")
            if isinstance(delta, dict):
                reasoning, said = self.split(delta)
                self.writing.add("reasoning", reasoning)
                self.writing.add("text", said)
                for number, call in enumerate(tables(delta, "tool_calls")):
                    key = call.get("index", number)  # who sends calls whole may leave it out
                    self.calls.add(key, at(call, "function", "name"), at(call, "function", "arguments"))
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
