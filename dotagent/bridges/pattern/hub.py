"""A running bridge: the transport on one side and the home's files on the other, in one event loop.

It sleeps until a file changes or the transport reports an event. Owns nothing on disk by itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from dotagent.bridges import COMMANDS, Incoming, Person, Place
from dotagent.bridges.pattern import pairs
from dotagent.bridges.pattern.first_contact import Meeting
from dotagent.bridges.pattern.ground import Ground
from dotagent.bridges.pattern.inward import Inward
from dotagent.bridges.pattern.ledger import Standing
from dotagent.bridges.pattern.outward import Outward
from dotagent.bridges.pattern.typing_signs import USUAL, Rhythm, Thinking
from dotagent.errors import Trouble
from dotagent.life import stop_requests
from dotagent.store import disk, display, lives
from dotagent.text.reference import short
from dotagent.text.sizes import plural

PACE = 0.004  # the least seconds between two checks of the files
WELCOME = "You are approved. The agent now gets the messages that you write here."
T = TypeVar("T")


class Hub:
    """The running bridge. For its transport it is the `bridges.Listener`."""

    def __init__(self, ground: Ground, pace: Rhythm = USUAL) -> None:
        self._ground = ground
        self._tasks: set[asyncio.Task[Any]] = set()
        self._meeting = Meeting(ground)
        self._inward = Inward(ground, self._meeting, self._spawn)
        self._outward = Outward(ground, self._spawn)
        self._thinking = Thinking(ground, self._outward, self._spawn, pace)
        self._watch = ground.changes.watch
        self._served, self._due = 0.0, False
        self._told = ""  # the state of the connection, to report each change once
        ground.wake = self._serve_soon

    async def run(self) -> None:
        """Carry messages until cancelled, or until another process asks for a restart. Raises errors of the transport
        and of the disk."""
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
            raise Trouble(f"the connection to {ground.name} ended unexpectedly, so the bridge stops")
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
            self.log(f"not connected, trying again: {why}")
        if self._ground.online.is_set():
            self._ground.journal.note("OFFLINE", durable=False, why=why)
            self._inward.lost()

    def log(self, text: str) -> None:
        """See bridges.Listener."""
        self._ground.tell(text)

    def moved(self, old: str, new: str) -> None:
        """See bridges.Listener."""
        self._ground.journal.note("MOVED", old=old, new=new)
        self.log(f"the group {old} has the new id {new}; its room and its settings stay the same")

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
            return "Only the owner may use this command."
        if word == "pause" and not ground.ledger.paused:
            ground.journal.note("PAUSE")
        elif word == "resume" and ground.ledger.paused:
            ground.journal.note("RESUME")
            if ground.online.is_set():
                self._inward.connected()
        standing = ground.ledger.places.get(place.id) if place else None
        calls = self._thinking.calls(standing.room) if standing else []
        if word == "stop":
            who = self._meeting.called(person)
            stopped = stop_requests.ask(ground.home, standing.room, who) if standing else []
            return "Stopped." if stopped else "The agent is not writing an answer here."
        if word not in COMMANDS:
            return f"The commands are {', '.join(COMMANDS)}."
        state = "paused" if ground.ledger.paused else "connected" if ground.online.is_set() else "not connected"
        count = "" if place and place.kind != "person" else f", {plural(len(ground.ledger.places), 'room')}"
        status = f"{ground.name}: {state}{count}"  # others in a group do not read about the owner's other rooms
        return f"{status}\n{self._status(standing, bool(calls))}" if standing else status

    def _status(self, standing: Standing, busy: bool) -> str:
        lives, life = self._ground.lives, "no agent"
        if self_id := lives.of(standing.room):
            shown = display.find_label(self._ground.home, short(self_id))
            life = f"agent {shown} {'is running' if lives.runs(self_id) else 'is stopped'}"
        return f"room {standing.room} ({standing.heading}): {life}{', the agent is writing an answer' * busy}"

    def _wake_lives(self) -> None:
        """Start stopped agents in rooms whose last message is from a person."""
        ground = self._ground
        for standing in ground.ledger.places.values():
            if ground.waits(standing):
                self._spawn(ground.ensure_life(standing))

    def _woken(self) -> None:
        self._watch.wait(0)
        self._serve_soon()

    def _serve_soon(self) -> None:
        """Check the files now, or shortly after the last check."""
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
            self.log("the owner permanently deleted something, so the bridge deletes its own state and restarts")
            self._failed.set_result(None)

    def _let_in(self) -> None:
        """Accept the people that the owner has approved since the last check."""
        ground, path = self._ground, self._ground.folder / pairs.FILE
        if not ground.changes.of(path, "pairs"):
            return
        before, ground.pairs = ground.pairs, pairs.read(path)
        for id in ground.pairs.paired.keys() - before.paired.keys():
            one = ground.pairs.paired[id]
            self.log(f"{one['name']} ({id}) is approved")
            self._spawn(self._meeting.note(Place(one["place"], "person", one["name"]), WELCOME))

    def _spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run a task. If it fails, the bridge ends with its error."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) and not self._failed.done():
            self._failed.set_exception(error)

    async def _stop(self) -> None:
        """End all tasks; unfinished work is in the journal."""
        if not self._failed.done():
            self._failed.cancel()  # from now on, failures are consequences of the end
        while tasks := list(self._tasks):  # a task that ends may start another
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        self._watch.close()
        self._ground.journal.close()
