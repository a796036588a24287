"""A transport for Discord that runs against the fake one, with an listener that keeps what it is told."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

from fake_discord import Discord
from support import soon

from dotagent import bridges
from dotagent.bridges import Access, Incoming, Person, Place, Transport

with warnings.catch_warnings():  # discord.py loads audioop, which Python 3.11 and 3.12 call deprecated
    warnings.simplefilter("ignore", DeprecationWarning)
    import discord as _discord

assert _discord.version_info >= (2, 5)


class Listener:
    """What the transport told, oldest first."""

    def __init__(self) -> None:
        self.heard: list[Incoming] = []
        self.logged: list[str] = []
        self.losses: list[str] = []
        self.connections = 0
        self.people: dict[str, str] = {}
        self.since = 0

    async def hear(self, message: Incoming) -> bool:
        self.heard.append(message)
        if message.person:
            self.people[message.person.id] = f"discord/{message.person.name}"
        return True

    def newest(self, place: str = "") -> int:
        return max((one.order for one in self.heard if place in ("", one.place.id)), default=0 if place else self.since)

    async def connected(self) -> None:
        self.connections += 1

    def lost(self, why: str) -> None:
        self.losses.append(why)

    async def command(self, word: str, person: Person, place: Place | None) -> str:
        return f"{word} for {person.name} in {place.name if place else 'nowhere'}"

    def log(self, text: str) -> None:
        self.logged.append(text)

    async def hears(self, count: int) -> list[Incoming]:
        """Everything heard, once that is so many."""
        await self.until(lambda: len(self.heard) >= count)
        return self.heard

    async def until(self, look: Callable[[], object]) -> None:
        """Wait for it."""
        await soon(look, lambda: (self.heard, self.logged, self.losses, self.connections))


@asynccontextmanager
async def talking(discord: Discord, listener: Listener, **settings: object) -> AsyncIterator[Transport]:
    """The transport while it is connected."""
    transport = bridges.load("discord").open(Access(discord.token, discord.base, settings))
    task = asyncio.create_task(transport.run(listener))
    try:
        await listener.until(lambda: listener.connections or task.done())
        if task.done():
            task.result()
        yield transport
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def through(work: Callable[[Discord, Listener], Coroutine[Any, Any, None]]) -> None:
    """Run a scenario to its end with a Discord of its own."""
    with Discord() as discord:
        asyncio.run(work(discord, Listener()))
