"""Anthropic's Messages format with streaming: the request with cache marks, and the answer.

The cache contains the prompt up to a mark, in whole blocks. So the text is split into blocks where the previous request
ended; joined, the blocks are the original text. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dotagent.providers import Completion, Config, Emit, Exhibit, Prompt, ProviderError, Usage
from dotagent.providers.formats import media_parts
from dotagent.providers.formats.answer_text import Writing
from dotagent.providers.formats.errors import clean
from dotagent.providers.formats.fields import count, table, tables, text
from dotagent.providers.formats.http import Answer, Post, patience
from dotagent.providers.formats.partial import Coming
from dotagent.providers.formats.place import Address
from dotagent.text import media

PATH = "/messages"
VERSION = "2023-06-01"
STABLE = {"type": "ephemeral", "ttl": "1h"}  # must come before shorter ones
RECENT = {"type": "ephemeral"}  # five minutes

HOUR = "ephemeral_1h_input_tokens"  # for the tokens that were written into the cache
_COUNTS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")

Block = dict[str, object]


def address(base: str, path: str) -> str:
    """Return the address of /messages or /models, for a base with or without version or path. The query of the base is
    kept."""
    before, mark, query = base.partition("?")
    bare = before.rstrip("/").removesuffix(PATH).removesuffix("/v1")
    return f"{bare}/v1{path}{mark}{query}"


def headers(config: Config) -> dict[str, str]:
    """Return the headers of every request."""
    return {**({"x-api-key": config.key} if config.key else {}), "anthropic-version": VERSION}


def request(prompt: Prompt, config: Config, place: Address, more: Mapping[str, object]) -> Post:
    """Return the request to the server. `more` joins its body and must contain `max_tokens`; the agent's parameters
    override it."""
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
    """Return the blocks of the system prompt, and the messages, without blank ones, which would be refused.

    Cache marks are at the end of the system prompt (an hour), of the previous request, and of this request without its
    ending (five minutes).
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
        pieces, ending = media_parts.place_parts(prompt, number), ""
        if prompt.ending and number == len(prompt.messages) - 1:
            start, said = pieces.pop()
            assert isinstance(said, str)  # the ending follows all media
            at = max(0, len(said) - prompt.ending)
            pieces, ending = [*pieces, (start, said[:at])], said[at:]
        content = _cut(pieces, length if number == index else 0)
        last = content[-1] if content else last
        turns.append({"role": message["role"], "content": [*content, *([_block(ending)] if ending else [])]})
    if system:
        system[-1]["cache_control"] = STABLE
    if turns:
        last["cache_control"] = RECENT
    return system, turns


def ask(post: Post, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """Send the request and return the whole answer; see Coming.whole."""
    return _Coming(post, Writing(emit)).whole(stop)


def _block(one: str | Exhibit) -> Block:
    if isinstance(one, str):
        return {"type": "text", "text": one}
    kind = {media.PICTURE: "image", media.PDF: "document"}.get(one.kind)
    if not kind:
        return {"type": "text", "text": f"({one.name}: this type of model API does not accept sound)"}
    return {"type": kind, "source": {"type": "base64", "media_type": one.type, "data": one.data}}


def _cut(pieces: Sequence[tuple[int, str | Exhibit]], at: int) -> list[Block]:
    """Return a message's pieces, each given with its start, as blocks. The text is split after `at` characters, and the
    last block before is marked. No block is blank."""
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
    FORM = "messages"
    reason: str = ""
    why: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    compacted: list[dict[str, object]] = field(default_factory=list)

    def pieces(self, answer: Answer) -> Iterator[dict[str, object]]:
        """Yield the events. An answer in one object becomes the equivalent events."""
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
                self.calls.add(piece.get("index"), delta.get("name"), delta.get("input") or None, delta.get("id"))
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
            hint = f"{hint}: use other words, or set DOTAGENT_MODEL to another model"
            raise ProviderError("bad_request", hint, withheld=True)
        if self.reason == "model_context_window_exceeded" and not self.writing.text:
            raise ProviderError(
                "too_long", f"the prompt is too long for the model's context window at {name}", size=self.usage.input
            )
        return self.ended(self.reason)

    def _count(self, usage: dict[str, object]) -> None:
        """Keep the counts. A later event's counts are totals so far."""
        thought = table(usage, "output_tokens_details")
        tiers = table(usage, "cache_creation")
        parts = (usage, thought, tiers)
        self.counts |= {name: number for told in parts for name in told if (number := count(told, name))}
        if "iterations" in usage:  # a compaction by the server is in no other count
            self.compacted = [one for one in tables(usage, "iterations") if one.get("type") == "compaction"]
        self.usage = self._usage()

    def _usage(self) -> Usage:
        """Return the usage. The API counts the prompt in three separate parts: read from the cache, written to it, and
        neither."""
        of = {name: sum(count(one, name) for one in (self.counts, *self.compacted)) for name in _COUNTS}
        cached, written = of["cache_read_input_tokens"], of["cache_creation_input_tokens"]
        thought = self.counts.get("thinking_tokens", 0)
        whole = of["input_tokens"] + written + cached
        return Usage(whole, cached, of["output_tokens"], thought, written=written, hour=self.counts.get(HOUR, 0))
