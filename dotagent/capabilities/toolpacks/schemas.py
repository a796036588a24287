"""Correct or remove the invalid parts of an MCP server's messages, so that the rest is usable.

The SDK refuses a whole message, page of tools or result for a single invalid part. So each is checked before the SDK
reads it. Owns nothing on disk.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

from mcp.shared._stream_protocols import ReadStream
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCResponse
from mcp_types import methods
from pydantic import ValidationError

from dotagent.capabilities.toolpacks import arguments, manifest
from dotagent.text import escape

SAID = 200  # characters of a name or a reason
ODD = {"type": "text", "text": "[an item that cannot be read]"}
Said = SessionMessage | Exception
UNKNOWN = -32603  # the code of an error without a code


def mended(line: bytes) -> bytes:
    """Return an answer that the SDK cannot read in a form that it can: half of a surrogate pair replaced, an error with
    a code and a message, and a result that is a table. Raises ValueError for anything else."""
    told = json.loads(line.decode("utf-8", "replace"))
    if not isinstance(told, dict) or "id" not in told or not {"result", "error"} & told.keys():
        raise ValueError("no answer")
    answer: dict[str, object] = {"jsonrpc": "2.0", "id": told["id"]}
    if "error" in told:
        error = told["error"] if isinstance(told["error"], dict) else {"message": told["error"]}
        code = error.get("code")
        code = code if isinstance(code, int) and not isinstance(code, bool) else UNKNOWN
        said = error.get("message") or error.get("code") or "without a reason"
        answer["error"] = {"code": code, "message": said if isinstance(said, str) else json.dumps(said)}
    else:
        answer["result"] = told["result"] if isinstance(told["result"], dict) else {"content": told["result"]}
    return json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")


def _result(given: dict[str, Any]) -> dict[str, Any]:
    """Return a tool's result with parts of the right kinds; a structure of another kind becomes text."""
    content, structure = given.get("content"), given.get("structuredContent")
    kept = {name: one for name, one in given.items() if name not in ("structuredContent", "isError", "_meta")}
    kept["content"] = content if isinstance(content, list) else [] if content is None else [content]
    if isinstance(structure, dict):
        kept["structuredContent"] = structure
    elif structure is not None:
        kept["content"] = [*kept["content"], structure]
    failed = given.get("isError")
    return kept | {"isError": failed is True or str(failed).lower() == "true"}


def _item(one: object) -> dict[str, Any]:
    """Return an item that the protocol refuses as text, if it says any."""
    held: dict[str, Any] = one if isinstance(one, dict) else {"text": one}
    held = held["resource"] if isinstance(held.get("resource"), dict) else held
    said = held.get("text", held.get("uri"))
    if said is None:
        return ODD
    return {"type": "text", "text": said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)}


class Sifted:
    """A server's messages for the SDK. `left` gets a line for each removed tool, `results` the schema of each tool's
    results, which the SDK must not enforce, and `version` returns the protocol version that both sides use."""

    def __init__(
        self,
        inner: ReadStream[Said],
        version: Callable[[], str],
        left: list[str],
        results: dict[str, Mapping[str, Any]],
    ) -> None:
        self._inner, self._version, self._left, self._results = inner, version, left, results

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)  # the SDK also uses attributes outside of the stream protocol

    async def receive(self) -> Said:
        """Return the next message."""
        return self._sift(await self._inner.receive())

    async def aclose(self) -> None:
        """Close the stream."""
        await self._inner.aclose()

    def __aiter__(self) -> Sifted:
        return self

    async def __anext__(self) -> Said:
        return self._sift(await self._inner.__anext__())

    async def __aenter__(self) -> Sifted:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._inner.__aexit__(kind, error, trace)

    def _sift(self, said: Said) -> Said:
        """Filter a list of tools or a result in place; leave every other message unchanged."""
        message = said.message if isinstance(said, SessionMessage) else None
        if not isinstance(message, JSONRPCResponse):
            return said
        given, tools = message.result, message.result.get("tools")
        # A message that is invalid even without its items stays unchanged, and the SDK reports why.
        if isinstance(tools, list) and not self._refused("tools/list", page := {**given, "tools": []}):
            given["tools"] = [kept for one in tools if (kept := self._kept(one, page))]
        elif {"content", "structuredContent", "isError"} & given.keys():
            found = _result(given)
            if not self._refused("tools/call", {**found, "content": []}):
                refused = [bool(self._refused("tools/call", {**found, "content": [one]})) for one in found["content"]]
                found["content"] = [
                    _item(one) if bad else one for one, bad in zip(found["content"], refused, strict=True)
                ]
                message.result = found
        return said

    def _kept(self, given: object, page: dict[str, Any]) -> dict[str, Any] | None:
        """Return the used parts of a tool, or None if it is unusable."""
        known = given if isinstance(given, dict) else {}
        kept = {name: known.get(name) for name in ("name", "description", "inputSchema")}
        if not isinstance(kept["description"], str):
            del kept["description"]
        if not isinstance(kept["name"], str) or not manifest.TOOL.fullmatch(kept["name"]):
            why = "this cannot be the name of a tool"
        else:
            why = self._refused("tools/list", {**page, "tools": [kept]})
            if not why and (flaw := arguments.flaw(known["inputSchema"])):
                why = f"inputSchema: {flaw}"
            execution = known.get("execution")
            if not why and isinstance(execution, dict) and execution.get("taskSupport") == "required":
                why = "the server runs it only as a task (it sends the result later), which dotagent cannot use"
        line = f"{escape.one_line(str(known.get('name', given)), SAID)}: {escape.one_line(why, SAID)}"
        if why and line not in self._left:  # a server is asked for its tools several times
            self._left.append(line)
        if not why and isinstance(result := known.get("outputSchema"), dict) and not arguments.flaw(result):
            self._results[str(kept["name"])] = result
        return None if why else kept

    def _refused(self, method: str, result: dict[str, Any]) -> str:
        """Return why the protocol refuses a result, or ""."""
        try:
            methods.validate_server_result(method, self._version(), result)
        except ValidationError as error:
            wrong = error.errors()[0]
            return f"{'.'.join(map(str, wrong['loc'][2:])) or 'its form'}: {wrong['msg']}"
        except (KeyError, ValueError):
            return ""  # a version that the SDK handles in another way, so the SDK decides
        return ""
