"""The gateway of the fake Discord, as documented for version 10: hello, identify, heartbeats, resume, zlib-stream.

A session outlives its connection: what happens meanwhile is kept and told again when it is resumed.
"""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web
from discord_world import CONTENT, DIRECT, GUILDS, JSON, MESSAGES, World

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID, HELLO, ACK = 0, 1, 2, 6, 7, 9, 10, 11


class Connection:
    """One web socket: packets go out in order, each compressed in the stream that the connection is."""

    def __init__(self, socket: web.WebSocketResponse, zipped: bool, times: dict[str, float]) -> None:
        self.socket, self.times = socket, times
        self.zip = zlib.compressobj() if zipped else None
        self.queue: asyncio.Queue[JSON | int | str | None] = asyncio.Queue()
        self.session: Session | None = None

    def put(self, op: int, data: object = None, name: str | None = None, seq: int | None = None) -> None:
        """Let a packet go out."""
        self.queue.put_nowait({"op": op, "d": data, "t": name, "s": seq})

    def raw(self, text: str) -> None:
        """Let this go out, whatever it is."""
        self.queue.put_nowait(text)

    def close(self, code: int) -> None:
        """Close with this code after what goes out before."""
        self.queue.put_nowait(code)

    def abort(self) -> None:
        """Break the connection off, as a network does: no goodbye."""
        transport = self.socket._req.transport if self.socket._req else None
        if transport:
            transport.abort()

    async def pump(self) -> None:
        """Send what is put, until the connection ends."""
        with suppress(ConnectionError, RuntimeError):  # it was dropped: the session keeps what it did not get
            while (packet := await self.queue.get()) is not None:
                if isinstance(packet, int):
                    await self.socket.close(code=packet)
                    return
                text = packet if isinstance(packet, str) else json.dumps(packet)
                if isinstance(packet, dict) and packet["t"] == "MESSAGE_CREATE" and isinstance(packet["d"], dict):
                    self.times[str(packet["d"].get("id"))] = time.monotonic()
                if self.zip:
                    data = self.zip.compress(text.encode()) + self.zip.flush(zlib.Z_SYNC_FLUSH)
                    await self.socket.send_bytes(data)
                else:
                    await self.socket.send_str(text)


@dataclass
class Session:
    """What a bot was told, by sequence number, and the connection it has now."""

    id: str
    intents: int
    connection: Connection | None = None
    told: list[tuple[str, JSON]] = field(default_factory=list)

    def dispatch(self, name: str, data: JSON) -> None:
        """An event, for now or for when it resumes."""
        self.told.append((name, data))
        if self.connection:
            self.connection.put(DISPATCH, data, name, len(self.told))


class Gateway:
    """The gateway. Settings: `token`; `content`: whether the portal allows the message content intent; `deaf`: it
    accepts no connection; `beat`: milliseconds between heartbeats."""

    def __init__(self, world: World, token: str) -> None:
        self.world = world
        self.token = token
        self.content, self.deaf, self.beat = True, False, 41_250
        self.base = ""
        self.sessions: dict[str, Session] = {}
        self.connections: set[Connection] = set()
        self.counts: dict[str, int] = {}
        self.times: dict[str, float] = {}  # when each message went out last, in monotonic seconds
        world.tell = self.tell

    def count(self, what: str) -> None:
        """Note that something happened, for tests."""
        self.counts[what] = self.counts.get(what, 0) + 1

    def tell(self, name: str, data: JSON, guild: int) -> None:
        """An event for every session whose intents ask for it."""
        spoken = MESSAGES if guild else DIRECT
        wanted = spoken if name.startswith("MESSAGE") else GUILDS
        for session in self.sessions.values():
            if session.intents & wanted == wanted:
                session.dispatch(name, self._visible(data, session, guild) if "content" in data else data)

    def _visible(self, message: JSON, session: Session, guild: int) -> JSON:
        """Without the intent a bot sees the words of direct messages, its own and those that mention it."""
        me = str(self.world.me)
        own = message["author"]["id"] == me or any(user["id"] == me for user in message["mentions"])
        if session.intents & CONTENT or not guild or own:
            return message
        return message | {"content": "", "attachments": [], "embeds": []}

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """One connection, from hello to its end."""
        if self.deaf:
            return web.Response(status=503)
        assert request.query["v"] == "10"
        assert request.query["encoding"] == "json"
        socket = web.WebSocketResponse(max_msg_size=4096, compress=False)
        await socket.prepare(request)
        connection = Connection(socket, request.query.get("compress") == "zlib-stream", self.times)
        self.connections.add(connection)
        pump = asyncio.create_task(connection.pump())
        connection.put(HELLO, {"heartbeat_interval": self.beat})
        try:
            async for packet in socket:
                if packet.type == WSMsgType.TEXT:
                    self._receive(connection, json.loads(packet.data))
        except ConnectionError:
            self.count("broken")
        finally:
            self.connections.discard(connection)
            if connection.session and connection.session.connection is connection:
                connection.session.connection = None
            connection.queue.put_nowait(None)
            await pump
        return socket

    def _receive(self, connection: Connection, packet: JSON) -> None:
        op, data = packet["op"], packet["d"]
        if op == HEARTBEAT:
            connection.put(ACK)
        elif op == IDENTIFY:
            self._identify(connection, data)
        elif op == RESUME:
            self._resume(connection, data)

    def _identify(self, connection: Connection, data: JSON) -> None:
        if data["token"] != self.token:
            connection.close(4004)
        elif data["intents"] & CONTENT and not self.content:
            connection.close(4014)
        else:
            self.count("identified")
            session = Session(f"session{len(self.counts)}-{self.world.snowflake()}", data["intents"], connection)
            self.sessions[session.id] = connection.session = session
            session.dispatch("READY", self._ready(session))
            for guild in self.world.guilds.values():
                session.dispatch("GUILD_CREATE", self.world.guild_json(guild))

    def _ready(self, session: Session) -> JSON:
        guilds = [{"id": str(id), "unavailable": True} for id in self.world.guilds]
        application = {"id": str(self.world.me), "flags": 1 << 19}
        me: dict[str, Any] = self.world.users[self.world.me]
        where = {"session_id": session.id, "resume_gateway_url": self.base}
        return {"v": 10, "user": me, "guilds": guilds, "application": application, "private_channels": [], **where}

    def _resume(self, connection: Connection, data: JSON) -> None:
        session = self.sessions.get(data["session_id"])
        if data["token"] != self.token:
            connection.close(4004)
        elif session is None or data["seq"] > len(session.told):
            connection.put(INVALID, False)
        else:
            self.count("resumed")
            if session.connection:
                session.connection.abort()
            session.connection = connection
            connection.session = session
            for number, (name, told) in enumerate(session.told[data["seq"] :], data["seq"] + 1):
                connection.put(DISPATCH, told, name, number)
            session.dispatch("RESUMED", {})

    # --- what goes wrong

    def drop(self, code: int | None = None) -> None:
        """Every connection ends: with this code, or broken off."""
        for connection in list(self.connections):
            if connection.session and connection.session.connection is connection:
                connection.session.connection = None
            if code:
                connection.close(code)
            else:
                connection.abort()

    def reconnect(self) -> None:
        """Ask every connection to reconnect and resume (opcode 7)."""
        for connection in self.connections:
            connection.put(RECONNECT)

    def invalidate(self, resumable: bool = False) -> None:
        """Tell every connection that its session is invalid (opcode 9)."""
        for connection in self.connections:
            if connection.session and not resumable:
                self.sessions.pop(connection.session.id, None)
            connection.put(INVALID, resumable)

    def forget(self) -> None:
        """No session can be resumed any more."""
        self.sessions.clear()
