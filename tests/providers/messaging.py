"""What a server says in the Messages format, as Anthropic documents it: for the loopback server's scripts."""

from __future__ import annotations

from loopback import Answer, data

START_USAGE = {"input_tokens": 11, "cache_creation_input_tokens": 25, "cache_read_input_tokens": 64, "output_tokens": 1}


def named(value: dict[str, object]) -> bytes:
    """An event with the name that it has in its data too."""
    return b"event: %s\n" % str(value["type"]).encode() + data(value)


def delta(**what: str) -> bytes:
    return named({"type": "content_block_delta", "index": 0, "delta": what})


def start(usage: dict[str, int] = START_USAGE) -> bytes:
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    return named({"type": "message_start", "message": message})


def end(reason: str | None = "end_turn", **details: object) -> bytes:
    usage = {"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}}
    given = {"stop_reason": reason, "stop_sequence": None, "stop_details": details or None}
    return named({"type": "message_delta", "delta": given, "usage": usage})


STOP = named({"type": "message_stop"})


def stream(*texts: str, thinking: tuple[str, ...] = (), last: bytes = end()) -> Answer:
    """A whole stream as it is documented: thinking with its signature, text, and a ping between."""
    pieces = [start(), named({"type": "ping"})]
    if thinking:
        block = {"type": "thinking", "thinking": "", "signature": ""}
        pieces.append(named({"type": "content_block_start", "index": 0, "content_block": block}))
        pieces += [delta(type="thinking_delta", thinking=one) for one in thinking]
        pieces += [
            delta(type="signature_delta", signature="EqQBCgIYAhIM"),
            named({"type": "content_block_stop", "index": 0}),
        ]
        hidden = {"type": "redacted_thinking", "data": "EmwKAhgB"}
        pieces.append(named({"type": "content_block_start", "index": 1, "content_block": hidden}))
    if texts:
        block = {"type": "text", "text": ""}
        pieces.append(named({"type": "content_block_start", "index": 2, "content_block": block}))
        pieces += [delta(type="text_delta", text=one) for one in texts]
        pieces.append(named({"type": "content_block_stop", "index": 2}))
    return Answer((*pieces, last, STOP))
