"""A new self: what the command line asks it to be made from, and its making. Owns nothing on disk."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

from dotagent.errors import Misuse
from dotagent.life import session
from dotagent.store import disk, home, lives, rooms
from dotagent.store.home import Home, Settings
from dotagent.text import names


@dataclass(frozen=True)
class Birth:
    """What a new self is made from: its audience, its room's name and heading, its SOUL's text."""

    audience: str
    room: str
    heading: str
    soul: str


def wanted(where: Home, settings: Settings, asked: argparse.Namespace) -> Birth:
    """What the command line asks a new self to be made from, before anything is made of it. Raises Misuse."""
    owner = home.owner(settings)
    audience = asked.audience or "private"
    if not names.AUDIENCE.fullmatch(audience):
        raise Misuse(f"--audience {audience!r}: it is private, private NAME, or group")
    if audience == "private":
        audience = f"private {owner}"
    name = "dev" if asked.room is None else asked.room
    room = where.room(name)
    if os.path.lexists(room) and (theirs := rooms.audience(room, owner)) != audience:
        raise Misuse(f"room {name} is for another audience ({theirs}): name another --room, or that --audience")
    text = _soul(asked.soul, where)
    return Birth(audience, name, "private" if audience == f"private {owner}" else audience, text)


def _soul(given: str | None, where: Home) -> str:
    """The text of the SOUL that is asked for, or of the home's. Raises Misuse for one that is none."""
    path, mend = (where.prompt("SOUL.md"), "write who the agent is") if given is None else (Path(given), "name another")
    try:
        text = disk.read(path, follow=given is not None).decode("utf-8", "replace")
    except FileNotFoundError:
        raise Misuse(f"{path}: there is no such SOUL: {mend}") from None
    except OSError as error:
        if given is None:
            raise
        raise Misuse(f"--soul {path}: {error.strerror}: name a file that says who the agent is") from None
    if not text.strip():
        raise Misuse(f"{path} is empty: write there who the agent is" + (", or name another" if given else ""))
    return text


def born(where: Home, wanted: Birth) -> str:
    """Make a new self: its room, its birth blob, its directory. LIFE.md comes last. Its id."""
    room = where.room(wanted.room)
    rooms.create(room, wanted.heading)
    self_id = session.birth(where.store(), wanted.soul, wanted.audience)
    lives.furnish(where, self_id, room, wanted.audience, wanted.soul)
    return self_id
