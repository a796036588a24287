"""What a server says in the Responses format, as OpenAI documents it: for the loopback server's scripts."""

from __future__ import annotations

import json
from collections.abc import Mapping

from loopback import Answer

from dotagent.providers import Usage

SPENT = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 25},
    "output_tokens": 9,
    "output_tokens_details": {"reasoning_tokens": 4},
    "total_tokens": 109,
}
USED = Usage(input=100, cached=64, output=9, reasoning=4, written=25)


def said(kind: str, **fields: object) -> bytes:
    """One event, with its name also as the event's own."""
    value = {"type": kind, "sequence_number": 1, **fields}
    return f"event: {kind}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def response(status: str, output: list[object] | None = None, **more: object) -> dict[str, object]:
    """A response's own object."""
    whole: Mapping[str, object] = {"id": "resp_1", "object": "response", "error": None, "incomplete_details": None}
    asked = {"created_at": 1, "model": "m", "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return {**whole, **asked, "status": status, "output": output or [], "usage": None, **more}


def ended(kind: str = "completed", **more: object) -> bytes:
    """A stream's last event."""
    return said(f"response.{kind}", response=response(kind, **{"usage": SPENT, **more}))


def text(delta: str) -> bytes:
    """A piece of the answer."""
    return said(
        "response.output_text.delta", item_id="msg_1", output_index=1, content_index=0, logprobs=[], delta=delta
    )


def thought(delta: str) -> bytes:
    """A piece of the summary of what was thought."""
    return said("response.reasoning_summary_text.delta", item_id="rs_1", output_index=0, summary_index=0, delta=delta)


def begun(kind: str) -> bytes:
    """The beginning of a reasoning or a message."""
    more = {"summary": []} if kind == "reasoning" else {"role": "assistant", "content": []}
    item = {"type": kind, "id": "x", "status": "in_progress", **more}
    return said("response.output_item.added", output_index=0, item=item)


def responding(*texts: str, reasoning: tuple[str, ...] = (), kind: str = "completed", **more: object) -> Answer:
    """A whole stream: created, reasoning, texts, and how it ended."""
    full = "".join(texts)
    part, at = {"type": "output_text", "text": full, "annotations": []}, {"item_id": "msg_1", "output_index": 1}
    thoughts = {"item_id": "rs_1", "output_index": 0, "summary_index": 0, "part": {"type": "summary_text", "text": ""}}
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
    return Answer(
        (
            said("response.created", response=response("in_progress")),
            said("response.in_progress", response=response("in_progress")),
            begun("reasoning"),
            said("response.reasoning_summary_part.added", **thoughts),
            *(thought(delta) for delta in reasoning),
            begun("message"),
            said("response.content_part.added", content_index=0, part={**part, "text": ""}, **at),
            *(text(delta) for delta in texts),
            said("response.output_text.done", content_index=0, logprobs=[], text=full, **at),
            said("response.output_item.done", output_index=1, item=item),
            ended(kind, **{"output": [item], **more}),
        )
    )


def failed(code: str, message: str, **more: object) -> bytes:
    """The last event of a response that went wrong."""
    return ended("failed", error={"code": code, "message": message, **more}, usage=None)
