"""What an agent has in mind of a room now: the size of its context, and which messages are in it word for word.

Every other message that it has read is only in a summary. Owns nothing on disk.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

from dotagent.capabilities.view.frames import kind
from dotagent.capabilities.view.memory import scenes
from dotagent.capabilities.view.picture import kinds
from dotagent.capabilities.view.route import PageRequest
from dotagent.life import events
from dotagent.life.events import Hear, Join, Reply
from dotagent.store import agent_search, display, home, lives, log_search


def of_room(asked: PageRequest) -> dict[str, Any]:
    """Return what the most recently active agent of the room has in mind; {} if the room has no agent."""
    where, room = asked.where, asked.path["room"]
    path = where.room(room)
    here = [one for one in lives.find_agents(where, room) if not lives.is_made(where, one)] if path.exists() else []
    self_id = agent_search.newest(where, here) if here else ""
    known = scenes(where)
    swaps, _, end = known.swaps(self_id) if self_id else ((), (), 0)
    if not end:
        return {}
    frame = known.at(self_id, end).frame(end)
    sizes, heard, said = Counter[str](), list[int](), list[str]()
    for entry in frame.entries:
        sizes[kind(entry)] += frame.tokens(entry)
        event = events.parse(entry.line)
        if isinstance(event, Hear) and event.room == room and not entry.stripped and not entry.lost:
            heard.append(event.offset)
        elif isinstance(event, Reply) and not entry.lost:
            said.append(entry.line.at)
    parts = [[*one, sizes[one[0]]] for one in kinds() if sizes[one[0]]]
    name = display.find_face(where, home.settings(where), self_id).given
    joined = _joined(where.agent(self_id) / "LIFE.md", room)
    return {"agent": self_id, "name": name, "at": frame.line.at, "limit": frame.limit, "kinds": parts,
            "size": sum(sizes.values()), "heard": heard, "said": said, "joined": joined,
            "swap": swaps[-1].end if swaps else 0}  # fmt: skip


@lru_cache(maxsize=100)
def _joined(life: Path, room: str) -> int:
    """Return the offset in the room's file from which the agent reads."""
    joins = (events.parse(line) for line in log_search.picked(life, (Join.WORD,)))
    return next((one.offset for one in joins if isinstance(one, Join) and one.room == room), 0)
