"""What was said while the bridge was away in places where nobody was heard before: the pattern cannot ask for those.

Servers tell of each channel's last message when the bridge connects; direct messages are asked for by the ids of people
in settings. What comes meanwhile in such a place waits, so that order holds. Owns nothing on disk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from functools import partial
from typing import Any

import discord

from dotagent.bridges import Failed, Gone, Incoming, Listener, Place, Refused
from dotagent.bridges.discord_side import shapes
from dotagent.bridges.pattern import outside

MARGIN = 600_000 << 22  # ten minutes, in snowflakes: what was under way when a process died is told again
AT_ONCE = 4  # places that are read at the same time
TRIES = 5
PAUSE = 2.0  # seconds between two tries
MOST = 100  # messages that are read at once

Read = Callable[[Place, int, int], Coroutine[Any, Any, Sequence[Incoming]]]


class Missed:
    """The places that are being caught up with since the last connection; `read` reads a place's history."""

    def __init__(self, listener: Listener, read: Read, takes: Callable[[Place], bool], people: Iterable[int]) -> None:
        self._listener, self._read, self._takes, self._people = listener, read, takes, tuple(people)
        self._floor = 0
        self._servers: set[int] = set()  # that were looked at in this session
        self._known: dict[int, str] = {}  # the direct messages of people
        self._gates: dict[int, asyncio.Event] = {}
        self._directs = asyncio.Event()
        self._few = asyncio.Semaphore(AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, client: discord.Client) -> None:
        """A new session: from here on what was missed since the newest message that was taken is looked for."""
        newest = self._listener.newest()
        self._floor = max(0, newest - MARGIN) if newest else 0
        self._servers.clear()
        self._directs.set()
        strangers = [id for id in self._people if not self._listener.newest(self._known.get(id, "none"))]
        if self._floor and strangers:
            self._directs.clear()
            self._spawn(self._direct(client, strangers))

    def server(self, guild: discord.Guild) -> None:
        """A server is there, with its channels and threads; once a session."""
        if guild.id in self._servers:
            return
        self._servers.add(guild.id)
        for where, last in outside.made(partial(_latest, guild), self._listener.log) or () if self._floor else ():
            self._catch(where, last)

    async def wait(self, message: discord.Message) -> None:
        """Wait until what came before this message was told."""
        if message.guild:
            self.server(message.guild)  # discord.py tells of it a moment later than of the first message there
        elif not self._directs.is_set() and not self._listener.newest(str(message.channel.id)):
            await self._directs.wait()
        if gate := self._gates.get(message.channel.id):
            await gate.wait()

    def close(self) -> None:
        """Stop looking."""
        for task in self._tasks:
            task.cancel()

    async def _direct(self, client: discord.Client, strangers: Iterable[int]) -> None:
        """The direct messages of people whom settings name by their id and who were never heard."""
        for id in strangers:
            try:
                with shapes.told():
                    there = await client.http.start_private_message(id)
                    where = Place(outside.id_of(there["id"]), "person", there["recipients"][0]["username"])
                    last = int(there.get("last_message_id") or 0)
            except Failed:
                continue  # nobody has this id, or they share no server with the bot
            self._known[id] = where.id
            self._catch(where, last)
        self._directs.set()

    def _catch(self, where: Place, last: int) -> None:
        """Read the place if its last message is new; unless it is being read since the session before."""
        unheard = last > self._floor and self._takes(where) and not self._listener.newest(where.id)
        if unheard and int(where.id) not in self._gates:
            gate = self._gates[int(where.id)] = asyncio.Event()
            self._spawn(self._tell(where, gate))

    async def _tell(self, where: Place, gate: asyncio.Event) -> None:
        after = self._floor
        try:
            async with self._few:
                while messages := await self._some(where, after):
                    for message in messages:
                        await self._listener.hear(message)
                    after = messages[-1].order
        finally:
            self._gates.pop(int(where.id), None)
            gate.set()

    async def _some(self, where: Place, after: int) -> Sequence[Incoming]:
        for number in range(1, TRIES + 1):
            try:
                return await self._read(where, after, MOST)
            except (Refused, Gone):
                return ()  # the bot may not read there
            except Failed as later:
                if number == TRIES:
                    self._listener.log(f"what was missed in {where.name} cannot be read: {later}")
                await asyncio.sleep(PAUSE)
        return ()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (failed := task.exception()):  # where the listener failed the bridge ends by itself
            self._listener.log(f"what was missed cannot be told: {failed!r}")


def _latest(guild: discord.Guild) -> list[tuple[Place, int]]:
    """A server's channels and threads, and the last message of each."""
    there: list[discord.TextChannel | discord.Thread] = [*guild.text_channels, *guild.threads]
    return [(shapes.place(channel, guild), channel.last_message_id or 0) for channel in there]
