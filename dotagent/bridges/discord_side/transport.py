"""The Discord transport: it repeats the login as long as necessary, and does the pattern's actions by REST.

Owns nothing on disk. discord.py waits for rate limits of up to a minute and repeats requests after server errors. An
enforced nonce prevents duplicates.
"""

from __future__ import annotations

import asyncio
import logging
import random
import re
import zlib
from collections.abc import Sequence
from functools import partial
from typing import Any

import aiohttp
import discord
from discord.http import Route, handle_message_parameters

from dotagent.bridges import Attachment, Gone, Incoming, Listener, Piece, Place, Refused, Role, Sent, Undone
from dotagent.bridges.discord_side import dialect, shapes
from dotagent.bridges.discord_side.client import Client, LogLines
from dotagent.bridges.discord_side.missed import Missed
from dotagent.bridges.discord_side.shapes import INTENT, REFUSED, convert_errors
from dotagent.bridges.pattern import validation
from dotagent.bridges.pattern.rules import Rules
from dotagent.bridges.pattern.validation import make_or_report
from dotagent.errors import Trouble

PAGE = 100  # the most messages that Discord returns at once
BACK = 300  # messages searched for the bot's own
SLOWEST = 60.0  # seconds between two attempts to log in
CLOSED = {4004: REFUSED, 4013: INTENT, 4014: INTENT}  # by close code of the gateway


class Discord:
    """One bot."""

    def __init__(self, token: str, base: str, settings: Rules, *, elsewhere: bool) -> None:
        """`base` is the API's address. `elsewhere` means that it is not Discord's own, so it is asked for the
        gateway."""
        self._token, self._base, self._rules, self._elsewhere = token, base, settings, elsewhere
        self._client: Client | None = None
        self._listener: Listener | None = None
        self._roles: dict[tuple[str, str], tuple[Role, ...]] = {}

    async def run(self, listener: Listener) -> None:
        Route.BASE = self._base
        self._listener = listener
        log, library = LogLines(listener), logging.getLogger("discord")
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
        ids = {one.id for one in (*self._rules.users, *self._rules.owners)}
        named = [int(id) for id in ids if re.fullmatch("[0-9]{1,19}", id)]
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
        except (aiohttp.ClientError, OSError, TimeoutError, discord.DiscordException) as error:
            listener.lost(f"Discord cannot be reached ({type(error).__name__})")
        except (*validation.ODD, zlib.error) as odd:
            listener.lost(f"Discord's gateway sent data in an unknown form ({type(odd).__name__})")
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
        guild = int(place.server) if place.server.isdecimal() else None
        return self._connected().get_partial_messageable(int(place.id), guild_id=guild)

    def _message(self, place: Place, id: str) -> discord.PartialMessage:
        return self._channel(place).get_partial_message(int(id))

    async def send(self, place: Place, piece: Piece) -> str:
        channel, more = self._channel(place), dict[str, Any](suppress_embeds=True)
        if piece.answers:
            more["reference"] = self._message(place, piece.answers).to_reference(fail_if_not_exists=False)
        with convert_errors():
            return str((await channel.send(piece.text, nonce=piece.key, **more)).id)

    async def edit(self, place: Place, id: str, text: str) -> None:
        client = self._connected()
        unshown, pings = discord.MessageFlags(suppress_embeds=True), client.allowed_mentions
        with (
            convert_errors(),
            handle_message_parameters(text, flags=unshown, previous_allowed_mentions=pings) as params,
        ):
            await client.http.edit_message(int(place.id), int(id), params=params)

    async def delete(self, place: Place, id: str) -> None:
        with convert_errors():
            await self._message(place, id).delete()

    async def typing(self, place: Place) -> None:
        client = self._connected()
        with convert_errors():
            await client.http.send_typing(int(place.id))

    async def history(self, place: Place, after: int, most: int) -> Sequence[Incoming]:
        me, found = self._connected().me, list[Incoming]()
        with convert_errors():
            while True:
                page, ids, whole = await self._page(place, after=after)
                for message in page:
                    if message.author.id != me:
                        roles = await self._roles_of(place, message)
                        one = make_or_report(partial(shapes.from_history, message, place, me, roles), self._log)
                        found += [one] if one else []
                if whole or not ids or len(found) >= most:
                    return found[:most]
                after = max(ids)

    async def _page(self, place: Place, **side: int) -> tuple[list[discord.Message], list[int], bool]:
        """Return the messages after or before a given one, oldest first; the ids of all, even unparsable ones; and
        whether these are the last."""
        client, channel = self._connected(), self._channel(place)
        shown = await client.http.logs_from(int(place.id), PAGE, **side)
        read = partial(client._connection.create_message, channel=channel)
        messages = [make_or_report(partial(read, data=one), self._log) for one in reversed(shown)]
        ids = [make_or_report(partial(_id, one), self._log) for one in shown]
        return [one for one in messages if one], [id for id in ids if id], len(shown) < PAGE

    def _log(self, text: str) -> None:
        if self._listener:
            self._listener.log(text)

    async def _roles_of(self, place: Place, message: discord.Message) -> tuple[Role, ...]:
        """Return the roles of a message's author, which history does not contain. They are requested only if settings
        need them."""
        if not self._rules.roles or place.kind == "person" or isinstance(message.author, discord.Member):
            return ()
        client, guild = self._connected(), int(place.server)
        known = (place.server, str(message.author.id))
        if known not in self._roles:
            try:
                member = await client.http.get_member(guild, message.author.id)
            except discord.NotFound:
                return ()  # they have left
            there = client.get_guild(guild)
            names = {str(role.id): role.name for role in there.roles} if there else {}
            self._roles[known] = tuple(Role(str(id), names.get(str(id), ""), place.server) for id in member["roles"])
        return self._roles[known]

    async def recent(self, place: Place, most: int) -> Sequence[Sent]:
        """Return the bot's messages among the last BACK messages there."""
        me, found, before = self._connected().me, list[Sent](), dict[str, int]()
        with convert_errors():
            for _ in range(BACK // PAGE):
                page, ids, whole = await self._page(place, **before)
                found = [Sent(str(one.id), one.content) for one in page if one.author.id == me] + found
                if whole or not ids or len(found) >= most:
                    break
                before = {"before": min(ids)}
        return found[-most:]

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        with convert_errors():
            async with (
                aiohttp.ClientSession(auto_decompress=False) as session,
                session.get(attachment.handle, headers={"Accept-Encoding": "identity"}) as answer,
            ):
                if answer.status in (403, 404):
                    raise Gone("the attachment no longer exists")
                if answer.status != 200:
                    raise Undone(f"the attachment cannot be downloaded now (status {answer.status})")
                data = bytearray()
                if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
                    raise Undone("the attachment arrived compressed, although that was not requested")
                async for piece in answer.content.iter_chunked(1 << 16):
                    data += piece
                    if len(data) > most:
                        raise Refused(f"the file is larger than {most:,} bytes")
        return bytes(data)

    def outgoing(self, place: Place, text: str) -> str:
        """Return the text in Discord's Markdown, with mentions of accepted people, which survive a restart."""
        people = self._listener.people if self._listener else {}
        return dialect.render(text, {name.removeprefix("discord/"): id for id, name in people.items()})


def _id(shown: Any) -> int:
    return int(validation.id_of(shown["id"]))
