"""The lives of a home, from outside: which one a person means, who is in a room, and who of them answers there.

Of several that are awake in a room the eldest answers a person, or the one that is called by its id's beginning.
Owns the making of an agent's directory.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from dotagent import installed
from dotagent.errors import Misuse
from dotagent.store import bootstrap, disk, face, home, listed, log
from dotagent.store.home import Home
from dotagent.text import names
from dotagent.text.reference import PREFIX, short

ANEW = "anew"  # in an agent's run/, or in a bridge's directory: another process's wish that it begin anew
ANSWERED = "The harness answers that itself."  # what a message is followed by that no model need answer
RULE = "of several that are awake in a room the eldest answers; to mean another, say the first 8 digits of its id"


def furnish(where: Home, self_id: str, room: Path, audience: str, soul: str) -> None:
    """Make the directory of a new life that is to be in this room, as far as it is not there. LIFE.md comes last."""
    path = where.agent(self_id)
    disk.make_dir(path)
    if bootstrap.kind(audience) != "helper":
        disk.replace(path / "MEMORY.md", b"")
    list(bootstrap.seed(path, audience, soul, born=True))
    join(where, self_id, room)
    os.close(disk.open_append(path / "LIFE.md"))
    disk.sync_dir(path)


def join(where: Home, self_id: str, room: Path) -> None:
    """Let a life hear a room; one that runs does at once."""
    subs = where.agent(self_id) / "subs"
    disk.make_dir(subs)
    with suppress(FileExistsError):
        os.symlink(os.path.relpath(room, subs), subs / room.name)
    disk.sync_dir(subs)


def is_made(where: Home, self_id: str) -> bool:
    """Whether another agent made it: a helper, which lives as long as its task takes and is nobody's to talk to."""
    first = next(log.lines(_log(where, self_id)), None)
    return first.detail.startswith("helper ") if first else _is_furnished(where.agent(self_id))


def _is_furnished(path: Path) -> bool:
    """The same of one whose life has not begun: by the room that it was made with."""
    return any(link.name.startswith("helper-") for link in (path / "subs").glob("*.md"))


def runs(where: Home, self_id: str) -> bool:
    """Whether the life is lived by a process now."""
    return disk.is_locked(_log(where, self_id))


def kept(where: Home) -> bool:
    """Whether `up` keeps the home running: then it starts a life that sleeps when something is said to it."""
    return disk.is_locked(where.up / "pid")


def born(where: Home, self_id: str) -> str:
    """When the life began; "" when it never has."""
    first = next(log.lines(_log(where, self_id)), None)
    return first.at if first else ""


def last(where: Home, self_id: str) -> str:
    """When something happened to the life last; "" when nothing ever has."""
    return next((line.at for line in log.backwards(_log(where, self_id))), "")


def hears(where: Home, self_id: str, room: str) -> bool:
    """Whether the life is subscribed to the room."""
    return (where.agent(self_id) / "subs" / f"{room}.md").is_symlink()


def of(where: Home, room: str) -> list[str]:
    """The lives that are subscribed to the room, the eldest first."""
    return sorted((one for one in home.lives(where) if hears(where, one, room)), key=lambda one: born(where, one))


def newest(where: Home, ids: list[str]) -> str:
    """The one of these that lived last."""
    return max(ids, key=lambda one: last(where, one))


def awake(where: Home, room: str) -> list[str]:
    """Those of them that run, the eldest first."""
    return [one for one in of(where, room) if runs(where, one)]


def answering(there: list[str], text: str) -> str:
    """Which of those that are awake answers a person who says this."""
    called = tuple(re.findall(r"(?<!\w)[0-9a-f]{8,32}(?!\w)", text.lower()))
    return next((one for one in there if any(map(one.startswith, called))), there[0])


def meant(where: Home, wanted: str | None, newest_of_all: bool = False) -> str:
    """The life that a person means: by an id or its beginning, by a room in which only it is, by the name that settings
    list it by, or that no other has, or else the only one there is; with `newest_of_all` the one of several that lived
    last. Raises Misuse."""
    known, place = home.lives(where), f"in {where.root}"
    known = known if wanted is not None else [one for one in known if not is_made(where, one)]
    if wanted is not None and not (there := _in_room(where, wanted)):
        born = listed.life(where.root, wanted)
        same = [born] if born else [] if PREFIX.fullmatch(wanted) else face.called(where, wanted)
        if len(same) > 1:
            raise Misuse(f"{len(same)} agents are called {wanted}: {', '.join(map(short, same))}: say the hash")
        return same[0] if same else home.find_life(where, wanted.lower())
    if wanted is not None:
        known, place = there, f"in room {wanted}"
    if not known:
        raise Misuse(f"no agent was born {place} yet: `{installed.typed('agent')}{where.flag}` lets one be born")
    if len(known) > 1 and not newest_of_all:
        newest_last = ", ".join(map(short, sorted(known, key=lambda one: last(where, one))[-8:]))
        raise Misuse(
            f"which agent? there are {len(known)} {place}: {newest_last} (the last one lived last: --last means it)"
        )
    return newest(where, known)


def _in_room(where: Home, name: str) -> list[str]:
    return of(where, name) if names.ROOM.fullmatch(name) and not PREFIX.fullmatch(name) else []


def _log(where: Home, self_id: str) -> Path:
    return where.agent(self_id) / "LIFE.md"
