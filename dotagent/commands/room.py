"""Write lost messages of a room into its file again.

Someone may save an old version of a room in an editor, and so remove what others said meanwhile. A program that syncs
files may leave a copy of a room, such as dev.sync-conflict-….md, with messages that the room lacks. `room repair NAME`
takes these messages from the logs of the agents in the room and from such copies. The command writes each message where
it was, and writes no message twice. It then moves the copies to set-aside/chats/. Messages that you permanently deleted
stay deleted. Messages that you removed from the room on purpose come back, too.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from dotagent import commands
from dotagent.errors import Misuse
from dotagent.life import room_history
from dotagent.processes.background import MARK
from dotagent.store import disk, home, lives, log, room_completion, room_copies, room_repair, rooms
from dotagent.store.home import Home
from dotagent.text.sizes import plural

GROUP = "repair"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add what to do, and the room."""
    parser.add_argument("what", choices=("repair",), help="write the missing messages again")
    parser.add_argument("room", help="the room's name, e.g. dev")


def run(asked: argparse.Namespace) -> int:
    """Repair the room, and report the changes."""
    if os.environ.get(MARK):
        raise Misuse("refused: only the owner can repair a room, not a command that the agent runs")
    where = commands.home_of(asked)
    path = where.room(asked.room)
    copies = [copy for copy, room in room_copies.find(where) if room == asked.room]
    if not disk.is_file(path):
        if not copies:
            raise Misuse(f"there is no room {asked.room}; `status` lists the rooms")
        disk.create(path, disk.read(copies[0]))
    agents = _find_readers(where, asked.room, copies)
    count = _repair(where, asked.room, agents, copies)
    for copy in copies:
        print(f"moved {copy.name} to {_move_away(where, copy)}")
    print(
        f"room {asked.room}: {plural(count, 'missing message')} written again"
        if count
        else f"room {asked.room}: no message was missing"
    )
    return 0


def _find_readers(where: Home, room: str, copies: list[Path]) -> list[str]:
    """Return the agents whose messages the room's people may read. Raises Misuse if these are none of its agents, or
    if a copy had other people."""
    owner, path = home.owner(home.settings(where)), where.room(room)
    known, audience = home.lives(where, room), rooms.audience(path, owner)
    agents = lives.find_agents(where, room, owner)
    other = [copy.name for copy in copies if rooms.audience(copy, owner) != audience]
    if known and not agents:
        other.append("its agents")
    if other:
        raise Misuse(
            f"the first line of room {room} says that its audience (who can read it) is `{audience}`, but the audience "
            f"of {other[0]} is another one, so other people could read these messages. Correct the first line"
        )
    return agents


def _repair(where: Home, room: str, agents: list[str], copies: list[Path]) -> int:
    """Write the missing messages of all sources. Return their number."""
    sources = [
        list(room_history.messages(where.store(), one, room, log.lines(where.agent(one) / "LIFE.md"))) for one in agents
    ]
    sources += [[disk.read(copy)] for copy in copies]
    total = 0

    def change(data: bytes) -> bytes:
        nonlocal total
        for known in sources:
            data, count = room_repair.merge(data, known)
            total += count
        for one in agents if total else ():
            room_repair.mark(where.agent(one), room)
        return data

    room_completion.rewrite(where.room(room), change)
    return total


def _move_away(where: Home, copy: Path) -> Path:
    """Move a copy out of chats/, so that no one takes it for a room. Return its new path in the home."""
    folder = where.root / "set-aside" / "chats"
    disk.make_dir(folder)
    place, number = folder / copy.name, 1
    while os.path.lexists(place):
        number += 1
        place = folder / f"{copy.name}.{number}"
    os.rename(copy, place)
    disk.sync_dir(folder)
    disk.sync_dir(copy.parent)
    return place.relative_to(where.root)
