"""Carry messages between a folder and rooms: NAME.txt there is a letter, answers are appended to NAME.out."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from dotagent.bridges import Incoming, Limits, Listener, Person, Piece, Place
from dotagent.bridges.pattern.plain import Plain

TOKENS = SETTINGS = ()
BASE = "/tmp/letters"  # unless its table in dotagent.toml has another `base`
LIMITS = Limits(4000, history=False, recent=False)


class open(Plain):  # a bridge's module must define this: `open(config)` returns the transport
    async def run(self, listener: Listener) -> None:
        await listener.connected()
        while True:
            for path in sorted(Path(self.config.base).glob("*.txt")):  # a repeated message is delivered once
                name, at = path.stem, path.stat().st_mtime_ns
                place, who = Place(name, "person", name), Person(name, name, (name,))
                when = f"{datetime.fromtimestamp(at / 1e9, UTC):%Y-%m-%dT%H:%M:%SZ}"
                await listener.hear(Incoming(place, who, str(at), at, when, path.read_text()))
            await asyncio.sleep(0.2)

    async def send(self, place: Place, piece: Piece) -> str:
        with Path(self.config.base, f"{place.id}.out").open("a") as file:
            return str(file.write(f"{piece.text}\n"))
