"""Gemini's own format, generateContent with streaming. Unlike chat completions, it accepts PDFs and every kind of
sound.

The request's address names the model. A thought is a marked part of the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from dotagent.providers import Completion, Config, Emit, Exhibit, Prompt, ProviderError, Usage
from dotagent.providers.formats import media_parts
from dotagent.providers.formats.answer_text import Writing
from dotagent.providers.formats.errors import clean
from dotagent.providers.formats.fields import count, table, tables, text
from dotagent.providers.formats.http import Post, patience
from dotagent.providers.formats.partial import Coming
from dotagent.providers.formats.place import Address

_ROLES = {"assistant": "model"}
_OPTIONS = {"temperature": "temperature", "max_tokens": "maxOutputTokens"}


def address(root: str, model: str) -> str:
    """Return a model's own address, which its methods extend."""
    return f"{root}/models/{quote(model.removeprefix('models/'), safe='')}"


def request(prompt: Prompt, config: Config, place: Address, root: str) -> Post:
    """Return the request to the server at `root`."""
    place = place.of(config)
    place.check(config)
    thinking, effort = config.settings.get("thinking"), config.settings.get("effort")
    thoughts: dict[str, object] = {} if thinking is None else {"includeThoughts": thinking is not False}
    thoughts |= {"thinkingBudget": thinking} if isinstance(thinking, int) and not isinstance(thinking, bool) else {}
    thoughts |= {"thinkingLevel": effort} if effort else {}
    chosen = {there: config.settings[name] for name, there in _OPTIONS.items() if name in config.settings}
    chosen |= {"thinkingConfig": thoughts} if thoughts else {}
    tools = [
        {"name": one["name"], "description": one.get("description", ""), "parametersJsonSchema": one.get("parameters")}
        for one in prompt.tools
    ]
    system = [one["content"] for one in prompt.messages if one["role"] == "system"]
    body: dict[str, object] = {
        **({"systemInstruction": {"parts": [{"text": "\n\n".join(system)}]}} if system else {}),
        **({"tools": [{"functionDeclarations": tools}]} if tools else {}),
        **({"generationConfig": chosen} if chosen else {}),
        "contents": [
            {"role": _ROLES.get(one["role"], "user"), "parts": [_part(it) for it in media_parts.pieces(prompt, number)]}
            for number, one in enumerate(prompt.messages)
            if one["role"] != "system"
        ],
    }
    url = f"{address(root, prompt.model)}:streamGenerateContent?alt=sse"
    return Post(url, key_header(config), body, place, config.key, prompt.model, patience(config), tools=prompt.tools)


def key_header(config: Config) -> dict[str, str]:
    """Return the header with the key, or nothing without a key."""
    return {"x-goog-api-key": config.key} if config.key else {}


def ask(post: Post, emit: Emit, stop: Callable[[], bool]) -> Completion:
    """Send the request and return the whole answer; see Coming.whole."""
    return _Coming(post, Writing(emit)).whole(stop)


def usage(value: object) -> Usage:
    """Parse a usage object; thoughts are counted separately."""
    thought = count(value, "thoughtsTokenCount")
    said = count(value, "candidatesTokenCount") + thought
    return Usage(count(value, "promptTokenCount"), count(value, "cachedContentTokenCount"), said, thought)


def _part(one: str | Exhibit) -> dict[str, object]:
    return {"text": one} if isinstance(one, str) else {"inlineData": {"mimeType": one.type, "data": one.data}}


@dataclass
class _Coming(Coming):
    WHAT = "a piece of generated content"
    FORM = "generate_content"
    finish: str = ""
    why: str = ""
    blocked: str = ""
    told: list[Mapping[str, object]] = field(default_factory=list)

    def take(self, piece: dict[str, object]) -> bool:
        if piece.get("error"):
            raise self.failure(piece["error"])
        feedback = [text(piece, "promptFeedback", name) for name in ("blockReason", "blockReasonMessage")]
        self.blocked = ": ".join(filter(None, feedback)) or self.blocked
        if piece.get("usageMetadata"):
            self.usage = usage(piece["usageMetadata"])
        for candidate in tables(piece, "candidates")[:1]:
            for part in tables(candidate, "content", "parts"):
                self.writing.add("reasoning" if part.get("thought") is True else "text", part.get("text"))
                if called := table(part, "functionCall"):  # each complete, in one piece
                    self.told.append(called)
                    self.calls.add(len(self.told), text(called, "name"), table(called, "args"))
            self.finish = text(candidate, "finishReason") or self.finish
            self.why = text(candidate, "finishMessage") or self.why
        return False

    def reply(self) -> Completion:
        if self.blocked:
            hint = f"{self.post.place.name} declines to answer ({clean(self.blocked, self.post.secret)})"
            raise ProviderError("bad_request", f"{hint}; use other words, or another model", withheld=True)
        return self.ended(self.finish, self.why)
