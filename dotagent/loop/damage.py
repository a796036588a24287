"""The start of an agent whose SOUL or whose log is damaged: use the rest, and report the loss. Owns nothing on disk."""

from __future__ import annotations

from pathlib import Path

from dotagent import installed
from dotagent.errors import Trouble
from dotagent.life.events import Error
from dotagent.life.session import Session
from dotagent.store import bootstrap, disk, lives, rooms
from dotagent.text import names
from dotagent.text.reference import short
from dotagent.text.sizes import plural


def replace_soul(living: Session, lost: Trouble) -> None:
    """Use the SOUL.md in the agent's own directory, because the blob of its SOUL is lost. Raises Trouble if that file
    is lost, too."""
    if not (living.state.audience and _soul_file(living.path)):
        why = f"the character (SOUL) of agent {short(living.id)} is lost ({lost}); restore it from a backup"
        raise Trouble(why) from None
    living.record(Error(f"{lost}; SOUL.md in this agent's directory is used instead"))
    _create_rooms(living)


def report_unread(living: Session) -> None:
    """Record how many lines of LIFE cannot be read."""
    first = living.unread[0]
    what = f"the line at byte {first:,}" if isinstance(first, int) else f"{first.event} of {first.at}"
    more = f"{plural(len(living.unread), 'line')} of the log LIFE.md cannot be read; the first is {what}"
    living.record(
        Error(f"{more}; dotagent skips these lines but keeps them; `{installed.program('doctor')}` lists them")
    )


def _soul_file(path: Path) -> bool:
    """Return True if the agent's own directory contains its SOUL, as after copying it to a home without its blobs."""
    try:
        return bool(disk.read(path / bootstrap.SOUL).strip())
    except OSError:
        return False


def _create_rooms(living: Session) -> None:
    """Create the rooms that the agent's links name and this home lacks, so that it reads their first message."""
    audience = living.state.audience
    for room in lives.subscribed(living.path):
        if names.ROOM.fullmatch(room) and lives.is_subscribed(living.home, living.id, room):
            heading = "private" if audience == f"private {living.owner}" else audience
            rooms.create(living.home.room(room), heading)
