"""discord.py's client for a bridge: events from the gateway become calls of the listener. Owns nothing on disk.

Events keep their order: discord.py starts a task for each, and none waits before its call. A resumed connection repeats
missed events by itself; after a new connection the gap is read from history.
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
from dotagent.bridges.pattern import validation

GRACE = 10.0  # seconds for a connection to be resumed before it counts as lost
LONGEST = 2000  # characters of an answer to a command

discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # no warnings about voice, which is unused


class Client(discord.Client):
    """One login, until it fails or is closed. `failure` is the exception of an event's handler."""

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
        """Return the bot's own id."""
        return self.user.id if self.user else 0

    async def setup_hook(self) -> None:
        """After the login, find the gateway of another Discord server, and register the commands."""
        if self.ask_gateway:
            _, address, _ = await self.http.get_bot_gateway()
            DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(address)
        try:
            await self._tree.sync()
        except discord.HTTPException as error:
            self.listener.log(f"Discord did not accept the bot's slash commands: {error.text or error.status}")

    # --- the connection

    async def on_connect(self) -> None:
        """Handle a new session, which does not repeat missed events."""
        self._ends_grace()
        self._lost = False
        self.missed.begin(self)
        await self.listener.connected()

    async def on_guild_available(self, guild: discord.Guild) -> None:
        self.missed.server(guild)

    async def on_resumed(self) -> None:
        """Handle a resumed session, which has already repeated missed events."""
        self._ends_grace()
        if self._lost:
            self._lost = False
            await self.listener.connected()

    async def on_disconnect(self) -> None:
        """Handle the loss of the connection, perhaps for a moment only."""
        if self._grace is None and not self._lost:
            self._grace = asyncio.get_running_loop().call_later(GRACE, self._lose)

    def _lose(self) -> None:
        self._grace, self._lost = None, True
        self.listener.lost("Discord's gateway is unavailable")

    def _ends_grace(self) -> None:
        if self._grace:
            self._grace.cancel()
            self._grace = None

    # --- messages

    async def on_message(self, message: discord.Message) -> None:
        await self._said(message)

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        """Handle an edit. An update without an edit time only adds a preview."""
        if event.message.edited_at:
            await self._said(event.message, edited=True)

    def _parse(self, parse: Callable[[Any], None], data: object) -> None:
        """Let discord.py parse an event. An unparsable event is skipped, and the connection stays."""
        validation.make_or_report(partial(parse, data), self.listener.log)

    async def _said(self, message: discord.Message, edited: bool = False) -> None:
        if told := validation.make_or_report(partial(self._told, message, edited), self.listener.log):
            if not edited:
                await self.missed.wait(message)
            await self.listener.hear(told)

    def _told(self, message: discord.Message, edited: bool) -> Incoming | None:
        """Return the content of a message, or None if it is the bot's own."""
        if message.author.id == self.me:
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
        if told := validation.make_or_report(lambda: shapes.deleted(where(), id), self.listener.log):
            await self.listener.hear(told)

    async def _command(self, interaction: discord.Interaction) -> None:
        channel, word = interaction.channel, interaction.command.name if interaction.command else ""
        who = shapes.person(interaction.user)
        where = shapes.place(channel, interaction.guild, who.name) if channel else None
        answer = await self.listener.command(word, who, where)
        await interaction.response.send_message(answer[:LONGEST] or "done", ephemeral=True)

    # --- errors

    async def on_error(self, event: str, /, *args: object, **kwargs: object) -> None:
        """Close the bridge after a handler's crash, because its message may be missing from a room."""
        self.failure = self.failure or sys.exc_info()[1]
        await self.close()


class LogLines(logging.Handler):
    """Write discord.py's warnings to the bridge's log, one a line."""

    def __init__(self, listener: Listener) -> None:
        super().__init__(logging.WARNING)
        self._listener = listener

    def emit(self, record: logging.LogRecord) -> None:
        """Log the message without the traceback."""
        error = record.exc_info[1] if record.exc_info else None
        why = f" ({type(error).__name__})" if error else ""
        self._listener.log(f"{record.name}: {record.getMessage()}{why}".replace("\n", " ")[:500])
