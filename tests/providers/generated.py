"""What Gemini says in its own format, as Google documents it: for the loopback server's scripts."""

from __future__ import annotations

from collections.abc import Sequence

from loopback import Answer, data

USED = {"promptTokenCount": 70, "cachedContentTokenCount": 8, "candidatesTokenCount": 9, "thoughtsTokenCount": 3}


def piece(*parts: dict[str, object], finish: str = "", **more: object) -> bytes:
    """An event of the stream."""
    candidate = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    return data({"candidates": [candidate | ({"finishReason": finish} if finish else {})], **more})


def stream(*texts: str, thinking: Sequence[str] = (), finish: str = "STOP") -> Answer:
    """An answer in pieces."""
    thoughts = [piece({"text": one, "thought": True}) for one in thinking]
    last = piece({"text": ""}, finish=finish, usageMetadata=USED)
    return Answer((*thoughts, *(piece({"text": one}) for one in texts), last))
