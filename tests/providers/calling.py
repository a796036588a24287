"""Answers that call tools by a service's own form, in the words of each format: for the loopback server's scripts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import ollama_lines
from loopback import DONE, Answer, event, page
from messaging import STOP, end, named, start
from responding import ended, response, text
from responding import said as part

Called = Sequence[tuple[str, dict[str, str]]]
"""Names and arguments."""


def pieces(arguments: dict[str, str], size: int = 3) -> list[str]:
    """The arguments as JSON, cut into pieces."""
    whole = json.dumps(arguments)
    return [whole[at : at + size] for at in range(0, len(whole), size)]


def chat(said: str, calls: Called, finish: str = "tool_calls") -> Answer:
    """Chat completions: a call's name comes first, its arguments in pieces."""
    come = [event({"content": said})] if said else []
    for number, (name, arguments) in enumerate(calls):
        first = {"index": number, "id": f"call_{number}", "type": "function"}
        come.append(event({"tool_calls": [{**first, "function": {"name": name, "arguments": ""}}]}))
        come += [
            event({"tool_calls": [{"index": number, "function": {"arguments": one}}]}) for one in pieces(arguments)
        ]
    return Answer((*come, event({}, finish), DONE))


def chat_whole(said: str, calls: Called) -> Answer:
    """The same from a server that does not stream."""
    told = [
        {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for number, (name, arguments) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": said or None, "tool_calls": told}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    return page({"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]})


def _functions(calls: Called) -> list[dict[str, object]]:
    return [
        {"type": "function_call", "id": f"fc_{at}", "call_id": f"call_{at}", "name": name, "status": "completed",
         "arguments": json.dumps(arguments)}
        for at, (name, arguments) in enumerate(calls, 2)
    ]  # fmt: skip


def responses(said: str, calls: Called) -> Answer:
    """Responses: each call an item, which is told once more when it is whole."""
    come = [text(said)] if said else []
    for at, item in enumerate(_functions(calls), 2):
        come.append(part("response.output_item.added", output_index=at, item={**item, "arguments": ""}))
        for one in pieces(calls[at - 2][1]):
            place = {"item_id": item["id"], "output_index": at}
            come.append(part("response.function_call_arguments.delta", **place, delta=one))
        come.append(part("response.output_item.done", output_index=at, item=item))
    return Answer((*come, ended()))


def responses_whole(said: str, calls: Called) -> Answer:
    """The same in one object."""
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
               "content": [{"type": "output_text", "text": said, "annotations": []}]}  # fmt: skip
    return page(response("completed", [*([message] if said else []), *_functions(calls)]))


def messages(said: str, calls: Called) -> Answer:
    """Messages: each call a block."""
    come = [start()]
    blocks: list[tuple[dict[str, object], list[dict[str, str]]]] = []
    if said:
        blocks.append(({"type": "text", "text": ""}, [{"type": "text_delta", "text": said}]))
    for number, (name, arguments) in enumerate(calls):
        deltas = [{"type": "input_json_delta", "partial_json": one} for one in ["", *pieces(arguments)]]
        blocks.append(({"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}, deltas))
    for at, (block, deltas) in enumerate(blocks):
        come.append(named({"type": "content_block_start", "index": at, "content_block": block}))
        come += [named({"type": "content_block_delta", "index": at, "delta": one}) for one in deltas]
        come.append(named({"type": "content_block_stop", "index": at}))
    return Answer((*come, end("tool_use"), STOP))


def messages_whole(said: str, calls: Called) -> Answer:
    """The same in one object."""
    content: list[object] = [{"type": "text", "text": said}] if said else []
    content += [{"type": "tool_use", "id": f"t{at}", "name": name, "input": it} for at, (name, it) in enumerate(calls)]
    return page({"type": "message", "role": "assistant", "content": content, "stop_reason": "tool_use", "usage": {}})


def ollama(said: str, calls: Called) -> Answer:
    """Ollama: each call whole in a line of its own."""
    lines = [
        {"message": {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": name, "arguments": it}}]},
         "model": "m", "created_at": "2026-01-01T00:00:00Z", "done": False}
        for name, it in calls
    ]  # fmt: skip
    usual = ollama_lines.stream(*([said] if said else []))
    come = [json.dumps(one).encode() + b"\n" for one in lines]
    return replace(usual, pieces=(*usual.pieces[:-1], *come, usual.pieces[-1]))
