"""Who is let in, what they are called, and which room is theirs: what is decided when a person or a place is met.

Strangers in direct messages get a code for their owner's approval; places get a room, for ever. Owns nothing on disk
but through the journal and pairs.
"""

from __future__ import annotations

from dotagent.bridges import Gone, Incoming, Part, Person, Place, Refused, Undone, Unsure
from dotagent.bridges.pattern import ledger, names, pairs
from dotagent.bridges.pattern.ground import Ground
from dotagent.bridges.pattern.ledger import Standing
from dotagent.store import rooms
from dotagent.store.blobs import content_id
from dotagent.store.rooms import Position
from dotagent.text import times

CODE = "I do not know you yet. If this is your agent, approve this code within an hour: python -m dotagent pair {code}"


class Meeting:
    """The bridge's door."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._refused: set[str] = set()

    def lets_in(self, person: Person, place: Place) -> bool:
        """Whether the person is allowed, or paired."""
        return self._ground.rules.lets_in(person, self._ground.pairs.paired)

    async def stranger(self, person: Person, place: Place) -> None:
        """Give an unknown person in a direct message a code, once."""
        ground = self._ground
        if place.kind != "person" or person.bot or not ground.rules.pairing:
            return
        code = pairs.ask(ground.folder / pairs.FILE, person, place)
        if code is None:
            return
        ground.tell(f"{person.name} ({person.id}) asks to be let in: python -m dotagent pair {code}")
        await self.note(place, CODE.format(code=code))

    async def note(self, place: Place, text: str) -> None:
        """Say something of the bridge's own there, at most once."""
        try:
            key = content_id(f"{place.id} {text}".encode())[:24]
            async with self._ground.turns[place.id]:
                await self._ground.transport.send(place, Part(text, key))
        except (Undone, Unsure, Refused, Gone) as failed:
            self._ground.tell(f"{place.name} could not be told: {failed}")

    def called(self, person: Person) -> str:
        """The person's name in rooms, for ever."""
        ground = self._ground
        name = names.person(ground.name, person.id, person.name, ground.ledger.names)
        if person.id not in ground.ledger.names:
            ground.journal.note("NAME", durable=False, id=person.id, name=name)
        return name

    def standing(self, message: Incoming) -> Standing | None:
        """Where the place stands; one that is new, or routed to another room now, gets its room. None: it may not."""
        ground, place = self._ground, message.place
        known = ground.ledger.places.get(place.id)
        routed = ground.rules.route(place, message.person).room
        if known and (not routed or routed == known.room):
            return known
        person = message.person
        if person is None:
            return known
        room = routed or self._new_room(place, person)
        heading = self._heading(place, person, room)
        if not heading:
            return None
        path = ground.home.room(room)
        position = rooms.end(path) if path.exists() else Position()
        heard = known.heard if known else message.order - 1
        made = Standing(place, room, heading, heard=heard, position=position, since=times.now())
        ground.journal.note("PLACE", **ledger.pack(made))
        ground.look()
        return ground.ledger.places[place.id]

    def _new_room(self, place: Place, person: Person) -> str:
        ground = self._ground
        theirs = self.called(person).partition("/")[2] if place.kind == "person" else place.name
        taken = {standing.room for id, standing in ground.ledger.places.items() if id != place.id}
        there = {path.stem for path in ground.home.chats.glob("*.md")}
        return names.room(ground.name, place.id, theirs, taken | there)

    def _heading(self, place: Place, person: Person, room: str) -> str:
        """The audience of the place's room; "" when the room that settings name is for another."""
        ground, path = self._ground, self._ground.home.room(room)
        mine = f"private {self.called(person)}" if place.kind == "person" else "group"
        if not path.exists():
            return mine
        there = rooms.audience(path, ground.owner)
        own = place.kind == "person" and there == f"private {ground.owner}" and ground.rules.owns(person)
        if there == mine or own:
            return there
        if room not in self._refused:
            self._refused.add(room)
            ground.tell(f"room {room} is `{there}`: {place.name} is `{mine}`, and nothing of it is written there")
        return ""
