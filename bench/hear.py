"""How soon the agent hears: from a message appended to a room to the request placed, in 1 room and among 100.

The agent is the real program; the person is this process, who writes as `>>` does, as chat.py does, or saves the room
anew by rename as editors do. Two lives, one in a single room and one in many, take turns.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import common

from dotagent.store import rooms
from dotagent.store.home import Home
from dotagent.text import times

LIMIT_MS = 2.0
Way = Callable[[Path, bytes], float]


def main() -> None:
    """Measure and print."""
    parser = common.arguments(__doc__ or "")
    parser.add_argument("--rooms", type=int, nargs=2, default=(1, 100), help="subscribed rooms, few and many")
    parser.add_argument("--messages", type=int, default=100, help="messages measured of each kind")
    asked = parser.parse_args()
    with common.scratch(asked.dir) as path:
        disk = common.Disk(path)
        figures = _measure(path, disk, asked)
    rows = [[f"{how}, {count} rooms", *common.ms(found)] for (count, how), found in figures.items()]
    common.table("Message in the room to request on disk, ms", ["", "median", "p90"], rows + disk.rows())
    sync = statistics.median(disk.syncs) * 1000
    print()
    for (count, how), found in figures.items():
        value = common.verdict(statistics.median(found) * 1000 - sync, LIMIT_MS, " ms")
        print(f"  {how}, {count} rooms: beyond one fdatasync: {value}")


def _measure(path: Path, disk: common.Disk, asked: argparse.Namespace) -> dict[tuple[int, str], list[float]]:
    figures: dict[tuple[int, str], list[float]] = {(count, how): [] for count in asked.rooms for how in WAYS}
    chance = random.Random(3)
    with ExitStack() as stack:
        lives = {}
        for count in asked.rooms:
            where, self_id, names = _life(path / f"rooms-{count}", count)
            stack.enter_context(common.running(where, self_id))
            lives[count] = (common.Spool(where, self_id), names)
        for number in range(asked.messages + 5):
            for how, way in WAYS.items():
                for count, (spool, names) in lives.items():
                    disk.measure(2)
                    found = _hear(spool, chance.choice(names), way)
                    figures[count, how] += [found] if number >= 5 else []  # the first ones warm up
    return figures


def _life(path: Path, count: int) -> tuple[Home, str, list[str]]:
    """A life that is in so many rooms."""
    where = common.make_home(path)
    self_id = common.born(where)
    names = [common.ROOM, *(f"room-{number}" for number in range(1, count))]
    for name in names[1:]:
        rooms.create(where.room(name), "private")
        os.symlink(f"../../../chats/{name}.md", where.agent(self_id) / "subs" / f"{name}.md")
    return where, self_id, names


def _hear(spool: common.Spool, room: str, way: Way) -> float:
    """Say one thing; return the seconds until its request was placed."""
    written = way(spool.home.room(room), rooms.line_of("USER", "ana", times.now(), "and what do you think of this?"))
    heard = spool.placed() - written
    spool.answer("WAIT")
    spool.rest()
    time.sleep(common.THINK)  # until the agent sleeps
    return heard


def _echo(path: Path, message: bytes) -> float:
    """As `echo … >> room.md` does; return when it was written."""
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)
    os.write(fd, message)
    written = time.perf_counter()
    os.close(fd)
    return written


def _chat(path: Path, message: bytes) -> float:
    """As chat.py does, durably; return when it was said."""
    rooms.append(path, message)
    return time.perf_counter()


def _editor(path: Path, message: bytes) -> float:
    """As editors do that save by rename; return when the room had its new content."""
    aside = path.with_name("4913")
    aside.write_bytes(path.read_bytes() + message)
    os.rename(aside, path)
    return time.perf_counter()


WAYS: dict[str, Way] = {"`>>`": _echo, "chat.py": _chat, "an editor's rename": _editor}


if __name__ == "__main__":
    main()
