"""What a bridge's pattern costs: from the transport's event to the room, and from the room to the transport, among many
rooms, one after the other and all at once; and what it costs when nothing happens.

The transport is one that does nothing but note the time, in this process, so what is measured is the pattern and the
disk. The figures are held against two fdatasyncs of the same disk: every message in, and every part out, has two.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import common

from dotagent.bridges import Attachment, Incoming, Limits, Listener, Person, Piece, Place, Sent
from dotagent.bridges.pattern import rules
from dotagent.bridges.pattern.ground import Ground
from dotagent.bridges.pattern.hub import Hub
from dotagent.bridges.pattern.journal import Journal
from dotagent.bridges.pattern.lives import Lives
from dotagent.store import disk as disks
from dotagent.store import rooms
from dotagent.store.home import Home, Settings
from dotagent.text import times

IN_MS, OUT_MS = 5.0, 20.0
AGENT = "0123456789ab"
IDLE = 10.0  # seconds


class Null:
    """A transport that notes when it was told to send."""

    def __init__(self) -> None:
        self.listener: Listener | None = None
        self.sent: dict[str, list[float]] = {}
        self.ended = asyncio.Event()

    async def run(self, listener: Listener) -> None:
        self.listener = listener
        await listener.connected()
        await self.ended.wait()

    async def send(self, place: Place, piece: Piece) -> str:
        self.sent.setdefault(place.id, []).append(time.perf_counter())
        return piece.key

    async def edit(self, place: Place, id: str, text: str) -> None:
        """Nothing."""

    async def delete(self, place: Place, id: str) -> None:
        """Nothing."""

    async def typing(self, place: Place) -> None:
        """Nothing."""

    async def history(self, place: Place, after: int, most: int) -> Sequence[Incoming]:
        return ()

    async def recent(self, place: Place, most: int) -> Sequence[Sent]:
        return ()

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        return b""

    def outgoing(self, place: Place, text: str) -> str:
        return text


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--rooms", type=int, default=100)
    parser.add_argument("--messages", type=int, default=300)
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        disk = common.Disk(path)
        figures = asyncio.run(_measure(path, disk, asked))
    rows = [[name, *common.ms(found)] for name, found in figures.items() if name != "idle"]
    common.table(f"A bridge with {asked.rooms} rooms, ms", ["", "median", "p90"], rows + disk.rows())
    sync = 2 * statistics.median(disk.syncs) * 1000
    for name, limit in (("event to room", IN_MS), ("room to sending", OUT_MS)):
        value = common.verdict(statistics.median(figures[name]) * 1000 - sync, limit, " ms")
        print(f"  {name}, beyond two fdatasyncs: {value}")
    print(f"  idle, {IDLE:.0f} s: {figures['idle'][0] * 1000:.1f} ms of CPU")
    print(f"  memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")


async def _measure(path: Path, disk: common.Disk, asked: argparse.Namespace) -> dict[str, list[float]]:
    where, null = common.make_home(path / "home"), Null()
    hub = _hub(where, null)
    running = asyncio.ensure_future(hub.run())
    while null.listener is None:
        await asyncio.sleep(0)
    places = [Place(f"p{number}", "person", f"person{number}") for number in range(asked.rooms)]
    order = 0
    for place in places:
        order += 1
        await null.listener.hear(_said(place, order))
    figures: dict[str, list[float]] = {"event to room": [], "room to sending": [], "room to sending, all at once": []}
    for number in range(asked.messages):
        place, order = places[number % len(places)], order + 1
        disk.measure(2)
        begun = time.perf_counter()
        assert await null.listener.hear(_said(place, order))
        figures["event to room"].append(time.perf_counter() - begun)
        figures["room to sending"] += await _out(where, null, [place])
    figures["room to sending, all at once"] = await _out(where, null, places)
    await asyncio.sleep(1.5)
    begun = time.process_time()
    await asyncio.sleep(IDLE)
    figures["idle"] = [time.process_time() - begun]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    return figures


async def _out(where: Home, null: Null, places: list[Place]) -> list[float]:
    """Let an agent speak in each room; the seconds from when its line was there to when it was sent."""
    written = {}
    before = {place.id: len(null.sent.get(place.id, ())) for place in places}
    for place in places:
        path = where.room(f"null-{place.name}")
        rooms.append(path, rooms.line_of("AGENT", AGENT, times.now(), "14A, by the window."))
        written[place.id] = time.perf_counter()
    while any(len(null.sent.get(id, ())) == count for id, count in before.items()):
        await asyncio.sleep(0.0005)
    return [null.sent[id][-1] - at for id, at in written.items()]


def _said(place: Place, order: int) -> Incoming:
    who = Person(place.name, place.name, (place.name,))
    return Incoming(place, who, str(order), order, times.now(), "and what do you think of this?")


def _hub(where: Home, null: Null) -> Hub:
    folder = where.bridges / "null"
    disks.make_dir(folder)
    known = rules.parse("null", {"users": ["*"], "agents": "none"})
    lives = Lives(where, Settings(), folder / "agents.log", {}, print)
    return Hub(Ground("null", where, "ana", known, Limits(2000), Journal(folder / "journal.jsonl"), null, lives, print))


if __name__ == "__main__":
    main()
