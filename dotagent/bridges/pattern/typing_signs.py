"""Signs of an unfinished answer: the typing indicator, and the text so far as drafts that are edited.

A draft is never a separate message: the final message replaces it. Other parts of a model's stream are never shown.
Owns nothing on disk.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from dotagent.bridges import Failed, Gone, Piece, Undone
from dotagent.bridges.pattern.ground import Ground, Spawn
from dotagent.bridges.pattern.ledger import Record, Standing
from dotagent.bridges.pattern.outward import Outward, key
from dotagent.store import draft, queue
from dotagent.store.queue import Call
from dotagent.text.lazy import dataclass


@dataclass(frozen=True)
class Rhythm:
    """When to show an unfinished answer: `after` seconds, with at least `least` characters. `grace` is the seconds
    after the call in which the message must come, or its draft is deleted."""

    after: float = 1.0
    least: int = 20
    grace: float = 10.0


USUAL = Rhythm()


class Thinking:
    """The unfinished calls for this bridge's rooms."""

    def __init__(self, ground: Ground, outward: Outward, spawn: Spawn, pace: Rhythm) -> None:
        self._ground, self._outward, self._spawn, self._pace = ground, outward, spawn, pace
        self._out: dict[str, tuple[Call | None, asyncio.Event]] = {}
        self._shown: dict[str, str] = {}

    def begin(self) -> None:
        """Delete the drafts of an earlier process, unless their message comes."""
        for standing in self._ground.ledger.places.values():
            if standing.drafts or standing.drafting:
                self._spawn(self._end(standing))

    def follow(self) -> None:
        """Follow newly taken calls, and check which have ended."""
        home, limits = self._ground.home, self._ground.limits
        there = set(queue.names(home.calls / "taken"))
        for id in there - self._out.keys():
            call, ended = queue.find_taken(home, id), asyncio.Event()
            self._out[id] = (call, ended)
            if call is None or call.kind != "live":
                continue
            for standing in list(self._ground.ledger.places.values()):
                if standing.room == call.room and self._ground.sound(standing):
                    self._outward.answering[standing.place.id] = standing.last
                    if limits.typing or limits.edits:
                        self._spawn(self._show(call, standing, ended))
        for id in self._out.keys() - there:
            self._out.pop(id)[1].set()

    def calls(self, room: str) -> list[Call]:
        """Return the calls whose answer the room waits for."""
        return [call for call, _ in self._out.values() if call and call.kind == "live" and call.room == room]

    async def _show(self, call: Call, standing: Standing, ended: asyncio.Event) -> None:
        """Show that an answer is being written, until it is complete."""
        limits, loop = self._ground.limits, asyncio.get_running_loop()
        begun, typed = loop.time(), -limits.typing
        step = min(seconds for seconds in (limits.typing, limits.edits) if seconds)
        while not ended.is_set():
            now, wait = loop.time(), step
            if limits.typing and now - typed >= limits.typing and self._ground.online.is_set():
                typed = now
                with suppress(Failed):  # optional, so failures are ignored
                    await self._ground.transport.typing(standing.place)
            if limits.edits and now - begun >= self._pace.after and self._ground.online.is_set():
                wait = max(step, await self._draft(call, standing, ended))
            with suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), wait)
        if standing.drafts or standing.drafting:
            await self._end(standing)

    async def _draft(self, call: Call, standing: Standing, ended: asyncio.Event) -> float:
        """Update the drafts by one step. Return the seconds to leave the place alone."""
        ground = self._ground
        text = draft.words(ground.home, call, call.room) or ""
        if len(text) < self._pace.least:
            return 0.0
        async with ground.turns[standing.place.id]:
            if ended.is_set() or self._outward.busy(standing.place.id):
                return 0.0
            try:
                await self._outward.recover(standing)
                await self._step(call, standing, ground.parts(standing.place, text))
            except Undone as later:
                return later.after or 0.0
            except Gone:
                for id in list(standing.drafts):
                    ground.journal.note("UNDRAFTED", durable=False, place=standing.place.id, id=id)
            except Failed:
                return self._pace.grace
        return 0.0

    async def _step(self, call: Call, standing: Standing, parts: list[str]) -> None:
        """Make the first necessary edit, or send the next draft."""
        ground, place = self._ground, standing.place
        for n, text in enumerate(parts):
            if n == len(standing.drafts):
                named: Record = {"place": place.id, "agent": call.id, "time": "draft", "n": n + 1}
                name = key(ground.name, named)
                ground.journal.note("DRAFT", place=place.id, call=call.id, key=name, text=text)
                asked = self._outward.answering.get(place.id, "") if n == 0 and place.kind == "group" else ""
                id = await ground.transport.send(place, Piece(text, name, asked))
                ground.journal.note("DRAFTED", place=place.id, id=id)
            elif self._shown.get(standing.drafts[n]) != text:
                await ground.transport.edit(place, standing.drafts[n], text)
            else:
                continue
            self._shown[standing.drafts[n]] = text
            return

    async def _end(self, standing: Standing) -> None:
        """Delete the drafts if no message has replaced them and none is being written."""
        await asyncio.sleep(self._pace.grace)
        await self._ground.online.wait()
        async with self._ground.turns[standing.place.id]:
            if self.calls(standing.room) or self._outward.busy(standing.place.id):
                return
            try:
                await self._outward.recover(standing)
            except Failed:
                return  # tried again at the next start
            await self._outward.undraft(standing)
        self._shown = {id: text for id, text in self._shown.items() if id in standing.drafts}
