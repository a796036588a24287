"""From rooms into the world: what agents say there is sent, once and in order, whatever dies or breaks meanwhile.

Each piece is announced in the journal before it is sent, and confirmed after. One that is announced and not confirmed
is looked for among the own messages there before it is sent again. One place never waits for another.
"""

from __future__ import annotations

from functools import partial

from dotagent.bridges import Gone, Piece, Refused, Undone, Unsure
from dotagent.bridges.pattern.ground import Ground, Spawn
from dotagent.bridges.pattern.ledger import Record, Standing
from dotagent.store import face, rooms
from dotagent.store.blobs import content_id
from dotagent.store.rooms import Message, Position

RECENT = 50  # own messages among which one in doubt is looked for


class Outward:
    """The way out."""

    def __init__(self, ground: Ground, spawn: Spawn) -> None:
        self._ground, self._spawn = ground, spawn
        self._read: dict[tuple[str, str], Position] = {}  # how far each place's room was read
        self._busy: dict[str, bool] = {}  # places that are being served; True: their room changed meanwhile
        self.answering: dict[str, str] = {}
        """By place: the id of the message that is being answered, as far as is known."""

    def serve_changed(self) -> None:
        """Serve every place whose room changed."""
        for place, standing in list(self._ground.ledger.places.items()):
            if self._ground.changes.of(self._ground.home.room(standing.room), f"place {place}"):
                self.serve(place)

    def serve(self, place: str) -> None:
        """Send what is unsent there."""
        if place in self._busy:
            self._busy[place] = True
        else:
            self._busy[place] = False
            self._spawn(self._serve(place))

    def busy(self, place: str) -> bool:
        """Whether something may be on its way there."""
        return place in self._busy

    async def recover(self, standing: Standing) -> None:
        """Find out what became of a draft that was announced and not confirmed."""
        asked = standing.drafting
        if asked:
            id = await self._find(standing, asked["text"])
            self._ground.journal.note("DRAFTED", durable=False, place=standing.place.id, id=id)

    async def _serve(self, place: str) -> None:
        more = True
        try:
            while more or self._busy[place]:
                self._busy[place] = False
                await self._ground.online.wait()
                more = await self._some(place)
        finally:
            del self._busy[place]

    async def _some(self, place: str) -> bool:
        """Send the next messages of the place's room; False when there were none."""
        ground = self._ground
        standing = ground.ledger.places[place]
        if not ground.sound(standing):
            return False
        position = self._read.get((place, standing.room), standing.position)
        found = rooms.read(ground.home.room(standing.room), position, standing.marks)
        if found is None:  # an editor has written it anew: what was sent is known by its tags
            found = rooms.read(ground.home.room(standing.room), Position())
        messages, position = found or ([], Position())
        for message in messages:
            told = max(standing.since, standing.said.get(message.name, ""))
            if message.kind == "AGENT" and message.at > told:
                async with ground.turns[place]:
                    await self._say(standing, message)
        self._read[place, standing.room] = position
        return bool(messages)

    async def _say(self, standing: Standing, message: Message) -> None:
        """Send a message of an agent, in as many pieces as it takes; drafts become the first of them."""
        ground, place = self._ground, standing.place
        parts = ground.parts(place, self._signed(standing, message))
        agent, at, done = standing.parts
        begun = done if (agent, at) == (message.name, message.at) else 0
        end = [message.end, message.mark]
        named: Record = {"place": place.id, "agent": message.name, "time": message.at, "of": len(parts)}
        try:
            for n, text in enumerate(parts[begun:], begun + 1):
                id = await self._piece(standing, named | {"n": n}, text)
                last: Record = {"end": end} if n == len(parts) else {}
                ground.journal.note("SENT", **named, n=n, id=id, **last)
            if begun >= len(parts):
                ground.journal.note("SENT", **named, n=len(parts), end=end)
        except Refused as why:
            ground.tell(f"{standing.room}: an answer could not be sent: {why}")
            ground.journal.note("FAILED", **named, n=len(parts), end=end, why=str(why))
        self.answering.pop(place.id, None)
        await self.undraft(standing)

    def _signed(self, standing: Standing, message: Message) -> str:
        """What it said; under its name where another agent has spoken, too: one account sends for all of them."""
        if standing.said.keys() <= {message.name}:
            return message.text
        break_ = "\n" if "\n" in message.text else " "  # a list or a fence begins a line
        return f"{face.known(self._ground.home, message.name)}:{break_}{message.text}"

    async def _piece(self, standing: Standing, named: Record, text: str) -> str:
        """Send one piece, however long that takes; the id of its message. Raises Refused."""
        ground, place = self._ground, standing.place
        await ground.insist(partial(self.recover, standing))
        out = standing.out
        doubt = out is not None and all(out[name] == named[name] for name in ("agent", "time", "n"))
        piece = Piece(text, key(ground.name, named), self._points_at(standing) if named["n"] == 1 else "")
        if not doubt:
            ground.journal.note("OUT", **named, key=piece.key)

        async def once() -> str:
            nonlocal doubt
            try:
                id = await self._into_draft(standing, text) or (await self._find(standing, text) if doubt else "")
                return id or await ground.transport.send(place, piece)
            except Unsure:
                doubt = True
                raise

        try:
            return await ground.insist(once)
        except Gone as gone:
            raise Refused(str(gone) or "the place is gone") from None

    async def _into_draft(self, standing: Standing, text: str) -> str:
        """Let the first draft that is still there become the message; its id, "" when there is none."""
        while standing.drafts:
            id = standing.drafts[0]
            try:
                await self._ground.transport.edit(standing.place, id, text)
            except Gone:
                self._ground.journal.note("UNDRAFTED", place=standing.place.id, id=id)
            else:
                return id
        return ""

    async def undraft(self, standing: Standing) -> None:
        """Take away what drafts are left; the caller has the place's turn."""
        for id in list(standing.drafts):
            try:
                await self._ground.transport.delete(standing.place, id)
            except (Undone, Unsure):
                return  # after the next message, or at the next start
            except (Refused, Gone) as why:
                self._ground.tell(f"{standing.room}: a draft stays there: {why}")
            self._ground.journal.note("UNDRAFTED", durable=False, place=standing.place.id, id=id)

    def _points_at(self, standing: Standing) -> str:
        """The message that the answer shall point at: in direct messages only when another came meanwhile."""
        asked = self.answering.get(standing.place.id, "") or standing.last
        return asked if standing.place.kind == "group" or asked != standing.last else ""

    async def _find(self, standing: Standing, text: str) -> str:
        """The id of an own message with this text that the journal does not know; "" when there is none."""
        if not self._ground.limits.recent:
            return ""
        try:
            there = await self._ground.transport.recent(standing.place, RECENT)
        except (Refused, Gone) as why:
            self._ground.tell(f"{standing.room}: own messages there cannot be read: {why}")
            return ""
        same = (one.id for one in there if one.id not in standing.own and one.text.split() == text.split())
        return next(same, "")


def key(bridge: str, named: Record) -> str:
    """The idempotency key of a piece: the agent's tag names the message for ever."""
    words = f"{bridge} {named['place']} {named['agent']} {named['time']} {named['n']}"
    return content_id(words.encode())[:24]
