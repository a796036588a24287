"""A person's wish that an agent stops what it does for a room.

Any program may leave it, and the agent's loop sees it before each step, as does each wait of a tool
(loop/stopping.py). Owns `run/stop` in the agent's directory, which contains the room, the size of its file at that
moment, and who wished it.
"""

from __future__ import annotations

import os
from pathlib import Path

from dotagent.errors import Misuse
from dotagent.life import replay
from dotagent.life.state import State
from dotagent.store import disk, lives, queue
from dotagent.store.home import Home
from dotagent.text import escape, names
from dotagent.text.lazy import dataclass

PLACE = "run/stop"


@dataclass(frozen=True)
class Stop:
    """The wish: the room, the size of its file, so that later messages are none of it, and the person's name."""

    room: str
    offset: int
    who: str


def read(path: Path) -> Stop | None:
    """Return the wish in an agent's directory, or None."""
    try:
        room, offset, who = disk.read(path / PLACE, 1000).decode("utf-8", "replace").split(" ", 2)
    except (OSError, ValueError):
        return None
    known = names.ROOM.fullmatch(room) and offset.isdecimal() and len(offset) < 19
    return Stop(room, int(offset), escape.one_line(who.strip(), 100)) if known else None


def write(where: Home, self_id: str, room: str, who: str) -> None:
    """Leave the wish."""
    try:
        size = os.stat(where.room(room)).st_size
    except FileNotFoundError:
        size = 0
    path = where.agent(self_id) / PLACE
    disk.make_dir(path.parent)
    disk.replace(path, f"{room} {size} {escape.one_line(who, 100)}\n".encode("utf-8", "replace"), durable=False)


def remove(path: Path) -> None:
    """Remove the wish from an agent's directory, because it is fulfilled."""
    disk.remove(path / PLACE)


def ask(where: Home, room: str, who: str) -> list[str]:
    """Let the agents of a room stop what they do for it. Return the ids of those that were doing something.

    A request of an agent that does not run is cancelled at once.
    """
    pending = [call for _, call in queue.out(where) if (call.kind, call.room) == ("live", room)]
    found = dict.fromkeys(call.agent for call in pending if lives.runs(where, call.agent))
    for call in pending:
        if call.agent not in found and queue.cancel(where, call, hint=f"stopped by {who}"):
            found[call.agent] = None
    for self_id in lives.find_agents(where, room):
        if lives.runs(where, self_id):
            if self_id in found or _works(where, self_id, room):
                found[self_id] = None
            write(where, self_id, room, who)
    return list(found)


def _works(where: Home, self_id: str, room: str) -> bool:
    try:
        return goes_on(replay.standing(where, self_id), room)
    except (Misuse, OSError):
        return False


def goes_on(state: State, room: str) -> bool:
    """Return True if a turn of this room is not over. A reply whose calls have not begun yet counts."""
    turn = state.turn
    begun = turn.waits or turn.call or turn.look or turn.effect or (turn.reply and not turn.done)
    return bool(begun) and (turn.wake or turn.room) == room
