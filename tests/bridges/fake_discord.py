"""A Discord on 127.0.0.1: REST, gateway and CDN in a thread of their own, for discord.py itself to talk to.

`with Discord() as discord` serves; `discord.base` is the address for DISCORD_API_BASE, `discord.token` the token. What
a test does (`says`, `edits`, `drop`, …) happens on the server's thread, at once; `until` waits for what a bridge does.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, TypeVar

from aiohttp import web
from discord_gateway import Gateway
from discord_rest import CUT_AFTER, CUT_BEFORE, Asked, Rest
from discord_world import DM, JSON, World
from support import MOMENT, PATIENCE, Deadline

__all__ = ["CUT_AFTER", "CUT_BEFORE", "DM", "Asked", "Discord"]
T = TypeVar("T")


class Discord:
    """The server, listening while its `with` block runs; `world`, `gateway` and `rest` are its parts."""

    def __init__(self, token: str = "a-token-for-tests") -> None:
        self.token = token
        self.world = World()
        self.gateway = Gateway(self.world, token)
        self.rest = Rest(self.world, self.gateway)
        self.base = ""
        self._loop = asyncio.new_event_loop()
        self._up = threading.Event()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Discord:
        self._thread.start()
        assert self._up.wait(PATIENCE), "the fake Discord does not start"
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "the fake Discord does not end"

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        app = web.Application(client_max_size=1 << 26)
        app.router.add_get("/gateway/", self.gateway.serve)
        app.router.add_get("/attachments/{message}/{name}", self._file)
        app.router.add_route("*", "/api/v10/{path:.*}", self.rest.serve)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=MOMENT)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        self.base = f"http://{host}:{port}/api/v10"
        self.gateway.base = f"ws://{host}:{port}/gateway/"
        self._up.set()
        await self._stop.wait()
        self.gateway.drop()
        await runner.cleanup()

    async def _file(self, request: web.Request) -> web.Response:
        data = self.world.files.get(request.path)
        return web.Response(body=data) if data is not None else web.Response(status=404)

    def do(self, work: Callable[..., T], *given: Any, **named: Any) -> T:
        """Do something on the server's thread, and return what it returns."""

        async def now() -> T:
            return work(*given, **named)

        return asyncio.run_coroutine_threadsafe(now(), self._loop).result(PATIENCE)

    # --- people and places

    def user(self, name: str, bot: bool = False) -> int:
        """A new person."""
        return self.do(self.world.user, name, bot)

    def direct(self, user: int) -> int:
        """The direct message with a person."""
        return self.do(self.world.direct, user)

    def server(self, name: str, *members: int) -> int:
        """A new server with these people in it; one that a bridge which is connected already does not learn of."""
        guild = self.do(self.world.guild, name)
        self.world.guilds[guild].members |= {user: [] for user in members}
        return guild

    def role(self, guild: int, name: str, *members: int) -> int:
        """A new role that these people have."""
        role = self.do(self.world.role, guild, name)
        for user in members:
            self.world.guilds[guild].members.setdefault(user, []).append(role)
        return role

    def channel(self, guild: int, name: str, parent: int = 0) -> int:
        """A new channel, or a thread of one."""
        return self.do(self.world.channel, guild, name, parent)

    # --- what people do

    def says(
        self, user: int, channel: int, text: str, reply: int = 0, files: tuple[tuple[str, bytes], ...] = ()
    ) -> int:
        """Somebody says something; the message's id."""

        def work() -> int:
            message = self.world.say(channel, user, text, reply=reply, files=files)
            for file in message["attachments"]:
                if file["url"].startswith("/"):
                    file["url"] = file["proxy_url"] = self.base.removesuffix("/api/v10") + file["url"]
            return int(message["id"])

        return self.do(work)

    def edits(self, channel: int, message: int, text: str) -> None:
        """Somebody edits a message."""
        self.do(self.world.edit, channel, message, text)

    def deletes(self, channel: int, message: int) -> None:
        """Somebody deletes a message."""
        self.do(self.world.delete, channel, message)

    def commands(self, user: int, channel: int, word: str) -> str:
        """Somebody uses a slash command; its token, under which `answer` finds what was answered."""

        def work() -> str:
            place = self.world.channels[channel]
            token = f"token{self.world.snowflake()}"
            named = next(one for one in self.world.commands if one["name"] == word)
            data: JSON = {"id": str(self.world.snowflake()), "application_id": str(self.world.me), "type": 2}
            data |= {"data": {"id": named["id"], "name": word, "type": 1}, "token": token, "version": 1}
            data |= {"channel_id": str(channel), "channel": self.world.channel_json(place), "entitlements": []}
            data |= {
                "locale": "en-US",
                "app_permissions": "0",
                "attachment_size_limit": 10485760,
                "context": 0,
                "authorizing_integration_owners": {},
            }
            if place.guild:
                member = self.world.member_json(place.guild, user) | {"permissions": "0"}
                data |= {"guild_id": str(place.guild), "member": member}
            else:
                data |= {"user": self.world.users[user]}
            for session in self.gateway.sessions.values():
                session.dispatch("INTERACTION_CREATE", data)
            return token

        return self.do(work)

    def answer(self, token: str) -> JSON | None:
        """What an interaction was answered with."""
        return self.rest.answers.get(token)

    # --- what the bridge did

    def said(self, channel: int) -> list[str]:
        """What the bot's messages there say now, oldest first."""
        return [message["content"] for message in self.own(channel)]

    def own(self, channel: int) -> list[JSON]:
        """The bot's messages there, oldest first."""
        found = self.do(lambda: list(self.world.channels[channel].messages.values()))
        return [message for message in found if message["author"]["id"] == str(self.world.me)]

    def until(self, look: Callable[[], T | None], what: str = "") -> T:
        """What `look` returns once it is neither None nor False."""
        deadline = Deadline()
        while True:
            found = look()
            if found:
                return found
            deadline.check(lambda: what)
            with suppress(TimeoutError):
                self._turn()

    def _turn(self) -> None:
        """Wait for a moment of the server's time."""
        asyncio.run_coroutine_threadsafe(asyncio.sleep(MOMENT), self._loop).result(PATIENCE)

    # --- what goes wrong

    def connected(self, sessions: int = 1) -> bool:
        """Whether a bot is connected, and how many times one was, anew or again."""
        counts = self.gateway.counts
        there = any(session.connection for session in list(self.gateway.sessions.values()))
        return there and counts.get("identified", 0) + counts.get("resumed", 0) >= sessions

    def drop(self, code: int | None = None) -> None:
        """The gateway's connection ends, with a close code, or as a network breaks."""
        self.do(self.gateway.drop, code)

    def outage(self) -> None:
        """The gateway is away, and knows of no session when it is back."""
        self.gateway.deaf = True
        self.do(self.gateway.forget)
        self.do(self.gateway.drop)

    def back(self) -> None:
        """The outage is over."""
        self.gateway.deaf = False
