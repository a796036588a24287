"""A pack that is an MCP server, used through the official SDK: started here in the sandbox with stdio, or remote with
streamable HTTP.

The server runs as long as the pack's process, so it may keep a state between calls. Its tools are listed again at each
start, and a tool whose description has changed since it was enabled is not called. Owns nothing on disk.
"""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from typing import Any

from dotagent import packages
from dotagent.capabilities.toolpacks import arguments, manifest, result_text, schemas
from dotagent.capabilities.toolpacks.pack_calls import Fate
from dotagent.capabilities.toolpacks.packs import ABOUT, Tool
from dotagent.capabilities.toolpacks.site import SHOWN, NotDone, Site, start
from dotagent.errors import Trouble
from dotagent.processes.space import Space
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
    from mcp.shared._stream_protocols import WriteStream
    from mcp.shared.message import SessionMessage
    from mcp.types import CONNECTION_CLOSED, REQUEST_TIMEOUT, CallToolResult, jsonrpc_message_adapter
    from pydantic import ValidationError
except ImportError as error:
    raise NotDone(f"{packages.lacks(error, 'packs')}; ask the owner to do this") from None

STARTS = 30.0  # seconds for a server to list its tools
LINE = 8 << 20  # bytes of a message; a longer one ends the connection
KEPT = 4000  # bytes kept of a server's stderr
ODD = 1000  # invalid lines, after which the connection ends
PAGES, TOOLS = 50, 500  # limits: pages of tools, and tools
LINKS, READS = 5, 10.0  # linked resources of a result that are read, and seconds for all of them
PING = 5.0  # seconds for a server to answer a ping after a call that it did not answer
GRACE = 2.0  # seconds for a server to exit after its stdin is closed
GONE = (OSError, TimeoutError, RuntimeError, ValueError, ExceptionGroup, MCPError, httpx2.HTTPError,
        anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream)  # fmt: skip


Said = SessionMessage | Exception
Streams = tuple[MemoryObjectReceiveStream[Said], MemoryObjectSendStream[SessionMessage]]
Sifting = tuple[schemas.Sifted, WriteStream[SessionMessage]]


class Server:
    """The pack, as a site.Running."""

    def __init__(self, site: Site) -> None:
        self._site, self._said = site, site.pack.manifest
        self.left, self._results = list[str](), dict[str, Mapping[str, Any]]()
        self._tail, self._over, self._odd, self._closed, self._ending = bytearray(), "", "", False, ExitStack()
        try:
            with ExitStack() as begun:  # ends the server also after Ctrl-C
                self._portal = begun.enter_context(anyio.from_thread.start_blocking_portal())
                self._client = begun.enter_context(self._portal.wrap_async_context_manager(self._opened()))
                self._tools = {one.name: one for one in self._portal.call(self._listed)}
                self._ending = begun.pop_all()
        except GONE as why:
            raise NotDone(f"the server of this tool pack does not start: {self._reason(why, STARTS)}") from None

    def tools(self) -> list[Tool]:
        """Return the server's tools."""
        return list(self._tools.values())

    def call(self, tool: Tool, args: Mapping[str, Any]) -> Fate:
        """Call the tool."""
        now = self._tools.get(tool.name)
        if now is None or now.mark != tool.mark:
            why = "no longer exists" if now is None else "has another description than when the tool pack was enabled"
            raise NotDone(
                f"{tool.name} {why}, so it was not called; `toolpacks enable {self._site.pack.id}` updates the tools"
            )
        arguments.check(tool.schema, args)
        try:
            done = self._portal.call(self._call, tool.name, dict(args))
        except GONE as why:
            if isinstance(why, MCPError) and why.code not in (CONNECTION_CLOSED, REQUEST_TIMEOUT):
                return Fate(f"the server refused the call: {escape.one_line(why.message, 2000)}", False)
            if isinstance(why, ValidationError):
                return Fate(f"the server answered in a form that cannot be read: {_describe_error(why)}", False, False)
            if self._portal.call(self._lives):
                late = f"the server still runs, but did not answer this call within {self._said.timeout:g} s"
                return Fate(late, False, False)
            raise Trouble(
                f"the server of this tool pack did not answer and was stopped: {self._reason(why, self._said.timeout)}"
            ) from None
        linked = self._portal.call(self._linked, result_text.links(done)[:LINKS])
        doubt = result_text.mismatch(done, self._results.get(tool.name))
        words = result_text.text(done, linked)[: SHOWN - len(doubt)] + doubt
        words = words or ("the tool failed, and its server gave no reason" if done.is_error else "")
        return Fate(words, not done.is_error, media=() if done.is_error else result_text.media(done))

    def close(self) -> None:
        """End the server."""
        with suppress(*GONE):
            self._ending.close()

    async def _call(self, name: str, args: dict[str, Any]) -> CallToolResult:
        with anyio.fail_after(self._said.timeout + 1):
            return await self._client.call_tool(name, args, read_timeout_seconds=self._said.timeout)

    async def _lives(self) -> bool:
        """Return True if the server answers, even with an error."""
        with suppress(*GONE), anyio.move_on_after(PING):
            try:
                await self._client.send_ping()
            except MCPError as why:
                return why.code not in (CONNECTION_CLOSED, REQUEST_TIMEOUT)
            return True
        return False

    async def _linked(self, addresses: list[str]) -> dict[str, str]:
        """Return the texts of linked resources. An unreadable part is replaced by the reason."""
        found = dict[str, str]()
        with anyio.move_on_after(READS):
            for one in addresses:
                try:
                    found[one] = result_text.resource(await self._client.read_resource(one))
                except GONE as why:
                    found[one] = f"[it cannot be read: {_describe_error(why)}]"
        return found

    async def _listed(self) -> list[Tool]:
        found, cursor = list[Tool](), None
        with anyio.fail_after(STARTS):
            for _ in range(PAGES):
                page = await self._client.list_tools(cursor=cursor)
                for one in page.tools:
                    found.append(Tool(one.name, (one.description or "")[:ABOUT], dict(one.input_schema)))
                cursor = page.next_cursor
                if not cursor or len(found) >= TOOLS:
                    break
        return found[:TOOLS]

    @asynccontextmanager
    async def _opened(self) -> AsyncGenerator[Client]:
        """Yield a client of the initialised server."""
        async with AsyncExitStack() as ending:
            client = Client(self._sifted(await self._way(ending)), read_timeout_seconds=STARTS)
            self._opening = client
            yield await ending.enter_async_context(client)

    @asynccontextmanager
    async def _sifted(self, way: Transport) -> AsyncGenerator[Sifting]:
        """Yield the same connection, with invalid tools removed, so that they do not spoil the list of the others."""
        async with way as (read, write):
            yield schemas.Sifted(read, lambda: self._opening.protocol_version, self.left, self._results), write

    async def _way(self, ending: AsyncExitStack) -> Transport:
        if not self._said.url:
            return self._stdio()
        filled = {name: manifest.fill_variables(text, self._site.secrets) for name, text in self._said.headers.items()}
        http = httpx2.AsyncClient(headers=filled, timeout=httpx2.Timeout(STARTS, read=self._said.timeout + 1))
        return streamable_http_client(self._said.url, http_client=await ending.enter_async_context(http))

    @asynccontextmanager
    async def _stdio(self) -> AsyncGenerator[Streams]:
        """Start the server and exchange messages, one a line. The SDK's own transport cannot pass descriptors, which
        the sandbox needs, and does not limit messages."""
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
            group.start_soon(self._watch, server, how.left)
            group.start_soon(_tell, server, out)
            try:
                yield read, write
            finally:
                with anyio.CancelScope(shield=True):
                    await self._end_server(server)
                for one in (into, read, write, out):
                    one.close()
                group.cancel_scope.cancel()

    async def _hear(self, stdout: ByteReceiveStream, into: MemoryObjectSendStream[Said]) -> None:
        """Read the server's messages until there is too much data."""
        held, odd = bytearray(), 0
        with suppress(*GONE):
            async with into:
                while len(held) <= LINE and odd < ODD:
                    try:
                        held += await stdout.receive()
                    except anyio.EndOfStream:
                        self._closed = True
                        return
                    *lines, rest = held.split(b"\n")
                    held = bytearray(rest)
                    for line in lines:
                        try:
                            said = _message(bytes(line))
                        except ValueError:
                            odd += 1
                            self._odd = self._odd or line.decode("utf-8", "replace").strip()
                            continue
                        await into.send(said)
                much = f"a line of more than {LINE:,} bytes" if odd < ODD else f"{ODD:,} lines that are no messages"
                self._over = self._over or f"it wrote {much} to its standard output, which is for MCP messages"

    async def _mind(self, stderr: ByteReceiveStream) -> None:
        """Keep the end of the server's stderr."""
        with suppress(*GONE):
            while True:
                self._tail += await stderr.receive()
                del self._tail[:-KEPT]

    async def _end_server(self, server: Process) -> None:
        """Close the server's input, and kill it if it does not exit. Remember how it ended by itself."""
        assert server.stdin
        alone = self._closed
        with suppress(*GONE):
            await server.stdin.aclose()
        with anyio.move_on_after(GRACE):
            status = await server.wait()
            if alone:
                how = f"was ended by signal {-status}" if status < 0 else f"ended with exit status {status}"
                self._over = self._over or f"its process {how}"
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        await server.aclose()

    async def _watch(self, server: Process, left: Space) -> None:
        """End the server if it leaves too little disk space or has too many processes."""
        while not (why := left.exceeded(server.pid)):
            await anyio.sleep(left.pause())
        self._over = why
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)

    def _reason(self, error: BaseException, seconds: float) -> str:
        """Return why the server did not answer within these seconds: how it ended, or the error. Its last output
        follows, or a line of its output that is no message."""
        said = escape.one_line(self._tail.decode("utf-8", "replace").strip()[-600:], 600)
        shown = f"; its last output: {said}" if said else ""
        odd = f"; a line of its output is not an MCP message: {escape.one_line(self._odd, 200)}" if self._odd else ""
        closed = "it closed its output" if self._closed else ""
        late = f"no answer within {seconds:g} s" if _is_late(error) else ""
        return f"{self._over or closed or late or _describe_error(error)}{shown or odd}"


def _message(line: bytes) -> SessionMessage:
    """Return the message of a line. Raises ValueError."""
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return SessionMessage(jsonrpc_message_adapter.validate_json(schemas.mended(line), by_name=False))


async def _tell(server: Process, out: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert server.stdin
    with suppress(*GONE):
        async for one in out:
            said = one.message.model_dump_json(by_alias=True, exclude_unset=True)
            await server.stdin.send(said.encode() + b"\n")


def _first(error: BaseException) -> BaseException:
    """Return the error, or the first error of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _is_late(error: BaseException) -> bool:
    one = _first(error)
    return isinstance(one, TimeoutError) or (isinstance(one, MCPError) and one.code == REQUEST_TIMEOUT)


def _describe_error(error: BaseException) -> str:
    """Return a line about the error, or about the first error of a group."""
    error = _first(error)
    if _is_late(error):
        return "no answer in time"
    if isinstance(error, ValidationError):
        wrong = error.errors()[0]
        return escape.one_line(f"{'.'.join(map(str, wrong['loc'])) or 'its form'}: {wrong['msg']}", 300)
    return escape.one_line(str(error) or type(error).__name__, 300)
