"""The transport: a login that is made again for as long as it takes, and what the pattern asks of it, by REST.

Owns nothing on disk. discord.py waits for rate limits of up to a minute and repeats what a server error undid; a nonce
that is enforced keeps whatever is repeated from being there twice.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Sequence
from typing import Any

import aiohttp
import discord
from discord.http import Route

from dotagent.bridges import Attachment, Gone, Incoming, Listener, Piece, Place, Refused, Sent, Undone
from dotagent.bridges.discord_side import shapes
from dotagent.bridges.discord_side.client import Client, Log
from dotagent.bridges.discord_side.missed import Missed
from dotagent.bridges.discord_side.shapes import INTENT, REFUSED, told
from dotagent.bridges.pattern.rules import Rules
from dotagent.errors import Trouble

PAGE = 100  # messages that Discord returns at once, at most
BACK = 300  # messages among which own ones are looked for
SLOWEST = 60.0  # seconds between two attempts to log in
CLOSED = {4004: REFUSED, 4013: INTENT, 4014: INTENT}  # by close code of the gateway


class Discord:
    """One bot."""

    def __init__(self, token: str, base: str, settings: Rules, *, elsewhere: bool) -> None:
        """`base` is the API's address; `elsewhere`: it is not Discord's own, so the gateway is asked for there."""
        self._token, self._base, self._rules, self._elsewhere = token, base, settings, elsewhere
        self._client: Client | None = None
        self._listener: Listener | None = None
        self._roles: dict[tuple[str, str], tuple[str, ...]] = {}

    async def run(self, listener: Listener) -> None:
        Route.BASE = self._base
        self._listener = listener
        log, library = Log(listener), logging.getLogger("discord")
        library.addHandler(log)
        library.propagate = False
        pause = 1.0
        try:
            while True:
                begun = asyncio.get_running_loop().time()
                await self._login(listener)
                if asyncio.get_running_loop().time() - begun > SLOWEST:
                    pause = 1.0
                await asyncio.sleep(pause * random.uniform(0.5, 1.0))
                pause = min(SLOWEST, pause * 2)
        finally:
            library.removeHandler(log)

    async def _login(self, listener: Listener) -> None:
        """One login, until it ends."""
        named = [int(id) for id in {*self._rules.users, *self._rules.owners} if id.isdecimal()]
        missed = Missed(listener, self.history, self._rules.takes, named)
        client = self._client = Client(listener, missed, ask_gateway=self._elsewhere)
        try:
            await client.start(self._token)
        except (discord.LoginFailure, discord.PrivilegedIntentsRequired) as error:
            raise Trouble(REFUSED if isinstance(error, discord.LoginFailure) else INTENT) from None
        except discord.ConnectionClosed as closed:
            if closed.code in CLOSED:
                raise Trouble(CLOSED[closed.code]) from None
            listener.lost(f"Discord's gateway closed the connection (code {closed.code})")
        except (aiohttp.ClientError, OSError, TimeoutError, discord.HTTPException, discord.GatewayNotFound) as error:
            listener.lost(f"Discord cannot be reached ({type(error).__name__})")
        finally:
            self._client = None
            missed.close()
            await client.close()
        if client.failure:
            raise client.failure

    def _connected(self) -> Client:
        if self._client is None or not self._client.user or self._client.is_closed():
            raise Undone("not connected to Discord")
        return self._client

    def _channel(self, place: Place) -> discord.PartialMessageable:
        guild = int(place.server[0]) if place.server and place.server[0].isdigit() else None
        return self._connected().get_partial_messageable(int(place.id), guild_id=guild)

    def _message(self, place: Place, id: str) -> discord.PartialMessage:
        return self._channel(place).get_partial_message(int(id))

    async def send(self, place: Place, piece: Piece) -> str:
        channel, more = self._channel(place), dict[str, Any]()
        if piece.answers:
            more["reference"] = self._message(place, piece.answers).to_reference(fail_if_not_exists=False)
        with told():
            return str((await channel.send(piece.text, nonce=piece.key, **more)).id)

    async def edit(self, place: Place, id: str, text: str) -> None:
        with told():
            await self._message(place, id).edit(content=text)

    async def delete(self, place: Place, id: str) -> None:
        with told():
            await self._message(place, id).delete()

    async def typing(self, place: Place) -> None:
        client = self._connected()
        with told():
            await client.http.send_typing(int(place.id))

    async def history(self, place: Place, after: int, most: int) -> Sequence[Incoming]:
        client, channel = self._connected(), self._channel(place)
        found: list[Incoming] = []
        with told():
            while True:
                page = [
                    one async for one in channel.history(limit=PAGE, after=discord.Object(after), oldest_first=True)
                ]
                for message in page:
                    if message.author.id != client.me and shapes.spoken(message):
                        who = shapes.person(message.author, await self._roles_of(place, message))
                        found.append(shapes.incoming(message, place, client.me, who))
                if len(page) < PAGE or len(found) >= most:
                    return found[:most]
                after = page[-1].id

    async def _roles_of(self, place: Place, message: discord.Message) -> tuple[str, ...]:
        """The roles of who wrote a message in history, which does not tell them; asked for only if settings need it."""
        if not self._rules.roles or place.kind == "person" or isinstance(message.author, discord.Member):
            return ()
        client, guild = self._connected(), int(place.server[0])
        known = (place.server[0], str(message.author.id))
        if known not in self._roles:
            try:
                member = await client.http.get_member(guild, message.author.id)
            except discord.NotFound:
                return ()  # they have left
            there = client.get_guild(guild)
            names = [role.name for role in there.roles if str(role.id) in member["roles"]] if there else []
            self._roles[known] = (*map(str, member["roles"]), *names)
        return self._roles[known]

    async def recent(self, place: Place, most: int) -> Sequence[Sent]:
        """Of the last BACK messages there."""
        client, channel = self._connected(), self._channel(place)
        found: list[Sent] = []
        with told():
            async for message in channel.history(limit=BACK):
                if message.author.id == client.me:
                    found.append(Sent(str(message.id), message.content))
                    if len(found) == most:
                        break
        return found[::-1]

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        with told():
            async with aiohttp.ClientSession() as session, session.get(attachment.handle) as answer:
                if answer.status in (403, 404):
                    raise Gone("the attachment is not there any more")
                if answer.status != 200:
                    raise Undone(f"the attachment cannot be had now (status {answer.status})")
                data = bytearray()
                async for piece in answer.content.iter_chunked(1 << 16):
                    data += piece
                    if len(data) > most:
                        raise Refused(f"it is larger than {most:,} bytes")
        return bytes(data)

    def outgoing(self, place: Place, text: str) -> str:
        """The text with mentions for the names of people who were let in: the same after a restart."""
        if self._listener is None or "@" not in text:
            return text
        known = {name.removeprefix("discord/"): id for id, name in self._listener.people.items()}
        return shapes.mentions(text, known)
