"""Requests to a model as blobs: the ordered parts of a prompt, the model and its parameters.

A request names its parent request, the number of parts that it keeps, and the new parts, so that it stores only what is
new (request_rebuilding.py). Pictures, PDFs and sounds are named after their text, and never copied; the provider reads
their blobs if the model supports them. Owns nothing on disk.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, TypedDict

from dotagent.text.lazy import dataclass

if TYPE_CHECKING:  # many agents see no media
    from dotagent.text.media import Media

    class ChatMessage(TypedDict):
        """A message in the form that chat models accept."""

        role: str
        content: str

else:
    ChatMessage = dict  # to make the type takes 2 ms

TOOLS = "tools"
"""The role of the part with tool definitions for a service's own tool calls. It is not a message."""
BETWEEN = "\n\n"  # two parts of one message


@dataclass(frozen=True)
class Part:
    """A part of a prompt: its text, and the blob whose whole body it is, if any; the request then names the blob.
    `media` are blobs after the text, shown to a model that supports them."""

    role: str
    text: str = ""
    blob: str = ""
    media: tuple[Media, ...] = ()


def encode(agent: str, model: str, params: Mapping[str, object], parent: str, keep: int, new: Iterable[Part]) -> bytes:
    """Return the body of a request's blob. Without a parent, `parent` is empty and `keep` is 0."""
    given = [
        {"role": part.role}
        | ({"blob": part.blob} if part.blob else {"text": part.text})
        | ({"media": ",".join(map(str, part.media))} if part.media else {})
        for part in new
    ]
    body = {"agent": agent, "model": model, "params": params, "parent": parent, "keep": keep, "parts": given}
    return json.dumps(body, ensure_ascii=False, indent=1).encode("utf-8", "replace")


def messages(parts: Sequence[Part]) -> list[ChatMessage]:
    """Return the parts as chat messages; successive parts of one role are joined by a blank line."""
    runs = groupby((part for part in parts if part.role != TOOLS), key=lambda part: part.role)
    return [{"role": role, "content": BETWEEN.join(part.text for part in run)} for role, run in runs]


def tools(parts: Sequence[Part]) -> str:
    """Return the tool definitions in a request, or ""."""
    return next((part.text for part in parts if part.role == TOOLS), "")


def as_text(parts: Sequence[Part]) -> bytes:
    """Return the prompt as one text, as `dotagent prompt` prints it."""
    return "\n\n".join(part.text for part in parts).encode("utf-8", "replace")
