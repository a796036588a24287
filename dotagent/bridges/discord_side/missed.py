"""Messages missed while the bridge was away, in places without earlier messages, which the pattern cannot request.

Servers report each channel's last message when the bridge connects. Direct messages are requested by the ids of people
in settings. New messages in such a place wait, so that the order is kept. Owns nothing on disk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from functools import partial
from typing import Any

import discord

from dotagent.bridges import Failed, Gone, Incoming, Listener, Place, Refused
from dotagent.bridges.discord_side import shapes
from dotagent.bridges.pattern import validation

MARGIN = 600_000 << 22  # ten minutes, in snowflakes: messages in progress at a crash are reported again
AT_ONCE = 4  # places read at the same time
TRIES = 5
PAUSE = 2.0  # seconds between two tries
MOST = 100  # messages read at once

Read = Callable[[Place, int, int], Coroutine[Any, Any, Sequence[Incoming]]]


class Missed:
    """The places to catch up with since the last connection. `read` reads a place's history."""

    def __init__(self, listener: Listener, read: Read, takes: Callable[[Place], bool], people: Iterable[int]) -> None:
        self._listener, self._read, self._takes, self._people = listener, read, takes, tuple(people)
        self._floor = 0
        self._servers: set[int] = set()  # servers checked in this session
        self._known: dict[int, str] = {}  # the direct messages of people
        self._gates: dict[int, asyncio.Event] = {}
        self._directs = asyncio.Event()
        self._few = asyncio.Semaphore(AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, client: discord.Client) -> None:
        """Begin a session: from now on, look for messages after the newest message taken."""
        newest = self._listener.newest()
        self._floor = max(0, newest - MARGIN) if newest else 0
        self._servers.clear()
        self._directs.set()
        strangers = [id for id in self._people if not self._listener.newest(self._known.get(id, "none"))]
        if self._floor and strangers:
            self._directs.clear()
            self._spawn(self._direct(client, strangers))

    def server(self, guild: discord.Guild) -> None:
        """Check a server's channels and threads, once a session."""
        if guild.id in self._servers:
            return
        self._servers.add(guild.id)
        for where, last in (
            validation.make_or_report(partial(_latest, guild), self._listener.log) or () if self._floor else ()
        ):
            self._catch(where, last)

    async def wait(self, message: discord.Message) -> None:
        """Wait until earlier messages of the place were reported."""
        if message.guild:
            self.server(message.guild)  # discord.py reports the server slightly later than its first message
        elif not self._directs.is_set() and not self._listener.newest(str(message.channel.id)):
            await self._directs.wait()
        if gate := self._gates.get(message.channel.id):
            await gate.wait()

    def close(self) -> None:
        """Stop looking."""
        for task in self._tasks:
            task.cancel()

    async def _direct(self, client: discord.Client, strangers: Iterable[int]) -> None:
        """Catch up with direct messages of people in settings who have never written before."""
        for id in strangers:
            try:
                with shapes.convert_errors():
                    there = await client.http.start_private_message(id)
                    where = Place(validation.id_of(there["id"]), "person", there["recipients"][0]["username"])
                    last = int(there.get("last_message_id") or 0)
            except Failed:
                continue  # no one has this id, or they share no server with the bot
            self._known[id] = where.id
            self._catch(where, last)
        self._directs.set()

    def _catch(self, where: Place, last: int) -> None:
        """Read the place if its last message is new, unless it is being read since the previous session."""
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
                    self._listener.log(
                        f"cannot read the messages that were sent in {where.name} while the bridge was not "
                        f"connected: {later}"
                    )
                await asyncio.sleep(PAUSE)
        return ()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (failed := task.exception()):  # a failure of the listener already ends the bridge
            self._listener.log(
                f"cannot pass on the messages that were sent while the bridge was not connected: {failed!r}"
            )


def _latest(guild: discord.Guild) -> list[tuple[Place, int]]:
    """Return a server's channels and threads, with the last message of each."""
    there: list[discord.TextChannel | discord.Thread] = [*guild.text_channels, *guild.threads]
    return [(shapes.place(channel, guild), channel.last_message_id or 0) for channel in there]
