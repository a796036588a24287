"""Requests to a model as blobs: the ordered parts of a prompt, the model and its parameters.

A request names its parent request, how many of that one's parts it keeps, and what follows, so that each costs what is
new. Rebuilding joins parts and renders nothing: any prompt ever sent can be shown again byte for byte, whatever version
sent it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypedDict

from dotagent.errors import Trouble
from dotagent.store.blobs import Blobs
from dotagent.text.reference import short


class Message(TypedDict):
    """What chat models take."""

    role: str
    content: str


@dataclass(frozen=True)
class Part:
    """A piece of a prompt: its text inline, or the blob whose body it is."""

    role: str
    text: str = ""
    blob: str = ""


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
    given = [{"role": part.role, **({"blob": part.blob} if part.blob else {"text": part.text})} for part in new]
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
        chain = [self._read(id)]
        ids = [id]
        known: Request | None = None
        while parent := str(chain[-1]["parent"]):
            if known := self._known.get(parent):
                break
            ids.append(parent)
            chain.append(self._read(parent))
        whole: list[Part] = list(known.parts) if known else []
        for body in reversed(chain):
            given = body["parts"]
            assert isinstance(given, list)
            whole = [*whole[: int(str(body["keep"]))], *(self._inline(part) for part in given)]
        first = chain[0]
        params = first["params"]
        assert isinstance(params, dict)
        kept = int(str(first["keep"])) if first["parent"] else 0
        request = Request(id, str(first["agent"]), str(first["model"]), params, tuple(whole), kept)
        self._known[id] = request
        while len(self._known) > self.KNOWN:
            del self._known[next(iter(self._known))]
        return request

    def _read(self, id: str) -> dict[str, object]:
        try:
            body = json.loads(self._blobs.get(id).body)
        except (ValueError, RecursionError):
            body = None
        if not _is_request(body):
            raise Trouble(f"blob {short(id)} is no request to a model")
        found: dict[str, object] = body
        return found

    def _inline(self, given: Mapping[str, str]) -> Part:
        if "blob" not in given:
            return Part(given["role"], given["text"])
        return Part(given["role"], self._blobs.get(given["blob"]).body.decode("utf-8", "replace"))


def _is_request(body: object) -> bool:
    """Whether this is what `encode` makes: other blobs' bodies may be JSON too."""
    if not isinstance(body, dict) or not {"agent", "model", "params", "parent", "keep", "parts"} <= set(body):
        return False
    given = body["parts"]
    return (
        all(isinstance(body[name], str) for name in ("agent", "model", "parent"))
        and isinstance(body["params"], dict)
        and type(body["keep"]) is int
        and body["keep"] >= 0
        and isinstance(given, list)
        and all(isinstance(part, dict) and set(part) in ({"role", "text"}, {"role", "blob"}) for part in given)
        and all(isinstance(word, str) for part in given for word in part.values())
    )


def messages(parts: Sequence[Part]) -> list[Message]:
    """The parts as chat messages: neighbours of one role are joined by a blank line."""
    runs = groupby(parts, key=lambda part: part.role)
    return [{"role": role, "content": "\n\n".join(part.text for part in run)} for role, run in runs]


def plain(parts: Sequence[Part]) -> bytes:
    """The prompt as one text, byte for byte what `dotagent prompt` prints."""
    return "\n\n".join(part.text for part in parts).encode("utf-8", "replace")
