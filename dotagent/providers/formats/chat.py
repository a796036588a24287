"""The chat completions format with streaming, as documented by DeepSeek and used by many others.

Pieces of an answer are passed on as they arrive, with reasoning separate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from dotagent import providers
from dotagent.providers import Completion, Config, Emit, Exhibit, Prompt, ProviderError, Seen, Usage, find_window
from dotagent.providers.formats import errors, media_parts, reasons
from dotagent.providers.formats.answer_text import Writing
from dotagent.providers.formats.fields import count, number, table, tables, text, value_at
from dotagent.providers.formats.http import USUAL, Post, Silence, fetch, patience
from dotagent.providers.formats.partial import Coming
from dotagent.providers.formats.place import Address
from dotagent.text import media

PATH = "/chat/completions"
_PATHS = re.compile(r"/(?:chat(?:/completions)?|completions|responses|embeddings|models)\Z")
SHOWN = 12  # models listed in a hint
# Names of a model's window: vLLM's, LiteLLM's, Groq's, Together's and Fireworks', Mistral's.
TELL = ("max_model_len", "max_input_tokens", "context_window", "context_length", "max_context_length")
ENDS = ("shutdown_date", "deprecation", "retires_at")  # names of a model's last day: OpenAI's, Mistral's, Anthropic's

_SILENT = ("embeddings", "embedding", "image", "moderation", "rerank", "audio", "transcribe", "video")
_SEES = {media.PICTURE: "vision", media.SOUND: "audio"}  # Mistral's names for them
_SOUNDS = {"audio/mpeg": "mp3", "audio/wav": "wav"}

Split = Callable[[Mapping[str, object]], tuple[object, object]]
"""Returns the (reasoning, text) in a piece of an answer; a value that is not a text is ignored."""


class Nothing(ProviderError):
    """An empty answer with status 200, without even an end."""


_OPTIONS = {"temperature": "temperature", "max_tokens": "max_tokens", "effort": "reasoning_effort"}


def root(config: Config) -> str:
    """Return the root address of the API, without the path of a request if the base contains it."""
    return _PATHS.sub("", config.base.partition("?")[0].rstrip("/"))


def at_path(config: Config, path: str) -> str:
    """Return a path's address, with the query of the base, such as Azure's `api-version`."""
    _, mark, query = config.base.partition("?")
    return root(config) + path + mark + query


def choose_model(entries: list[dict[str, object]], model: str) -> dict[str, object]:
    """Return the entry of the model, or without a model the first chat model."""
    return next((one for one in talking(entries) if not model or one.get("id") == model), {})


def talking(entries: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return the chat models, by the types that LM Studio and Together give."""
    return [one for one in entries if one.get("type") not in _SILENT]


def length(entry: Mapping[str, object]) -> int:
    """Return a model's window from a server's list, under any of its names, or 0."""
    return next(filter(None, (count(entry, name) for name in TELL)), 0)


def senses(entry: Mapping[str, object]) -> str | None:
    """Return the media.KINDS that a model accepts according to a list like Mistral's, or None if the list does not
    say."""
    able = table(entry, "capabilities")
    return " ".join(kind for kind, name in _SEES.items() if able.get(name) is True) if "vision" in able else None


def find_model(config: Config, model: str, place: Address, usual: int | Mapping[str, int]) -> Seen:
    """Return the model's window from the server's list, or from the table. Raises ProviderError, except for a server
    without such a list."""
    place = place.of(config)
    try:
        told = fetch(Post(at_path(config, "/models"), place.bearer(config), None, place, config.key, model))
    except ProviderError as error:
        if error.kind not in ("missing", "bad_request"):
            raise
        told = {}
    if not model:
        there = ", ".join(text(one, "id") for one in talking(tables(told, "data"))[:SHOWN])
        hint = (
            f"no model of {place.name} is chosen; set `model` under [providers.{config.server}], or "
            f"DOTAGENT_MODEL, to one of these models:"
        )
        raise ProviderError("missing", f"{hint} {there or f'see {place.models}'}")
    mine = choose_model(tables(told, "data"), model)
    size = length(mine)
    found = Seen(model, size) if size else find_window(providers.table(config, usual), model)
    ends = next(filter(None, (text(mine, name)[:10] for name in ENDS)), "")
    return replace(found, sees=senses(mine), ends=ends)


def request(
    prompt: Prompt, config: Config, place: Address, headers: Mapping[str, str] | None = None, silence: Silence = USUAL
) -> Post:
    """Return the request to the server. `silence` is the usual longest silence there."""
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
    url, silence = at_path(config, PATH), patience(config, silence)
    return Post(url, sent, body, place, config.key, prompt.model, silence, tools=prompt.tools)


def messages(prompt: Prompt, form: Callable[[str | Exhibit], dict[str, object]]) -> list[Mapping[str, object]]:
    """Return the messages in this format: only text stays text, and otherwise each piece has its `form`."""
    found: list[Mapping[str, object]] = [*prompt.messages]
    for index in prompt.shown:
        found[index] = {**found[index], "content": [form(one) for one in media_parts.pieces(prompt, index)]}
    return found


def piece(one: str | Exhibit) -> dict[str, object]:
    """Return a text or a medium in this format."""
    if isinstance(one, str):
        return {"type": "text", "text": one}
    if one.kind == media.PICTURE:
        return {"type": "image_url", "image_url": {"url": one.url}}
    if one.kind == media.PDF:
        return {"type": "file", "file": {"filename": one.name, "file_data": one.url}}
    return {"type": "input_audio", "input_audio": {"data": one.data, "format": _SOUNDS.get(one.type, "wav")}}


def functions(prompt: Prompt) -> dict[str, object]:
    """Return the tools in this format, or nothing without tools."""
    return {"tools": [{"type": "function", "function": one} for one in prompt.tools]} if prompt.tools else {}


def split(delta: Mapping[str, object]) -> tuple[object, object]:
    """Return reasoning and text under the names that most servers use. Some, such as Mistral, mix pieces of both in a
    list."""
    content = delta.get("content")
    if not isinstance(content, list):
        return delta.get("reasoning_content") or delta.get("reasoning"), content
    parts = tables(delta, "content")
    thought = "".join(text(one, "text") for part in parts for one in tables(part, "thinking"))
    return thought, "".join(text(part, "text") for part in parts if part.get("type") == "text")


def ask(post: Post, emit: Emit, stop: Callable[[], bool], split: Split = split) -> Completion:
    """Send the request and return the whole answer; see Coming.whole. Raises Nothing if the answer did not begin."""
    return _Coming(post, Writing(emit), split=split).whole(stop)


def usage(value: object) -> Usage:
    """Parse a usage object with DeepSeek's or OpenAI's names for cached tokens, and OpenRouter's cost.

    Gemini includes its thoughts only in the total, so tokens beyond prompt and answer count as reasoning.
    """
    prompt, said = count(value, "prompt_tokens"), count(value, "completion_tokens")
    thought = max(0, count(value, "total_tokens") - prompt - said)
    cached = count(value, "prompt_cache_hit_tokens") or count(value, "prompt_tokens_details", "cached_tokens")
    reasoning = count(value, "completion_tokens_details", "reasoning_tokens")
    written = count(value, "prompt_tokens_details", "cache_write_tokens")
    return Usage(prompt, cached, said + thought, reasoning or thought, _cost(value), written)


def _cost(value: object) -> int | None:
    """Return the cost in millionths of a dollar: OpenRouter's charge, and with the user's own key its upstream's
    charge."""
    own = value_at(value, "is_byok") is True
    upstream = number(value, "cost_details", "upstream_inference_cost") if own else None
    parts = [part for part in (number(value, "cost"), upstream) if part is not None]
    return round(sum(parts) * 1e6) if parts else None


@dataclass(kw_only=True)
class _Coming(Coming):
    WHAT = "a chat completion"
    FORM = "chat"
    split: Split
    upstream: str = ""
    begun: bool = False
    finish: str = ""
    done: bool = False

    def take(self, piece: dict[str, object]) -> bool:
        self.begun = True
        error, beside = piece.get("error"), {name: piece[name] for name in errors.STATUSES if name in piece}
        self._fail({**beside, **error} if isinstance(error, dict) else error or value_at(piece, "x_groq", "error"))
        self.done = piece.get("done") is True
        if told := piece.get("usage") or value_at(piece, "x_groq", "usage"):  # Groq's place for it
            self.usage = usage(told)
        if upstream := text(piece, "provider"):  # from OpenRouter
            self.upstream = upstream
        if total := count(piece, "prompt_progress", "total"):  # from llama.cpp, requested with `return_progress`
            self.writing.emit("read", f"{count(piece, 'prompt_progress', 'processed')}/{total}")
        for choice in tables(piece, "choices")[:1]:
            self._fail(choice.get("error"))
            delta = choice.get("delta") or choice.get("message")
            if isinstance(delta, dict):
                reasoning, said = self.split(delta)
                self.writing.add("reasoning", reasoning)
                self.writing.add("text", said or delta.get("refusal"))  # the model's own words, and its whole answer
                one = delta.get("tool_calls") or delta.get("function_call")  # the latter is OpenAI's first form
                for call in tables(delta, "tool_calls") or ([one] if isinstance(one, dict) else []):
                    function = table(call, "function") or call
                    self.calls.add(call.get("index"), function.get("name"), function.get("arguments"), call.get("id"))
            native = text(choice, "native_finish_reason")  # LiteLLM says `stop` for an end that it does not know
            exact = reasons.end(self.FORM, native) in ("cut", "withheld")
            self.finish = (native if exact else text(choice, "finish_reason")) or self.finish
        return self.done

    def _fail(self, error: object) -> None:
        if error:
            raise self.failure(error)

    def reply(self) -> Completion:
        if not self.begun:
            raise Nothing("network", f"{self.post.place.name} began an answer, but sent no text")
        reply = self.ended(self.finish or ("stop" if self.done else ""))
        return replace(reply, upstream=self.upstream)
