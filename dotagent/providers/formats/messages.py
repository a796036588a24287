"""The Messages format of Anthropic, streamed: the request, marked for its cache, and the answer as it comes.

Its cache holds what is before a mark, and only whole blocks: so the text is cut into blocks exactly where the request
before this one ended, and joined they are what was to be said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dotagent.providers import Completion, Config, Emit, Exhibit, Prompt, ProviderError, Usage
from dotagent.providers.formats import shown
from dotagent.providers.formats.coming import Coming
from dotagent.providers.formats.errors import clean
from dotagent.providers.formats.fields import count, table, tables, text
from dotagent.providers.formats.http import Answer, Post, patience
from dotagent.providers.formats.place import Address
from dotagent.providers.formats.writing import Writing
from dotagent.text import media

PATH = "/messages"
VERSION = "2023-06-01"
STABLE = {"type": "ephemeral", "ttl": "1h"}  # must come before the shorter ones
RECENT = {"type": "ephemeral"}  # five minutes

Block = dict[str, object]


def address(base: str, path: str) -> str:
    """Where /messages and /models are, of a base with or without the version or the path; what it has behind a question
    mark stands there again."""
    before, mark, query = base.partition("?")
    bare = before.rstrip("/").removesuffix(PATH).removesuffix("/v1")
    return f"{bare}/v1{path}{mark}{query}"


def headers(config: Config) -> dict[str, str]:
    """The headers of every request."""
    return {"x-api-key": config.key or "", "anthropic-version": VERSION}


def request(prompt: Prompt, config: Config, place: Address, more: Mapping[str, object]) -> Post:
    """The request to the server. `more` joins its body and must hold `max_tokens`; the life's parameters go before."""
    place = place.of(config)
    place.check(config)
    system, turns = blocks(prompt)
    tools = [{**one, "input_schema": one.get("parameters")} for one in prompt.tools]
    for one in tools:
        one.pop("parameters")
    body = {
        **({"tools": tools} if tools else {}),
        **more,
        **prompt.params,
        "model": prompt.model,
        "messages": turns,
        "stream": True,
    }
    if system:
        body["system"] = system
    url = address(config.base, PATH)
    return Post(url, headers(config), body, place, config.key, prompt.model, patience(config), tools=prompt.tools)


def blocks(prompt: Prompt) -> tuple[list[Block], list[Block]]:
    """The blocks of the system prompt, and the messages; blank ones are left out, since they would be refused.

    A mark for the cache stands at the end of the system prompt (an hour), of the request before this one, and of this
    request (five minutes).
    """
    system: list[Block] = []
    turns: list[Block] = []
    last: Block = {}
    index, length = prompt.previous
    for number, message in enumerate(prompt.messages):
        text = message["content"]
        if not text.strip():
            continue
        if message["role"] == "system":
            system.append(_block(text))
            continue
        content = _cut(shown.placed(prompt, number), length if number == index else 0)
        turns.append({"role": message["role"], "content": content})
        last = content[-1]
    if system:
        system[-1]["cache_control"] = STABLE
    if turns:
        last["cache_control"] = RECENT
    return system, turns


def ask(post: Post, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """Send it and return the whole answer; see Coming.whole."""
    return _Coming(post, Writing(emit)).whole(stop)


def _block(one: str | Exhibit) -> Block:
    if isinstance(one, str):
        return {"type": "text", "text": one}
    kind = {media.PICTURE: "image", media.PDF: "document"}.get(one.kind)
    if not kind:
        return {"type": "text", "text": f"({one.name}: this format takes no sound)"}
    return {"type": kind, "source": {"type": "base64", "media_type": one.type, "data": one.data}}


def _cut(pieces: Sequence[tuple[int, str | Exhibit]], at: int) -> list[Block]:
    """What stands in a message, each from some character on, as blocks; the text is cut where the first `at` characters
    end, and the last block before has a mark. None is blank."""
    before, after = list[str | Exhibit](), list[str | Exhibit]()
    for start, one in pieces:
        if not isinstance(one, str):
            (before if start <= at else after).append(one)
            continue
        first, last = one[: max(0, at - start)], one[max(0, at - start) :]
        if not first.strip() or not last.strip():
            (before if first.strip() else after).append(one)
        else:
            before.append(first)
            after.append(last)
    blocks = [_block(one) for one in before]
    if blocks and any(isinstance(one, str) for one in before):
        blocks[-1] |= {"cache_control": RECENT}
    return blocks + [_block(one) for one in after if not isinstance(one, str) or one.strip()]


@dataclass
class _Coming(Coming):
    WHAT = "an event of a message"
    reason: str = ""
    why: str = ""
    counts: dict[str, int] = field(default_factory=dict)

    def pieces(self, answer: Answer) -> Iterator[dict[str, object]]:
        """The events; of an answer in one object those that would have brought it."""
        for piece in super().pieces(answer):
            if piece.get("type") != "message":
                yield piece
                continue
            yield {"type": "message_start", "message": piece}
            for number, block in enumerate(tables(piece, "content")):
                yield {"type": "content_block_start", "index": number, "content_block": block}
            yield {"type": "message_delta", "delta": piece}
            yield {"type": "message_stop"}

    def take(self, piece: dict[str, object]) -> bool:
        kind = piece.get("type")
        if kind == "error":
            raise self.failure(table(piece, "error"))
        if kind == "message_start":
            self._count(table(piece, "message", "usage"))
        elif kind in ("content_block_start", "content_block_delta"):
            delta = table(piece, "content_block") or table(piece, "delta")
            self.writing.add("reasoning", delta.get("thinking"))
            self.writing.add("text", delta.get("text"))
            if delta.get("type") == "tool_use":
                self.calls.add(piece.get("index"), delta.get("name"), delta.get("input") or None)
            elif delta.get("type") == "input_json_delta":
                self.calls.add(piece.get("index"), None, delta.get("partial_json"))
        elif kind == "message_delta":
            self._count(table(piece, "usage"))
            self.reason = text(piece, "delta", "stop_reason") or self.reason
            details = table(piece, "delta", "stop_details")
            self.why = text(details, "explanation") or text(details, "category")
        return kind == "message_stop"

    def reply(self) -> Completion:
        name = self.post.place.name
        if self.reason == "refusal":
            why = clean(f" ({self.why})" if self.why else "", self.post.secret)
            hint = f"{name}'s model declines to answer {why}".rstrip()
            raise ProviderError("bad_request", f"{hint}: say it in other words, or set DOTAGENT_MODEL to another one")
        if self.reason == "model_context_window_exceeded" and not self.writing.text:
            raise ProviderError("too_long", f"the prompt fills the model's window at {name}", size=self.usage.input)
        cut = self.reason in ("max_tokens", "model_context_window_exceeded")
        return self.said("length" if cut else "stop" if self.reason else "")

    def _count(self, usage: dict[str, object]) -> None:
        """Keep the counts; what a later event counts is the whole so far."""
        thought = table(usage, "output_tokens_details")
        self.counts |= {name: number for told in (usage, thought) for name in told if (number := count(told, name))}
        self.usage = self._usage()

    def _usage(self) -> Usage:
        """Its three counts of the prompt are apart: what was read from the cache, written into it, and neither."""
        cached = self.counts.get("cache_read_input_tokens", 0)
        fresh = self.counts.get("input_tokens", 0) + self.counts.get("cache_creation_input_tokens", 0)
        output, thought = self.counts.get("output_tokens", 0), self.counts.get("thinking_tokens", 0)
        return Usage(fresh + cached, cached, output, thought, written=self.counts.get("cache_creation_input_tokens", 0))
