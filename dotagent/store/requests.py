"""Requests to a model as blobs: the ordered parts of a prompt, the model and its parameters.

A request names its parent request, how many of that one's parts it keeps, and what follows, so that each costs what is
new. Rebuilding joins parts and renders nothing: any prompt ever sent can be shown again byte for byte, whatever version
sent it. Pictures, PDFs and sound are named behind the text that tells of them, never copied: who asks the model reads
their blobs, where the model can see them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypedDict, TypeGuard

from dotagent.errors import Trouble
from dotagent.store.blobs import BlobForgotten, Blobs
from dotagent.text import media
from dotagent.text.media import Media
from dotagent.text.reference import short


class ChatMessage(TypedDict):
    """What chat models take."""

    role: str
    content: str


class _Body(TypedDict):
    """What a request's blob holds."""

    agent: str
    model: str
    params: dict[str, object]
    parent: str
    keep: int
    parts: list[dict[str, str]]


TOOLS = "tools"
"""The role of a part that holds the tools of a request whose calls are the service's own: it is no message."""
_KINDS = {"agent": str, "model": str, "params": dict, "parent": str, "keep": int, "parts": list}


@dataclass(frozen=True)
class Part:
    """A piece of a prompt: its text and, where it is a blob's body as it stands, that blob: then a request names it.
    `media` are the blobs behind the text that a model is shown if it can see them."""

    role: str
    text: str = ""
    blob: str = ""
    media: tuple[Media, ...] = ()


@dataclass(frozen=True)
class Request:
    """A request rebuilt: the whole prompt's parts, all of them inline; the first `kept` of them are its parent's."""

    id: str
    agent: str
    model: str
    params: Mapping[str, object]
    parts: tuple[Part, ...]
    kept: int = 0

    @property
    def previous(self) -> tuple[int, int]:
        """Where in `messages` its parent's prompt ended: a message's index and characters of its content; or (0, 0)."""
        before = messages(self.parts[: self.kept])
        return (len(before) - 1, len(before[-1]["content"])) if before else (0, 0)


def encode(agent: str, model: str, params: Mapping[str, object], parent: str, keep: int, new: Iterable[Part]) -> bytes:
    """The body of a request's blob; `parent` is empty, and `keep` 0, for one that stands whole."""
    given = [
        {"role": part.role}
        | ({"blob": part.blob} if part.blob else {"text": part.text})
        | ({"media": media.listed(part.media)} if part.media else {})
        for part in new
    ]
    body = {"agent": agent, "model": model, "params": params, "parent": parent, "keep": keep, "parts": given}
    return json.dumps(body, ensure_ascii=False, indent=1).encode("utf-8", "replace")


class Rebuilder:
    """Rebuilds requests, remembering the last few, so that the next of each agent costs what is new in it."""

    KNOWN = 32  # requests; what they share is held once

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._known: dict[str, Request] = {}

    def request(self, id: str) -> Request:
        """The request of this id, whole. Raises Trouble when it is no request or a part of it is lost."""
        first = self._read(id)
        chain = [first]
        while (parent := chain[-1]["parent"]) and parent not in self._known:
            chain.append(self._read(parent))
        whole: Sequence[Part] = self._known[parent].parts if parent else ()
        for body in reversed(chain):
            whole = [*whole[: body["keep"]], *(self._inline(part) for part in body["parts"])]
        kept = first["keep"] if first["parent"] else 0
        request = Request(id, first["agent"], first["model"], first["params"], tuple(whole), kept)
        self._known[id] = request
        while len(self._known) > self.KNOWN:
            del self._known[next(iter(self._known))]
        return request

    def _read(self, id: str) -> _Body:
        try:
            body = json.loads(self._blobs.get(id).body)
        except (ValueError, RecursionError):
            body = None
        if not _is_request(body):
            raise Trouble(f"blob {short(id)} is no request to a model")
        return body

    def _inline(self, given: Mapping[str, str]) -> Part:
        if "blob" not in given:
            return Part(given["role"], given["text"], media=media.parsed(given.get("media", "")))
        try:
            return Part(given["role"], self._blobs.get(given["blob"]).body.decode("utf-8", "replace"))
        except BlobForgotten as forgotten:
            return Part(given["role"], f"({forgotten})")


def _is_request(body: object) -> TypeGuard[_Body]:
    """Whether this is what `encode` makes: other blobs' bodies may be JSON too."""
    if not isinstance(body, dict) or any(type(body.get(name)) is not kind for name, kind in _KINDS.items()):
        return False
    parts = [part for part in body["parts"] if isinstance(part, dict)]
    return (
        body["keep"] >= 0
        and len(parts) == len(body["parts"])
        and all(set(part) - {"media"} in ({"role", "text"}, {"role", "blob"}) for part in parts)
        and all(isinstance(word, str) for part in parts for word in part.values())
    )


def messages(parts: Sequence[Part]) -> list[ChatMessage]:
    """The parts as chat messages: neighbours of one role are joined by a blank line."""
    runs = groupby((part for part in parts if part.role != TOOLS), key=lambda part: part.role)
    return [{"role": role, "content": "\n\n".join(part.text for part in run)} for role, run in runs]


def shown(parts: Sequence[Part]) -> dict[int, tuple[tuple[int, Media], ...]]:
    """What is shown in which of the `messages`, each with how many characters of the content stand before it."""
    if not any(part.media for part in parts):
        return {}
    found = dict[int, tuple[tuple[int, Media], ...]]()
    runs = groupby((part for part in parts if part.role != TOOLS), key=lambda part: part.role)
    for number, (_, run) in enumerate(runs):
        at = -2  # what joins two parts
        for part in run:
            at += 2 + len(part.text)
            if part.media:
                found[number] = (*found.get(number, ()), *((at, one) for one in part.media))
    return found


def tools(parts: Sequence[Part]) -> str:
    """The tools that a request holds, "" for none."""
    return next((part.text for part in parts if part.role == TOOLS), "")


def plain(parts: Sequence[Part]) -> bytes:
    """The prompt as one text, byte for byte what `dotagent prompt` prints."""
    return "\n\n".join(part.text for part in parts).encode("utf-8", "replace")
