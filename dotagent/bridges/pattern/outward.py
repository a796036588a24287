"""Outgoing messages: send what agents say in rooms, once and in order, despite crashes and broken connections.

Each piece is announced in the journal before it is sent, and confirmed afterwards. An unconfirmed piece is searched
among the bot's messages before it is sent again. Places do not wait for each other. Owns nothing on disk.
"""

from __future__ import annotations

from functools import partial

from dotagent.bridges import Gone, Piece, Refused, Undone, Unsure
from dotagent.bridges.pattern.ground import Ground, Spawn
from dotagent.bridges.pattern.ledger import Record, Standing
from dotagent.store import display, rooms
from dotagent.store.blobs import content_id
from dotagent.store.rooms import Message, Position

RECENT = 50  # messages of the bot to search for an unconfirmed one


class Outward:
    """The outgoing side of a bridge."""

    def __init__(self, ground: Ground, spawn: Spawn) -> None:
        self._ground, self._spawn = ground, spawn
        self._read: dict[tuple[str, str], Position] = {}  # how far each place's room was read
        self._busy: dict[str, bool] = {}  # places being served; True: their room changed meanwhile
        self.answering: dict[str, str] = {}
        """By place: the id of the message being answered, if known."""

    def serve_changed(self) -> None:
        """Serve every place whose room changed."""
        for place, standing in list(self._ground.ledger.places.items()):
            if self._ground.changes.of(self._ground.home.room(standing.room), f"place {place}"):
                self.serve(place)

    def serve(self, place: str) -> None:
        """Send the unsent messages of the place's room."""
        if place in self._busy:
            self._busy[place] = True
        else:
            self._busy[place] = False
            self._spawn(self._serve(place))

    def busy(self, place: str) -> bool:
        """Return True if a message may be on its way there."""
        return place in self._busy

    async def recover(self, standing: Standing) -> None:
        """Find out the result of an unconfirmed draft."""
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
        """Send the next messages of the place's room. Return False if there are none."""
        ground = self._ground
        standing = ground.ledger.places[place]
        if not ground.sound(standing):
            return False
        position = self._read.get((place, standing.room), standing.position)
        found = rooms.read(ground.home.room(standing.room), position, standing.marks)
        if found is None:  # an editor has rewritten it, so sent messages are recognised by their tags
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
        """Send an agent's message, in as many pieces as necessary. Drafts become its first pieces."""
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
            ground.tell(f"room {standing.room}: the bridge could not send an answer: {why}")
            ground.journal.note("FAILED", **named, n=len(parts), end=end, why=str(why))
        self.answering.pop(place.id, None)
        await self.undraft(standing)

    def _signed(self, standing: Standing, message: Message) -> str:
        """Return the message's text, with the agent's name if several agents have spoken, because they share one
        account."""
        if standing.said.keys() <= {message.name}:
            return message.text
        break_ = "\n" if "\n" in message.text else " "  # a list or a fence begins a line
        return f"{display.find_label(self._ground.home, message.name)}:{break_}{message.text}"

    async def _piece(self, standing: Standing, named: Record, text: str) -> str:
        """Send one piece, however long that takes. Return the id of its message. Raises Refused."""
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
            raise Refused(str(gone) or "the chat no longer exists") from None

    async def _into_draft(self, standing: Standing, text: str) -> str:
        """Turn the first existing draft into the message. Return its id, or "" if there is no draft."""
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
        """Delete the remaining drafts. The caller must have the place's lock."""
        for id in list(standing.drafts):
            try:
                await self._ground.transport.delete(standing.place, id)
            except (Undone, Unsure):
                return  # tried again after the next message, or at the next start
            except (Refused, Gone) as why:
                self._ground.tell(f"room {standing.room}: could not delete the draft of an answer: {why}")
            self._ground.journal.note("UNDRAFTED", durable=False, place=standing.place.id, id=id)

    def _points_at(self, standing: Standing) -> str:
        """Return the message that the answer replies to. In direct messages it is needed only if another message came
        in between."""
        asked = self.answering.get(standing.place.id, "") or standing.last
        return asked if standing.place.kind == "group" or asked != standing.last else ""

    async def _find(self, standing: Standing, text: str) -> str:
        """Return the id of one of the bot's messages with this text that the journal does not contain, or ""."""
        if not self._ground.limits.recent:
            return ""
        try:
            there = await self._ground.transport.recent(standing.place, RECENT)
        except (Refused, Gone) as why:
            self._ground.tell(f"room {standing.room}: could not read the agent's own messages: {why}")
            return ""
        same = (one.id for one in there if one.id not in standing.own and one.text.split() == text.split())
        return next(same, "")


def key(bridge: str, named: Record) -> str:
    """Return the idempotency key of a piece. The agent's tag identifies the message permanently."""
    words = f"{bridge} {named['place']} {named['agent']} {named['time']} {named['n']}"
    return content_id(words.encode())[:24]
