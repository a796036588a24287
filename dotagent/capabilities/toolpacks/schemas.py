"""Remove invalid items from an MCP server's messages, so that the others are usable.

The SDK refuses a whole page of tools, or a whole result, for a single invalid item. So each item is checked before the
SDK reads the message. Owns nothing on disk.
"""

from __future__ import annotations

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
        given, (tools, content) = message.result, map(message.result.get, ("tools", "content"))
        # A message that is invalid even without its items stays unchanged, and the SDK reports why.
        if isinstance(tools, list) and not self._refused("tools/list", page := {**given, "tools": []}):
            given["tools"] = [kept for one in tools if (kept := self._kept(one, page))]
        elif isinstance(content, list) and not self._refused("tools/call", {**given, "content": []}):
            refused = (self._refused("tools/call", {**given, "content": [one]}) for one in content)
            given["content"] = [ODD if why else one for one, why in zip(content, refused, strict=True)]
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
                why = "it can be called only as a task, which dotagent does not offer"
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
