"""Rebuilding requests to a model from their blobs: the parts of a request's ancestors that it keeps, and its own.

Rebuilding joins the parts without rendering, so every prompt ever sent can be shown byte for byte, whichever version
sent it. Owns nothing on disk.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, TypedDict, TypeGuard

from dotagent.errors import Trouble
from dotagent.store.blobs import BlobForgotten, Blobs
from dotagent.store.requests import TOOLS, ChatMessage, Part, messages
from dotagent.text import media, tokens
from dotagent.text.lazy import dataclass
from dotagent.text.media import Media
from dotagent.text.reference import short

if TYPE_CHECKING:

    class _Body(TypedDict):
        """The content of a request's blob."""

        agent: str
        model: str
        params: dict[str, object]
        parent: str
        keep: int
        parts: list[dict[str, str]]

else:
    _Body = dict  # to make the type takes 2 ms

_KINDS = {"agent": str, "model": str, "params": dict, "parent": str, "keep": int, "parts": list}


@dataclass(frozen=True)
class Request:
    """A rebuilt request with all parts of the prompt inline."""

    id: str
    agent: str
    model: str
    params: Mapping[str, object]
    parts: tuple[Part, ...]
    messages: tuple[ChatMessage, ...] = ()
    """The parts as chat messages."""
    previous: tuple[int, int] = (0, 0)
    """The end of the parent's prompt in `messages`: the index of a message and a number of characters. (0, 0) without a
    parent."""
    tokens: int = 0
    """The estimated number of tokens in the messages."""


class Rebuilder:
    """Rebuild requests with a cache of recent ones, so that an agent's next request costs only its new parts."""

    KNOWN = 32  # requests in the cache; their common parts are stored once

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._known: dict[str, Request] = {}

    def request(self, id: str) -> Request:
        """Return the complete request with this id. Raises Trouble if it is not a request or a part is lost."""
        chain = [(id, self._read(id))]
        while (parent := chain[-1][1]["parent"]) and parent not in self._known:
            chain.append((parent, self._read(parent)))
        request = self._known[parent] if parent else Request("", "", "", {}, ())
        for each, body in reversed(chain):
            request = self._extended(request, each, body)
        self._known[id] = request
        while len(self._known) > self.KNOWN:
            del self._known[next(iter(self._known))]
        return request

    def _extended(self, before: Request, id: str, body: _Body) -> Request:
        """Append a request's new parts to the parts that it keeps. Only the new ones are processed, unless it cuts off
        old ones."""
        new, keep = [self._inline(part) for part in body["parts"]], body["keep"]
        kept, size = before.messages, before.tokens
        if keep < len(before.parts):
            kept = tuple(messages(before.parts[:keep]))
            size = sum(tokens.estimate(one["content"]) for one in kept)
        previous = (len(kept) - 1, len(kept[-1]["content"])) if kept else (0, 0)
        made = messages(new)
        if kept and made and kept[-1]["role"] == made[0]["role"]:
            size -= tokens.estimate(kept[-1]["content"])
            made[0]["content"] = "\n\n".join([kept[-1]["content"], made[0]["content"]])
            kept = kept[:-1]
        size += sum(tokens.estimate(one["content"]) for one in made)
        parts = (*before.parts[:keep], *new)
        return Request(id, body["agent"], body["model"], body["params"], parts, (*kept, *made), previous, size)

    def _read(self, id: str) -> _Body:
        try:
            body = json.loads(self._blobs.get(id).body)
        except (ValueError, RecursionError):
            body = None
        if not _is_request(body):
            raise Trouble(f"the stored file {short(id)} does not contain a model request")
        return body

    def _inline(self, given: Mapping[str, str]) -> Part:
        if "blob" not in given:
            return Part(given["role"], given["text"], media=media.parsed(given.get("media", "")))
        try:
            return Part(given["role"], self._blobs.get(given["blob"]).body.decode("utf-8", "replace"))
        except BlobForgotten as forgotten:
            return Part(given["role"], f"({forgotten})")


def _is_request(body: object) -> TypeGuard[_Body]:
    """Return True if `body` has the form that `encode` writes. Other blobs may contain JSON, too."""
    if not isinstance(body, dict) or any(type(body.get(name)) is not kind for name, kind in _KINDS.items()):
        return False
    parts = [part for part in body["parts"] if isinstance(part, dict)]
    return (
        body["keep"] >= 0
        and len(parts) == len(body["parts"])
        and all(set(part) - {"media"} in ({"role", "text"}, {"role", "blob"}) for part in parts)
        and all(isinstance(word, str) for part in parts for word in part.values())
    )


def media_by_message(parts: Sequence[Part]) -> dict[int, tuple[tuple[int, Media], ...]]:
    """Return which media belong to which of the `messages`, each with the number of characters before it."""
    if not any(part.media for part in parts):
        return {}
    found = dict[int, tuple[tuple[int, Media], ...]]()
    runs = groupby((part for part in parts if part.role != TOOLS), key=lambda part: part.role)
    for number, (_, run) in enumerate(runs):
        at = -2  # minus the separator of two parts
        for part in run:
            at += 2 + len(part.text)
            if part.media:
                found[number] = (*found.get(number, ()), *((at, one) for one in part.media))
    return found
