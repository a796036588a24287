"""Creating an agent: check the request of the command line, then make the agent. Owns nothing on disk."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from dotagent.errors import Misuse
from dotagent.life import session
from dotagent.store import disk, home, lives, rooms
from dotagent.store.home import Home, Settings
from dotagent.text import encoding, names
from dotagent.text.lazy import dataclass


@dataclass(frozen=True)
class Birth:
    """The request for a new agent: its audience, its room's name and heading, and the text of its SOUL."""

    audience: str
    room: str
    heading: str
    soul: str


def parse_birth(where: Home, settings: Settings, asked: argparse.Namespace) -> Birth:
    """Return the checked request for a new agent; nothing is created yet. Raises Misuse."""
    owner = home.owner(settings)
    audience = asked.audience or "private"
    if not names.AUDIENCE.fullmatch(audience):
        raise Misuse(f'--audience {audience!r} is not valid; use private, "private NAME" or group')
    if audience == "private":
        audience = f"private {owner}"
    name = "dev" if asked.room is None else asked.room
    room = where.room(name)
    if os.path.lexists(room) and (theirs := rooms.audience(room, owner)) != audience:
        raise Misuse(
            f"the audience (who can read it) of room {name} is `{theirs}`, not `{audience}`; choose another room with "
            f'--room, or add --audience "{theirs}"'
        )
    text = _soul(asked.soul, where)
    return Birth(audience, name, "private" if audience == f"private {owner}" else audience, text)


def _soul(given: str | None, where: Home) -> str:
    """Return the text of the given SOUL file, by default of the home's. Raises Misuse if it is missing, empty or
    unreadable."""
    path, mend = (
        (where.prompt("SOUL.md"), "write in this file who the agent is")
        if given is None
        else (Path(given), "name another file")
    )
    try:
        text = encoding.utf8(disk.read(path, follow=given is not None)).decode("utf-8", "replace")
    except FileNotFoundError:
        raise Misuse(f"{path} does not exist; {mend}") from None
    except OSError as error:
        if given is None:
            raise
        raise Misuse(f"--soul {path}: {error.strerror}; name a text file that says who the agent is") from None
    if not text.strip():
        raise Misuse(
            f"{path} is empty; write in this file who the agent is" + (", or name another file" if given else "")
        )
    return text


def born(where: Home, wanted: Birth) -> str:
    """Create a new agent: its room, its birth blob, its directory, and LIFE.md last. Return its id."""
    room = where.room(wanted.room)
    rooms.create(room, wanted.heading)
    self_id = session.birth(where.store(), wanted.soul, wanted.audience)
    lives.furnish(where, self_id, room, wanted.audience, wanted.soul)
    return self_id
