"""Write a person's request that an agent stops its work for a room. Owns nothing on disk; life/stops.py owns the
file."""

from __future__ import annotations

import os

from dotagent.errors import Misuse
from dotagent.life import replay
from dotagent.life.state import State
from dotagent.life.stops import PLACE
from dotagent.store import disk, lives, queue, rooms
from dotagent.store.home import Home
from dotagent.text import escape


def write(where: Home, self_id: str, room: str, who: str) -> None:
    """Write the request."""
    try:
        size = os.stat(where.room(room)).st_size
    except FileNotFoundError:
        size = 0
    path = where.agent(self_id) / PLACE
    disk.make_dir(path.parent)
    disk.replace(path, f"{room} {size} {escape.one_line(who, 100)}\n".encode("utf-8", "replace"))


def ask(where: Home, room: str, who: str) -> list[str]:
    """Let the agents of a room stop what they do for it. Return the ids of the agents that were doing something.

    A request of an agent that does not run is cancelled at once.
    """
    pending = [call for _, call in queue.out(where) if (call.kind, call.room) == ("live", room)]
    found = dict.fromkeys(call.agent for call in pending if lives.runs(where, call.agent))
    for call in pending:
        if call.agent not in found and queue.cancel(where, call, hint=f"stopped by {who}"):
            found[call.agent] = None
    before = dict[str, int]()  # sizes of the agents' LIFEs, because reading a long one must not delay the wish
    for self_id in lives.find_agents(where, room):
        if lives.runs(where, self_id):
            before[self_id] = (where.agent(self_id) / "LIFE.md").stat().st_size
            write(where, self_id, room, who)
    found.update(dict.fromkeys(one for one, size in before.items() if one in found or _works(where, one, room, size)))
    return list(found)


def _works(where: Home, self_id: str, room: str, size: int) -> bool:
    """Return True if a turn of this room was in progress when LIFE had this size, or a person's last message waited."""
    path = where.room(room)
    try:
        state = replay.standing(where, self_id, size)
        said = rooms.last(path, 1, path.stat().st_size)
        waits = room in state.heard.rooms and said and said[0].kind != "AGENT"
        return goes_on(state, room) or bool(waits and said[0].end > state.heard.rooms[room].offset)
    except (Misuse, OSError):
        return False


def goes_on(state: State, room: str) -> bool:
    """Return True if a turn of this room is not over. A reply whose calls have not begun yet counts."""
    turn = state.turn
    begun = turn.waits or turn.call or turn.look or turn.effect or (turn.reply and not turn.done)
    return bool(begun) and (turn.wake or turn.room) == room
