"""What changed in a room that someone edited, compared with the messages in the agent's LIFE.

Loaded only for such a room. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dotagent import installed
from dotagent.life import events, room_history
from dotagent.life.events import Hear, Join, Placed
from dotagent.life.session import Session
from dotagent.store import log, room_edits, rooms
from dotagent.store.room_edits import Edits
from dotagent.store.rooms import Position
from dotagent.text.reference import short
from dotagent.text.sizes import plural

KNOWN = 400  # events of LIFE whose messages are compared with an edited room
EARLIER = 2000  # events of LIFE that are searched for a known line if none of these messages is left
INDENTED = (
    "(room: a line begins with two spaces, so it counts as part of my message, and I did not read it. Some editors "
    "indent new lines. Write the line again, without spaces in front of it)"
)
ABOVE = (
    "(room: this file has grown above the messages that I compare, and I did not read what is new there. Write what is "
    "meant for me at the end)"
)


def find(
    session: Session, name: str, path: Path, known: Position, compared: int = KNOWN, searched: int = EARLIER
) -> Edits:
    """Return the changes that the agent has not heard or reported yet, its own messages first. Compare the messages of
    the last `compared` events of LIFE."""

    def messages(lines: list[log.Line]) -> list[bytes]:
        return list(room_history.messages(session.store, session.id, name, lines))

    tail = log.tail(session.path / "LIFE.md", searched)
    told, joined = room_history.last_loss(tail, name), room_history.last_join(tail, name)
    cut = max(len(tail) - compared, joined)
    there = messages(tail[cut:])
    recent = messages(tail[told:]) if told else there  # the agent has already reported others
    heard = [one for one in map(events.parse, tail) if isinstance(one, Hear | Join | Placed) and one.room == name]
    since = max((line.at for line in tail if line.event == Hear.WORD), default=tail[0].at if tail else "")
    whole = [(one.offset, one.mark) for one in heard[-2:]] != 2 * [(known.offset, known.mark)]  # not interrupted
    marks = {known.mark, *(one.mark for one in heard)}
    edits = room_edits.find(path, there, since, marks, known if whole else None)
    new = sorted(edits.new, key=lambda one: (one.kind, one.name) != ("AGENT", short(session.id)))
    if any(one.kind for one in new):
        older = [line for line in tail[joined:cut] if line.event in (Hear.WORD, Join.WORD)]
        new = room_edits.without_heard(new, messages(older))
    return Edits(new, [one for one in edits.lost if one in recent], edits.position, edits.above)


def notices(name: str, indented: bool, above: bool, lost: int) -> Iterator[str]:
    """Yield what the people in the room must know: an indented line or a line far above was not read, and this number
    of messages is lost."""
    if indented:
        yield INDENTED
    if above:
        yield ABOVE
    if lost:
        text = f"{rooms.GONE}{plural(lost, 'message')}. Someone probably saved an older version of it in an editor. "
        yield f"{text}`{installed.program('room')} repair {name}` writes them again)"
