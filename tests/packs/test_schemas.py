"""What an MCP server may say otherwise than the protocol: the rest of its answer is used."""

from __future__ import annotations

import json

import anyio
import pytest

pytest.importorskip("mcp.server")

from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCResponse

from dotagent.capabilities.toolpacks import mcp_side, schemas

X = {"type": "text", "text": "x"}
HALF = b'{"jsonrpc": "2.0", "id": 5, "result": {"content": [{"type": "text", "text": "\\ud800 half"}]}}'
RESULTS = [
    ({"structuredContent": {"a": 1}}, []),
    ({"content": "just text"}, ["just text"]),
    ({"content": X}, ["x"]),
    ({"content": [42, None, {"type": "text", "text": {"a": 1}}]}, ["42", schemas.ODD["text"], '{"a": 1}']),
    ({"content": [X], "structuredContent": [1, 2]}, ["x", "[1, 2]"]),
    ({"content": [X], "structuredContent": "words"}, ["x", "words"]),
    ({"content": [X], "isError": "false", "_meta": "odd"}, ["x"]),
    ({"content": [{**X, "annotations": {"priority": 7}}]}, ["x"]),
    ({"content": [{"type": "resource", "resource": {"text": "inner"}}]}, ["inner"]),
    ({"content": [{"type": "resource_link", "uri": "odd://x"}]}, ["odd://x"]),
]
ERRORS = [
    ({"code": "E1", "message": None}, "E1"),
    ("plain words", "plain words"),
    ({"code": -5, "message": {"why": 1}}, '{"why": 1}'),
    ({}, "without a reason"),
]


def heard(line: bytes) -> object:
    """The message of the line as the SDK gets it."""

    async def received() -> object:
        into, read = anyio.create_memory_object_stream[schemas.Said](1)
        await into.send(mcp_side._message(line))
        said = await schemas.Sifted(read, lambda: "2025-06-18", [], {}).receive()
        into.close()
        read.close()
        assert isinstance(said, SessionMessage)
        return said.message

    return anyio.run(received)


@pytest.mark.parametrize(("result", "texts"), RESULTS)
def test_an_odd_part_of_a_result_spoils_no_other(result: dict[str, object], texts: list[str]) -> None:
    message = heard(json.dumps({"jsonrpc": "2.0", "id": 5, "result": result}).encode())
    assert isinstance(message, JSONRPCResponse) and message.result["isError"] is False
    assert [one["text"] for one in message.result["content"]] == texts


@pytest.mark.parametrize(("error", "said"), ERRORS)
def test_an_odd_error_is_told(error: object, said: str) -> None:
    message = heard(json.dumps({"jsonrpc": "2.0", "id": 5, "error": error}).encode())
    assert message.error.message == said and message.error.code < 0  # type: ignore[attr-defined]


def test_half_of_a_character_spoils_no_answer() -> None:
    message = heard(HALF)
    assert isinstance(message, JSONRPCResponse) and message.result["content"][0]["text"] == "? half"


@pytest.mark.parametrize("line", [b"debug", b'{"id": 5}', b"[1]", b'{"result": {}}'])
def test_what_is_no_answer_is_none(line: bytes) -> None:
    with pytest.raises(ValueError):
        mcp_side._message(line)
