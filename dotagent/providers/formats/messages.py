"""The Messages format of Anthropic, streamed: the request, marked for its cache, and the answer as it comes.

Its cache holds what is before a mark, and only whole blocks: so the text is cut into blocks exactly where the request
before this one ended, and joined they are what was to be said. It owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from dotagent.providers import Config, Emit, ProviderError, Reply, Request, Usage
from dotagent.providers.formats import sse
from dotagent.providers.formats.errors import Place, clean, from_event, unset
from dotagent.providers.formats.http import Answer, Post, parsed, patience, send
from dotagent.providers.formats.writing import Writing

PATH = "/messages"
VERSION = "2023-06-01"
STABLE = {"type": "ephemeral", "ttl": "1h"}  # must come before the shorter ones
RECENT = {"type": "ephemeral"}  # five minutes
# The statuses that errors inside a stream would have had outside of it; of all others, such as overloaded_error, 5xx.
STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
}

Block = dict[str, object]


def root(base: str) -> str:
    """The address under which /messages and /models are, of a base with or without the version or the path."""
    bare = base.rstrip("/").removesuffix(PATH)
    return bare if bare.endswith("/v1") else bare + "/v1"


def headers(config: Config) -> dict[str, str]:
    """The headers of every request."""
    return {"x-api-key": config.key or "", "anthropic-version": VERSION}


def request(asked: Request, config: Config, place: Place, more: Mapping[str, object]) -> Post:
    """The request to the server, with `more` in its body (of that `max_tokens` must be; the life's parameters go
    before). Raises ProviderError (unconfigured) when key or base can not be used."""
    problem = unset(config, place)
    if problem is not None:
        raise ProviderError("unconfigured", problem)
    system, turns = blocks(asked)
    body = {**more, **asked.params, "model": asked.model, "messages": turns, "stream": True}
    if system:
        body["system"] = system
    return Post(root(config.base) + PATH, headers(config), body, place, config.key, patience(config))


def blocks(asked: Request) -> tuple[list[Block], list[Block]]:
    """The prompt as its system prompt's blocks and its messages, with a mark for the cache at the end of each of: the
    system prompt (an hour), the request before this one, this request (five minutes). Blank messages are left out:
    they would be refused."""
    system: list[Block] = []
    turns: list[Block] = []
    last: Block = {}
    index, length = asked.previous
    for number, message in enumerate(asked.messages):
        text = message["content"]
        if not text.strip():
            continue
        if message["role"] == "system":
            system.append(_block(text))
            continue
        content = _cut(text, length if number == index else 0)
        turns.append({"role": message["role"], "content": content})
        last = content[-1]
    if system:
        system[-1]["cache_control"] = STABLE
    if turns:
        last["cache_control"] = RECENT
    return system, turns


def ask(post: Post, emit: Emit, stop: Callable[[], bool]) -> Reply:
    """Send it and return the whole answer, each piece emitted as it comes.

    Raises ProviderError: network for an answer that was cut off or is not in the format, and all that http.send raises.
    """
    coming = _Coming(post, Writing(emit))
    with send(post, stop) as answer:
        for event in _events(answer, post):
            coming.take(event)
    return coming.reply()


def _block(text: str) -> Block:
    return {"type": "text", "text": text}


def _cut(text: str, at: int) -> list[Block]:
    """The text in one block, or in two where the first `at` characters end, which then have a mark; none is blank."""
    before, after = text[:at], text[at:]
    if not before.strip():
        return [_block(text)]
    if not after.strip():
        return [_block(text) | {"cache_control": RECENT}]
    return [_block(before) | {"cache_control": RECENT}, _block(after)]


def _events(answer: Answer, post: Post) -> Iterator[dict[str, object]]:
    """The JSON objects of a stream up to its message_stop."""
    for event in sse.events(answer.pieces):
        value = parsed(event.data, post.place, "an event of a message")
        yield value
        if value.get("type") == "message_stop":
            return


@dataclass
class _Coming:
    """An answer as far as it has come."""

    post: Post
    writing: Writing
    reason: str = ""
    why: str = ""
    counts: dict[str, int] = field(default_factory=dict)

    def take(self, event: dict[str, object]) -> None:
        kind = event.get("type")
        if kind == "error":
            raise self._failure(_dict(event, "error"))
        if kind == "message_start":
            self._count(_dict(event, "message", "usage"))
        elif kind in ("content_block_start", "content_block_delta"):
            piece = _dict(event, "content_block") or _dict(event, "delta")
            self.writing.add("reasoning", piece.get("thinking"))
            self.writing.add("text", piece.get("text"))
        elif kind == "message_delta":
            self._count(_dict(event, "usage"))
            reason = _dict(event, "delta").get("stop_reason")
            if isinstance(reason, str):
                self.reason = reason
            details = _dict(event, "delta", "stop_details")
            self.why = str(details.get("explanation") or details.get("category") or "")

    def reply(self) -> Reply:
        """Raises ProviderError where the answer is not whole, or refused."""
        name = self.post.place.name
        if not self.reason:
            raise ProviderError("network", f"the answer of {name} broke off before its end")
        if self.reason == "refusal":
            why = clean(f" ({self.why})" if self.why else "", self.post.secret)
            hint = f"{name}'s model declines to answer {why}".rstrip()
            raise ProviderError("bad_request", f"{hint}: say it in other words, or set DOTAGENT_MODEL to another one")
        if self.reason == "model_context_window_exceeded" and not self.writing.text:
            raise ProviderError("too_long", f"the prompt fills the model's window at {name}", size=self._usage().input)
        cut = self.reason in ("max_tokens", "model_context_window_exceeded")
        return Reply(self.writing.text, self.writing.reasoning, "length" if cut else "stop", self._usage())

    def _failure(self, error: dict[str, object]) -> ProviderError:
        known = {**error, "code": STATUS.get(str(error.get("type")), 500)}
        return from_event(known, self.post.place, str(self.post.body["model"]), self.post.secret)

    def _count(self, usage: dict[str, object]) -> None:
        """What a later event counts is the whole so far."""
        thought = _dict(usage, "output_tokens_details")
        for name, count in (*usage.items(), *thought.items()):
            if isinstance(count, int) and not isinstance(count, bool):
                self.counts[name] = count

    def _usage(self) -> Usage:
        """Its three counts of the prompt are apart: what was read from the cache, written into it, and neither."""
        cached = self.counts.get("cache_read_input_tokens", 0)
        fresh = self.counts.get("input_tokens", 0) + self.counts.get("cache_creation_input_tokens", 0)
        output, thought = self.counts.get("output_tokens", 0), self.counts.get("thinking_tokens", 0)
        return Usage(fresh + cached, cached, output, thought)


def _dict(value: dict[str, object], *path: str) -> dict[str, object]:
    found: object = value
    for label in path:
        found = found.get(label) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}
