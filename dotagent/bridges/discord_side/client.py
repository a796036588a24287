"""discord.py's client for a bridge: what the gateway tells becomes calls of the listener. Owns nothing on disk.

Every event is told in its order: discord.py starts a task for each, and none waits for anything before it calls. A
connection that is resumed tells all that was missed by itself; a new one has the gap read from history.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import discord
import yarl
from discord import app_commands
from discord.gateway import DiscordWebSocket

from dotagent.bridges import COMMANDS, Incoming, Listener
from dotagent.bridges.discord_side import shapes
from dotagent.bridges.discord_side.missed import Missed
from dotagent.bridges.pattern import outside

GRACE = 10.0  # seconds in which a connection may be resumed before it counts as lost
LONGEST = 2000  # characters of an answer to a command

discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # nobody wants to talk by voice


class Client(discord.Client):
    """One login, until it fails or is closed; `failure` is what an event's handler died of."""

    def __init__(self, listener: Listener, missed: Missed, ask_gateway: bool) -> None:
        intents = discord.Intents.none()
        intents.guilds = intents.guild_messages = intents.dm_messages = intents.message_content = True
        super().__init__(
            intents=intents,
            max_messages=None,
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
            allowed_mentions=discord.AllowedMentions(everyone=False, roles=False, users=True, replied_user=True),
            max_ratelimit_timeout=shapes.PATIENCE,
        )
        self.listener, self.missed, self.ask_gateway = listener, missed, ask_gateway
        self.failure: BaseException | None = None
        parsers = self._connection.parsers
        for event in parsers.keys() - {"READY", "RESUMED"}:  # without these there is no connection
            parsers[event] = partial(self._parse, parsers[event])
        self._grace: asyncio.TimerHandle | None = None
        self._lost = True
        self._tree = app_commands.CommandTree(self)
        for word, explanation in COMMANDS.items():
            self._tree.add_command(app_commands.Command(name=word, description=explanation, callback=self._command))

    @property
    def me(self) -> int:
        """The bot's own id."""
        return self.user.id if self.user else 0

    async def setup_hook(self) -> None:
        """Logged in: find the gateway of a Discord that is elsewhere, and let the commands be known."""
        if self.ask_gateway:
            _, address, _ = await self.http.get_bot_gateway()
            DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(address)
        try:
            await self._tree.sync()
        except discord.HTTPException as error:
            self.listener.log(f"slash commands could not be set up: {error.text or error.status}")

    # --- the connection

    async def on_connect(self) -> None:
        """A new session: nothing of what was missed is told."""
        self._ends_grace()
        self._lost = False
        self.missed.begin(self)
        await self.listener.connected()

    async def on_guild_available(self, guild: discord.Guild) -> None:
        self.missed.server(guild)

    async def on_resumed(self) -> None:
        """The old session: everything that was missed was told already."""
        self._ends_grace()
        if self._lost:
            self._lost = False
            await self.listener.connected()

    async def on_disconnect(self) -> None:
        """The connection is gone, perhaps for a moment only."""
        if self._grace is None and not self._lost:
            self._grace = asyncio.get_running_loop().call_later(GRACE, self._lose)

    def _lose(self) -> None:
        self._grace, self._lost = None, True
        self.listener.lost("Discord's gateway is away")

    def _ends_grace(self) -> None:
        if self._grace:
            self._grace.cancel()
            self._grace = None

    # --- what is said

    async def on_message(self, message: discord.Message) -> None:
        await self._said(message)

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        """A message was edited; an update without an edit's time only added a preview."""
        if event.message.edited_at:
            await self._said(event.message, edited=True)

    def _parse(self, parse: Callable[[Any], None], data: object) -> None:
        """Let discord.py read an event; one that it cannot read costs itself, not the connection."""
        outside.made(partial(parse, data), self.listener.log)

    async def _said(self, message: discord.Message, edited: bool = False) -> None:
        if told := outside.made(partial(self._told, message, edited), self.listener.log):
            if not edited:
                await self.missed.wait(message)
            await self.listener.hear(told)

    def _told(self, message: discord.Message, edited: bool) -> Incoming | None:
        """What a message says; None when nobody but the bot, or Discord itself, says it."""
        if message.author.id == self.me or not shapes.spoken(message):
            return None
        who = shapes.person(message.author, hook=message.webhook_id is not None)
        where = shapes.place(message.channel, message.guild, who.name)
        return shapes.incoming(message, where, self.me, who, edited)

    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        await self._deleted(event.channel_id, event.guild_id, event.message_id)

    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        for id in sorted(event.message_ids):
            await self._deleted(event.channel_id, event.guild_id, id)

    async def _deleted(self, channel: int, guild: int | None, id: int) -> None:
        there = self.get_channel(channel) or self.get_partial_messageable(channel, guild_id=guild)
        where = partial(shapes.place, there, self.get_guild(guild) if guild else None)
        if told := outside.made(lambda: shapes.deleted(where(), id), self.listener.log):
            await self.listener.hear(told)

    async def _command(self, interaction: discord.Interaction) -> None:
        channel, word = interaction.channel, interaction.command.name if interaction.command else ""
        who = shapes.person(interaction.user)
        where = shapes.place(channel, interaction.guild, who.name) if channel else None
        answer = await self.listener.command(word, who, where)
        await interaction.response.send_message(answer[:LONGEST] or "done", ephemeral=True)

    # --- what goes wrong

    async def on_error(self, event: str, /, *args: object, **kwargs: object) -> None:
        """A handler died: what it was told may not be in a room, so the bridge ends rather than goes on without it."""
        self.failure = self.failure or sys.exc_info()[1]
        await self.close()


class LogLines(logging.Handler):
    """discord.py's warnings, each a line in the bridge's log."""

    def __init__(self, listener: Listener) -> None:
        super().__init__(logging.WARNING)
        self._listener = listener

    def emit(self, record: logging.LogRecord) -> None:
        """Tell the owner, without the traceback."""
        error = record.exc_info[1] if record.exc_info else None
        why = f" ({type(error).__name__})" if error else ""
        self._listener.log(f"{record.name}: {record.getMessage()}{why}".replace("\n", " ")[:500])
