"""A bridge of any transport at work in a home of its own, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
import small_world
from small_world import ANA, DM, Loopback, World
from support import MOMENT, PATIENCE, Deadline, make_home, soon

from dotagent.bridges import Incoming, Limits, Person, Place
from dotagent.bridges.pattern.hub import Hub
from dotagent.bridges.pattern.typing_signs import Rhythm
from dotagent.errors import Trouble
from dotagent.store import queue, rooms
from dotagent.store.queue import Call
from dotagent.text import times

AGENT = "0123456789ab"
ID = "0123456789abcdef" * 2
LIMITS = Limits(200, edits=0.01, typing=0.01)
QUICK = Rhythm(after=0.0, grace=0.05)
"""Drafts that come and go without the waits that people want."""


class Scene:
    """A bridge that runs on this loop, its world, and what is in its home."""

    def __init__(self, path: Path, limits: Limits = LIMITS, keys: bool = True) -> None:
        self.where = make_home(path / "home")
        self.world = World(path / "world")
        self.transport = Loopback(self.world, limits, keys)
        self.told: list[str] = []
        self.hub: Hub | None = None

    def play(self, steps: Callable[[Scene], Coroutine[Any, Any, None]], table: dict[str, object] | None = None) -> None:
        """Run the bridge, and the steps beside it, to their end."""

        async def both() -> None:
            self.hub = small_world.hub(self.where, self.transport, table, self.told, QUICK)
            ended = asyncio.Event()
            self.transport.until = ended.is_set
            running = asyncio.ensure_future(self.hub.run())
            try:
                while self.transport.listener is None:
                    await asyncio.sleep(0)
                await asyncio.wait_for(steps(self), PATIENCE)
            finally:
                ended.set()
                with pytest.raises(Trouble, match="ended unexpectedly"):
                    await running
                self.transport.listener = None

        asyncio.run(both())

    async def hear(self, *messages: Incoming) -> list[bool]:
        assert self.transport.listener
        return [await self.transport.listener.hear(message) for message in messages]

    async def sees(self, *texts: str, place: Place = DM) -> None:
        """Wait until exactly this is there."""
        await soon(
            lambda: [one.text for one in self.world.own(place.id)] == list(texts),
            lambda: (self.world.own(place.id), self.told),
        )

    async def sees_whole(self, text: str) -> None:
        """Wait until the messages there, one after the other, are this text."""
        await soon(lambda: "".join(one.text for one in self.world.own("d1")).split() == text.split())

    def says(self, text: str, room: str = "loop-ana") -> None:
        """Let the agent say something."""
        rooms.append(self.where.room(room), rooms.line_of("AGENT", AGENT, times.now(), text))

    def asked(self, room: str) -> tuple[Call, Path]:
        """A call for the room that somebody works on, and the file of its stream."""
        queue.place(self.where, Call(ID, ID, "own", "live", room))
        call = queue.take(self.where, "own")
        assert call
        return call, queue.stream(self.where, call.id)

    async def writes(self, person: Person = ANA, place: Place = DM) -> None:
        """Wait until the bridge knows of the call for the place: it has looked at all rooms by then."""
        assert self.transport.listener
        deadline = Deadline()
        while "is writing an answer" not in await self.transport.listener.command("status", person, place):
            deadline.check(lambda: self.told)
            await asyncio.sleep(MOMENT)

    def heard(self, room: str = "loop-ana") -> list[str]:
        path = self.where.room(room)
        found = rooms.read(path, rooms.Position()) if path.exists() else None
        lines = [one.raw.decode() for one in found[0] if one.kind == "USER"] if found else []
        return [line.split(" ", 1)[0][6:] + ": " + line.split("] ", 1)[1].rstrip("\n") for line in lines]
