"""The first contact of people and places with a bridge: people's names in rooms, and the places' rooms. Both are
permanent.

Strangers in direct messages get a code for the owner's approval. Owns nothing on disk except through journal and pairs.
"""

from __future__ import annotations

import re
import unicodedata

from dotagent import installed
from dotagent.bridges import Failed, Incoming, Person, Piece, Place
from dotagent.bridges.pattern import pairs
from dotagent.bridges.pattern.ground import Ground
from dotagent.bridges.pattern.ledger import Standing
from dotagent.store import rooms
from dotagent.store.blobs import content_id
from dotagent.store.rooms import Position
from dotagent.text import names, times
from dotagent.text.lazy import asdict

CODE = "I do not know you yet. If this is your agent, approve this code within an hour with: {approve} {code}"
FULL = (
    "I do not know you yet, and too many people are asking. Ask again in an hour, or ask my owner to set "
    'users = ["id:{id}"]'
)
TOLD = 1000  # people and places remembered as notified
LONGEST = 32  # characters of a person's name, and of a place's in its room's name


class Meeting:
    """Handles the first contact of people and places."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._refused: set[str] = set()
        self._told: list[str] = []

    async def stranger(self, person: Person, place: Place) -> None:
        """Send an unknown person in a direct message a code, once."""
        ground = self._ground
        if place.kind != "person" or person.bot or not ground.rules.pairing:
            return
        code = pairs.ask(ground.folder / pairs.FILE, person, place)
        if code:
            ground.tell(
                f"{person.name} ({person.id}) wants to talk with the agent; to allow this, run: "
                f"{installed.program('pair')} {code}"
            )
            await self.note(place, CODE.format(approve=installed.program("pair"), code=code))
        elif code is not None and self._first(person.id):
            await self.note(place, FULL.format(id=person.id))

    def elsewhere(self, place: Place) -> None:
        """Tell the owner, once, how to allow a place where the bot was addressed."""
        if self._first(place.id):
            said = (
                f'the bridge ignores messages in "{place.name}"; to receive these messages, add channels = '
                f'["id:{place.id}"] to the bridge\'s settings'
            )
            self._ground.tell(f"{said} (the server is {place.server})" if place.server else said)

    def _first(self, id: str) -> bool:
        """Return True at the first call for this id that is still remembered."""
        new = id not in self._told
        self._told = [*self._told, id][-TOLD:] if new else self._told
        return new

    async def note(self, place: Place, text: str) -> None:
        """Send a notice of the bridge, at most once."""
        piece = Piece(text, content_id(f"{place.id} {text}".encode())[:24])
        try:
            async with self._ground.turns[place.id]:
                await self._ground.transport.send(place, piece)
        except Failed as failed:
            self._ground.tell(f"cannot send a message to {place.name}: {failed}")

    def called(self, person: Person) -> str:
        """Return the person's name in rooms, e.g. `discord/ana`: safe in a tag, permanent and unique. Only a unique
        username gives a plain `ana`; a display name becomes `ana-3f9a12`."""
        ground, known = self._ground, self._ground.ledger.names
        if person.id not in known:
            plain = (
                re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFKC", person.name)).strip("-.").casefold()[:LONGEST]
            )
            own, more = names.bridged(ground.name, plain), 0
            while own in known.values() or (not more and plain not in map(str.casefold, person.known)):
                more += 6
                own = names.bridged(ground.name, f"{plain}-{_digits(person.id, more)}".strip("-"))
            ground.journal.note("NAME", durable=False, id=person.id, name=own)
        return known[person.id]

    def standing(self, message: Incoming) -> Standing | None:
        """Return the place's state. A new place, or one with a new route, gets its room. Returns None if it may not
        have one."""
        ground, place, person = self._ground, message.place, message.person
        known = ground.ledger.places.get(place.id)
        routed = ground.rules.route(place, person).room
        if known and known.place.kind != place.kind:
            return None  # messages for one person must never go to a group
        if known and person:
            known.place = place  # its name may have changed
        if person is None or (known and (not routed or routed == known.room)):
            return known
        room = routed or self._new_room(place, person)
        heading = self._heading(place, person, room)
        if not heading:
            return None
        path = ground.home.room(room)
        position = rooms.end(path) if path.exists() else Position()
        heard = known.heard if known else message.order - 1
        ground.journal.note("PLACE", **asdict(Standing(place, room, heading, heard, position, since=times.now())))
        ground.wake()
        return ground.ledger.places[place.id]

    def _new_room(self, place: Place, person: Person) -> str:
        """Return the name of the place's room, e.g. `discord-general`, or a longer one if that is taken."""
        ground = self._ground
        name = names.without_bridge(self.called(person)) if place.kind == "person" else place.name
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        known = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST]
        room = f"{ground.name}-{known or _digits(place.id)}"
        taken = room in (standing.room for id, standing in ground.ledger.places.items() if id != place.id)
        return f"{room}-{_digits(place.id)}" if taken or ground.home.room(room).exists() else room

    def _heading(self, place: Place, person: Person, room: str) -> str:
        """Return the audience of the place's room, or "" if the room in settings has another audience."""
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
            ground.tell(
                f"the bridge does not pass on messages from {place.name} to room {room}: the room's audience (who can "
                f"read it) is `{there}`, but the audience of {place.name} is `{mine}`; "
                "choose another room with a route"
            )
        return ""


def _digits(id: str, most: int = 6) -> str:
    return content_id(id.encode("utf-8", "replace"))[:most]
