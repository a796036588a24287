"""A bridge that runs: the transport on one side, the home's files on the other, both on one event loop.

It sleeps in the kernel until a file changes or the transport tells of something. Owns nothing on disk by itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from dotagent.bridges import COMMANDS, Incoming, Person, Place
from dotagent.bridges.pattern import pairs
from dotagent.bridges.pattern.ground import Ground
from dotagent.bridges.pattern.inward import Inward
from dotagent.bridges.pattern.ledger import Standing
from dotagent.bridges.pattern.meeting import Meeting
from dotagent.bridges.pattern.outward import Outward
from dotagent.bridges.pattern.thinking import USUAL, Rhythm, Thinking
from dotagent.errors import Trouble
from dotagent.store import disk, face, lives, queue, rooms
from dotagent.text.reference import short
from dotagent.text.sizes import plural

PACE = 0.004  # seconds between two looks at the files, at least
WELCOME = "You are let in. What you say here reaches the agent."
T = TypeVar("T")


class Hub:
    """The running bridge; to its transport it is the `bridges.Listener`."""

    def __init__(self, ground: Ground, pace: Rhythm = USUAL) -> None:
        self._ground = ground
        self._tasks: set[asyncio.Task[Any]] = set()
        self._meeting = Meeting(ground)
        self._inward = Inward(ground, self._meeting, self._spawn)
        self._outward = Outward(ground, self._spawn)
        self._thinking = Thinking(ground, self._outward, self._spawn, pace)
        self._watch = ground.changes.watch
        self._served, self._due = 0.0, False
        self._told = ""  # of the connection: the owner is told of each change once
        ground.wake = self._serve_soon

    async def run(self) -> None:
        """Carry messages until cancelled, or until another process wishes that it begin anew. Raises what the transport
        raises, or what failed on the disk."""
        ground = self._ground
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._inward.recover()
        ground.journal.compact()
        ground.pairs = pairs.read(ground.folder / pairs.FILE)
        disk.make_dir(ground.home.calls / "taken")
        for directory in (ground.home.chats, ground.home.calls / "taken", ground.folder):
            self._watch.names(directory)
        asyncio.get_running_loop().add_reader(self._watch.fileno(), self._woken)
        self._serve()
        self._thinking.begin()
        self._wake_lives()
        transport = self._spawn(ground.transport.run(self))
        try:
            await asyncio.wait({transport, self._failed}, return_when=asyncio.FIRST_COMPLETED)
            if self._failed.done():
                await self._failed
                return
            raise Trouble(f"the transport {ground.name} ended by itself")
        finally:
            asyncio.get_running_loop().remove_reader(self._watch.fileno())
            await self._stop()

    async def hear(self, message: Incoming) -> bool:
        return await asyncio.shield(self._spawn(self._inward.hear(message)))

    async def connected(self) -> None:
        if self._told != "connected":
            self._told = "connected"
            self.log(f"connected, {plural(len(self._ground.ledger.places), 'room')}")
        self._ground.journal.note("ONLINE", durable=False)
        self._inward.connected()
        self._ground.back.set()
        self._ground.back = asyncio.Event()

    def lost(self, why: str) -> None:
        """See bridges.Listener."""
        if self._told != why:
            self._told = why
            self.log(f"not connected, and trying: {why}")
        if self._ground.online.is_set():
            self._ground.journal.note("OFFLINE", durable=False, why=why)
            self._inward.lost()

    def log(self, text: str) -> None:
        """See bridges.Listener."""
        self._ground.tell(text)

    def newest(self, place: str = "") -> int:
        """See bridges.Listener."""
        found = (one.heard for id, one in self._ground.ledger.places.items() if place in ("", id))
        return max(found, default=0)

    @property
    def people(self) -> Mapping[str, str]:
        """See bridges.Listener."""
        return self._ground.ledger.names

    async def command(self, word: str, person: Person, place: Place | None) -> str:
        ground = self._ground
        if not ground.rules.owns(person):
            return "Only the owner may do that."
        if word == "pause" and not ground.ledger.paused:
            ground.journal.note("PAUSE")
        elif word == "resume" and ground.ledger.paused:
            ground.journal.note("RESUME")
            if ground.online.is_set():
                self._inward.connected()
        standing = ground.ledger.places.get(place.id) if place else None
        calls = self._thinking.calls(standing.room) if standing else []
        if word == "stop":
            stopped = [queue.cancel(ground.home, call, hint="it was stopped here") for call in calls]
            return "Stopped." if any(stopped) else "Nothing is being answered here."
        if word not in COMMANDS:
            return f"There are {', '.join(COMMANDS)}."
        state = "paused" if ground.ledger.paused else "connected" if ground.online.is_set() else "not connected"
        status = f"{ground.name}: {state}, {plural(len(ground.ledger.places), 'room')}"
        return f"{status}\n{self._status(standing, bool(calls))}" if standing else status

    def _status(self, standing: Standing, busy: bool) -> str:
        lives, life = self._ground.lives, "no agent"
        if self_id := lives.of(standing.room):
            shown = face.known(self._ground.home, short(self_id))
            life = f"agent {shown} {'runs' if lives.runs(self_id) else 'sleeps'}"
        return f"room {standing.room} ({standing.heading}): {life}{', an answer is being written' * busy}"

    def _wake_lives(self) -> None:
        """Whoever was spoken to last is answered: its life is resumed if it sleeps."""
        ground = self._ground
        for standing in ground.ledger.places.values():
            path = ground.home.room(standing.room)
            last = rooms.last(path, 1, path.stat().st_size) if disk.is_file(path) else []
            if last and last[0].kind != "AGENT":
                self._spawn(ground.ensure_life(standing))

    def _woken(self) -> None:
        """Something changed."""
        self._watch.wait(0)
        self._serve_soon()

    def _serve_soon(self) -> None:
        """Look at the files at once, or a moment after the last look."""
        if not self._due:
            self._due = True
            self._spawn(self._serve_next())

    async def _serve_next(self) -> None:
        await asyncio.sleep(max(0.0, self._served + PACE - asyncio.get_running_loop().time()))
        self._due = False
        self._serve()

    def _serve(self) -> None:
        self._served = asyncio.get_running_loop().time()
        self._outward.serve_changed()
        self._thinking.follow()
        self._let_in()
        if not self._failed.done() and disk.is_file(self._ground.folder / lives.ANEW):
            self.log("it lets go of what it holds, and begins anew")
            self._failed.set_result(None)

    def _let_in(self) -> None:
        """Let in whom the owner has approved since."""
        ground, path = self._ground, self._ground.folder / pairs.FILE
        if not ground.changes.of(path, "pairs"):
            return
        before, ground.pairs = ground.pairs, pairs.read(path)
        for id in ground.pairs.paired.keys() - before.paired.keys():
            one = ground.pairs.paired[id]
            self.log(f"{one['name']} ({id}) is let in")
            self._spawn(self._meeting.note(Place(one["place"], "person", one["name"]), WELCOME))

    def _spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run something beside the rest; when it fails, the bridge ends and says why."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) and not self._failed.done():
            self._failed.set_exception(error)

    async def _stop(self) -> None:
        """End everything; what was under way is in the journal."""
        if not self._failed.done():
            self._failed.cancel()  # what fails from here on fails because it is ended
        while tasks := list(self._tasks):  # one that ends may begin another
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        self._watch.close()
        self._ground.journal.close()
