"""A pack that is a server of the Model Context Protocol, by the official SDK: one that we start, in the sandbox, and
talk with on its stdin and stdout, or one elsewhere, by streamable HTTP.

The server lives as long as the pack's process, so that it may know of one call at the next. It is asked for its tools
anew at each start: one that says something else of itself than it did when its person enabled it is not called. Owns
nothing on disk.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from typing import Any

from dotagent.errors import Trouble
from dotagent.packs import arguments
from dotagent.packs.site import SHOWN, NotDone, Site, start
from dotagent.store import manifest
from dotagent.store.packed import Fate
from dotagent.store.packs import ABOUT, Tool
from dotagent.text import escape

try:
    import anyio
    import anyio.from_thread
    import httpx2
    from anyio.abc import ByteReceiveStream, Process
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp import Client, MCPError
    from mcp.client import Transport
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.message import SessionMessage
    from mcp.types import CONNECTION_CLOSED, REQUEST_TIMEOUT, CallToolResult, jsonrpc_message_adapter
except ImportError as error:
    raise NotDone(f"{error.name} is missing here: my person gets it by pip install 'dotagent[packs]'") from None

STARTS = 30.0  # seconds that a server may take until it tells its tools
LINE = 8 << 20  # bytes of a message, beyond which the server is not listened to any more
KEPT = 4000  # bytes of what a server says on its stderr
ODD = 1000  # lines that are no message, as many
PAGES, TOOLS = 50, 500  # pages of tools that are read, and tools
GRACE = 2.0  # seconds that a server has to leave once its stdin is closed
GONE = (OSError, TimeoutError, RuntimeError, ValueError, ExceptionGroup, MCPError, httpx2.HTTPError,
        anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream)  # fmt: skip


Said = SessionMessage | Exception
Streams = tuple[MemoryObjectReceiveStream[Said], MemoryObjectSendStream[SessionMessage]]


class Server:
    """The pack, as packs.Running."""

    def __init__(self, site: Site) -> None:
        self._site, self._said = site, site.pack.manifest
        self._tail, self._ending = bytearray(), ExitStack()
        self._portal = self._ending.enter_context(anyio.from_thread.start_blocking_portal())
        try:
            self._client = self._ending.enter_context(self._portal.wrap_async_context_manager(self._opened()))
            self._tools = {one.name: one for one in self._portal.call(self._listed)}
        except GONE as why:
            self.close()
            raise NotDone(f"its server does not start: {_why(why)}{self._last()}") from None

    def tools(self) -> list[Tool]:
        """As the server tells them."""
        return list(self._tools.values())

    def call(self, tool: Tool, args: Mapping[str, Any]) -> Fate:
        """Use it."""
        now = self._tools.get(tool.name)
        if now is None or now.mark != tool.mark:
            why = "is gone" if now is None else "says something else of itself than when it was enabled"
            raise NotDone(f"{tool.name} {why}: not called; `toolpacks enable {self._site.pack.id}` asks for it anew")
        arguments.check(tool.schema, args)
        try:
            done = self._portal.call(self._call, tool.name, dict(args))
        except GONE as why:
            if isinstance(why, MCPError) and why.code not in (CONNECTION_CLOSED, REQUEST_TIMEOUT):
                return Fate(f"the server refuses it: {escape.one_line(why.message, 2000)}", False)
            raise Trouble(f"its server does not answer, and was stopped: {_why(why)}{self._last()}") from None
        return Fate(_text(done), not done.is_error)

    def close(self) -> None:
        """End the server."""
        with suppress(*GONE):
            self._ending.close()

    async def _call(self, name: str, args: dict[str, Any]) -> CallToolResult:
        with anyio.fail_after(self._said.timeout + 1):
            return await self._client.call_tool(name, args, read_timeout_seconds=self._said.timeout)

    async def _listed(self) -> list[Tool]:
        found, cursor = list[Tool](), None
        with anyio.fail_after(STARTS):
            for _ in range(PAGES):
                page = await self._client.list_tools(cursor=cursor)
                for one in page.tools:
                    if manifest.TOOL.fullmatch(one.name):
                        found.append(Tool(one.name, (one.description or "")[:ABOUT], dict(one.input_schema)))
                cursor = page.next_cursor
                if not cursor or len(found) >= TOOLS:
                    break
        return found[:TOOLS]

    @asynccontextmanager
    async def _opened(self) -> AsyncGenerator[Client]:
        """The server, once it has told who it is."""
        async with AsyncExitStack() as ending:
            client = Client(await self._way(ending), read_timeout_seconds=STARTS)
            yield await ending.enter_async_context(client)

    async def _way(self, ending: AsyncExitStack) -> Transport:
        """How the server is reached."""
        if not self._said.url:
            return self._stdio()
        filled = {name: manifest.filled(text, self._site.secrets) for name, text in self._said.headers.items()}
        http = httpx2.AsyncClient(headers=filled, timeout=httpx2.Timeout(STARTS, read=self._said.timeout + 1))
        return streamable_http_client(self._said.url, http_client=await ending.enter_async_context(http))

    @asynccontextmanager
    async def _stdio(self) -> AsyncGenerator[Streams]:
        """Start the server and talk with it, a message a line; the SDK's own way hands on no descriptor, which the
        sandbox needs, and bounds no message."""
        known = self._site.known
        words = [word.replace("{pack}", known["pack"]).replace("{python}", known["python"]) for word in self._said.run]
        how = start(self._site, words)
        try:
            server = await anyio.open_process(
                how.words, env=how.env, cwd=how.cwd, start_new_session=True, pass_fds=how.handles
            )
        finally:
            how.started()
        into, read = anyio.create_memory_object_stream[Said](0)
        write, out = anyio.create_memory_object_stream[SessionMessage](0)
        assert server.stdout and server.stderr
        async with anyio.create_task_group() as group:
            group.start_soon(self._hear, server.stdout, into)
            group.start_soon(self._mind, server.stderr)
            group.start_soon(_tell, server, out)
            try:
                yield read, write
            finally:
                with anyio.CancelScope(shield=True):
                    await _ended(server)
                for one in (into, read, write, out):
                    one.close()
                group.cancel_scope.cancel()

    async def _hear(self, stdout: ByteReceiveStream, into: MemoryObjectSendStream[Said]) -> None:
        """What the server says, until it says too much."""
        held, odd = bytearray(), 0
        with suppress(*GONE):
            async with into:
                while len(held) <= LINE and odd < ODD:
                    held += await stdout.receive()
                    *lines, rest = held.split(b"\n")
                    held = bytearray(rest)
                    for line in lines:
                        try:
                            said = SessionMessage(jsonrpc_message_adapter.validate_json(bytes(line), by_name=False))
                        except ValueError:
                            odd += 1
                            continue
                        await into.send(said)
                self._tail += b"it said what is no message, or too long for one"

    async def _mind(self, stderr: ByteReceiveStream) -> None:
        """What the server says beside that: its end is kept."""
        with suppress(*GONE):
            while True:
                self._tail += await stderr.receive()
                del self._tail[:-KEPT]

    def _last(self) -> str:
        said = escape.one_line(self._tail.decode("utf-8", "replace").strip()[-600:], 600)
        return f"; it said last: {said}" if said else ""


async def _tell(server: Process, out: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert server.stdin
    with suppress(*GONE):
        async for one in out:
            said = one.message.model_dump_json(by_alias=True, exclude_unset=True)
            await server.stdin.send(said.encode() + b"\n")


async def _ended(server: Process) -> None:
    """Close what the server hears, and kill it when it does not leave by that."""
    assert server.stdin
    with suppress(*GONE):
        await server.stdin.aclose()
    with anyio.move_on_after(GRACE):
        await server.wait()
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    await server.aclose()


def _why(error: BaseException) -> str:
    """What went wrong, in a line: of a group of errors the first that is none."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return "it takes too long"
    return escape.one_line(str(error) or type(error).__name__, 300)


def _text(done: CallToolResult) -> str:
    """A result as text: what is none is told of."""
    told = list[str]()
    for one in done.content:
        if one.type == "text":
            told.append(one.text)
        elif one.type in ("image", "audio"):
            told.append(f"[{one.mime_type}, {len(one.data) * 3 // 4:,} bytes]")
        elif one.type == "resource_link":
            told.append(f"[{escape.one_line(one.name, 200)}: {one.uri}]")
        elif one.type == "resource":
            text = getattr(one.resource, "text", None)
            told.append(text if isinstance(text, str) else f"[{one.resource.uri}]")
    if not told and done.structured_content is not None:
        told.append(json.dumps(done.structured_content, ensure_ascii=False))
    return "\n".join(told)[:SHOWN]
