"""A world of one file, and a transport into it: what people say there, what the bot sent, by kinds of transport.

Only what is in the file survives the bridge's process. `tick` is called before and after whatever the bot changes
there, so that a test can let the process die at it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from support import MOMENT

from dotagent.bridges import (
    Attachment,
    Gone,
    Incoming,
    Limits,
    Listener,
    Person,
    Piece,
    Place,
    Refused,
    Sent,
    Undone,
    Unsure,
)
from dotagent.bridges.pattern import ledger, rules
from dotagent.bridges.pattern.ground import Ground
from dotagent.bridges.pattern.hub import Hub
from dotagent.bridges.pattern.journal import Journal
from dotagent.bridges.pattern.lives import Lives
from dotagent.bridges.pattern.typing_signs import USUAL, Rhythm
from dotagent.store import disk
from dotagent.store.home import Home, Settings
from dotagent.text import times

ANA, BOB, EVE = Person("1", "ana", ("ana",)), Person("2", "bob", ("bob",)), Person("3", "eve", ("eve",))
DM = Place("d1", "person", "ana")
CHANNEL = Place("c1", "group", "general", ("general",), (), "900")
TABLE: dict[str, object] = {
    "users": ["@ana", "bob"],
    "channels": ["home/general"],
    "owners": ["@ana"],
    "agents": "none",
    "servers": {"home": "900"},
}


def said(place: Place, person: Person | None, order: int, text: str, **more: Any) -> Incoming:
    """A message of a person; its id is its order."""
    given = {"id": str(order), "order": order, "at": times.now(), "text": text, **more}
    return Incoming(place, person, **given)


class World:
    """What is there: `own` messages of the bot by place, as they are now."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tick: Callable[[], None] = lambda: None

    def events(self) -> list[dict[str, Any]]:
        """All that the bot did."""
        return [json.loads(line) for line in self.path.read_text().split("\n")[:-1]] if self.path.exists() else []

    def own(self, place: str) -> list[Sent]:
        """The bot's messages there, oldest first."""
        there: dict[str, str] = {}
        for event in self.events():
            if event["place"] == place and event["do"] == "delete":
                del there[event["id"]]
            elif event["place"] == place and event["do"] in ("send", "edit"):
                there[event["id"]] = event["text"]
        return [Sent(id, text) for id, text in there.items()]

    def add(self, **event: object) -> None:
        """Let something have happened."""
        self.tick()
        with open(self.path, "a") as file:
            file.write(json.dumps(event) + "\n")
        self.tick()


class Loopback:
    """The transport into a World. `script` is what people say, told one after the other once connected."""

    def __init__(self, world: World, limits: Limits, keys: bool = True) -> None:
        self.world, self.limits, self.keys = world, limits, keys
        self.script: list[Incoming] = []
        self.untold: list[Incoming] = []  # said while the bridge was away: only history knows them
        self.files: dict[str, bytes] = {}
        self.trouble: list[Exception] = []  # what the next sendings raise
        self.stuck: list[str] = []  # the places that get nothing now, one for each time that one was tried
        self.typed = 0
        self.slow = 0.0  # seconds that history takes
        self.listener: Listener | None = None
        self.until: Callable[[], bool] = lambda: True

    async def run(self, listener: Listener) -> None:
        """Tell the script, then go on until what the test waits for is so."""
        self.listener = listener
        await listener.connected()
        for message in self.script:
            await listener.hear(message)
        while not self.until():
            await asyncio.sleep(MOMENT)

    async def send(self, place: Place, piece: Piece) -> str:
        if place.id in self.stuck:
            self.stuck.append(place.id)
            raise Undone("slow down", MOMENT)
        if self.trouble:
            wrong = self.trouble.pop(0)
            if isinstance(wrong, Unsure) and str(wrong) == "done":
                self._send(place, piece)
            raise wrong
        return self._send(place, piece)

    def _send(self, place: Place, piece: Piece) -> str:
        events = self.world.events()
        same = [one["id"] for one in events if self.keys and one.get("key") == piece.key]
        if same:
            return str(same[0])
        id = str(1000 + len(events))
        self.world.add(do="send", place=place.id, id=id, text=piece.text, key=piece.key, answers=piece.answers)
        return id

    async def edit(self, place: Place, id: str, text: str) -> None:
        if id not in {one.id for one in self.world.own(place.id)}:
            raise Gone(id)
        self.world.add(do="edit", place=place.id, id=id, text=text)

    async def delete(self, place: Place, id: str) -> None:
        if id not in {one.id for one in self.world.own(place.id)}:
            raise Gone(id)
        self.world.add(do="delete", place=place.id, id=id)

    async def typing(self, place: Place) -> None:
        self.typed += 1

    async def history(self, place: Place, after: int, most: int) -> Sequence[Incoming]:
        assert self.limits.history
        await asyncio.sleep(self.slow)
        there = sorted((*self.script, *self.untold), key=lambda one: one.order)
        return [one for one in there if one.place.id == place.id and one.order > after and one.kind == "new"][:most]

    async def recent(self, place: Place, most: int) -> Sequence[Sent]:
        assert self.limits.recent
        return self.world.own(place.id)[-most:]

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        if attachment.handle not in self.files:
            raise Gone("it is not there any more")
        if len(self.files[attachment.handle]) > most:
            raise Refused("it is too large")
        return self.files[attachment.handle]

    def outgoing(self, place: Place, text: str) -> str:
        return text.replace("@ana", "<@1>")


def hub(
    where: Home,
    transport: Loopback,
    table: dict[str, object] | None = None,
    told: list[str] | None = None,
    pace: Rhythm = USUAL,
) -> Hub:
    """A bridge named `loop` over the transport."""
    folder = where.bridges / "loop"
    disk.make_dir(folder)
    tell = (told if told is not None else []).append
    known = rules.parse("loop", {**TABLE, **(table or {})})
    lives = Lives(where, Settings(), folder / "agents.log", {}, tell)
    journal = Journal(folder / "journal.jsonl")
    return Hub(Ground("loop", where, "ana", known, transport.limits, journal, transport, lives, tell), pace)


__all__ = ["ANA", "BOB", "CHANNEL", "DM", "EVE", "Undone", "Unsure", "World", "hub", "ledger", "said"]
