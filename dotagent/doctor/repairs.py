"""The repairs of `doctor --fix`: only for problems with exactly one repair, which does not change the record.

Each function repairs one kind of finding, and yields a line for each. A person decides about everything else. Owns
nothing on disk.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from dotagent.doctor import calls, unmarked_lines
from dotagent.errors import Trouble
from dotagent.life import context, unlinked
from dotagent.life import persona as life
from dotagent.life.replay import derive
from dotagent.store import bootstrap, disk, home, lives, partial_installs, queue
from dotagent.store.home import PROMPTS, Home
from dotagent.text.reference import short


def modes(where: Home) -> Iterator[str]:
    """Take the permissions of other users away."""
    tops = [where.root / name for name in (".env", "blobs", "chats", "calls", "agents", "bridges")]
    rooms = where.chats.glob("*")
    spool = (one.path for one in calls.entries(where))
    parts = ("", "subs", "LIFE.md", "MEMORY.md", "context.md")
    agents = (where.agent(self_id) / name for self_id in home.lives(where) for name in parts)
    for path in (*tops, *rooms, *spool, *agents):
        if os.path.lexists(path) and not path.is_symlink() and (mode := path.stat().st_mode) & 0o077:
            path.chmod(mode & 0o700)
            yield f"{path.relative_to(where.root)} is now readable by its owner only"


def seeds(where: Home) -> Iterator[str]:
    """Create missing directories and prompts again."""
    wanted = (where.blobs, where.chats, where.calls, where.agents, *(where.root / name for name in PROMPTS))
    missing = [path for path in wanted if not os.path.lexists(path)]
    if missing:
        home.prepare(where)
        yield from (f"{path.relative_to(where.root)} created again" for path in missing)


def leftovers(where: Home) -> Iterator[str]:
    """Remove unreadable files of the queue, and drafts without a call: the asker asks again."""
    there = calls.entries(where)
    odd = [one.path for one in there if one.call is None]
    odd += sorted(where.calls.rglob(".unreadable-*"))
    for path in [*odd, *queue.stray(where)]:
        if disk.remove(path):
            yield f"{path.relative_to(where.root)} is removed"
    for path in partial_installs.swept(where):
        yield f"{path.relative_to(where.root)} is removed, because an interrupted installation left it behind"


def caches(where: Home) -> Iterator[str]:
    """Rewrite the cached context of stopped agents from LIFE."""
    for self_id in home.lives(where):
        folder = where.agent(self_id)
        with disk.open_regular(folder / "LIFE.md") as life:  # skip running agents, but wait for readers
            if not disk.is_locked(folder / "LIFE.md") and disk.try_lock(life, disk.PROBED):
                yield from _context(where, folder)


def _context(where: Home, folder: Path) -> Iterator[str]:
    path = folder / "context.md"
    try:
        entries = derive(where, folder.name, home.settings(where).context_limit).entries
        there = disk.read(path) if os.path.lexists(path) else None
    except (Trouble, OSError, ValueError, KeyError, TypeError, IndexError):  # the checks report it
        return
    data = b"".join(context.render(entry) for entry in entries)
    if there != data:
        disk.replace(path, data)
        yield f"{path.relative_to(where.root)} created again"


def persona(where: Home) -> Iterator[str]:
    """Restore missing bootstrap files as `setup` does, for agents that ever had any."""
    for self_id in home.lives(where):
        folder = where.agent(self_id)
        if not any(os.path.lexists(folder / name) for name in bootstrap.ALL):
            continue
        try:
            state = derive(where, self_id, home.settings(where).context_limit).state
            soul = life.soul(where.store(), self_id, state)
        except (Trouble, OSError, ValueError, KeyError, TypeError, IndexError):  # the checks report it
            continue
        for name in bootstrap.seed(folder, state.audience, soul) if state.audience else ():
            yield f"{(folder / name).relative_to(where.root)} restored"


def links(where: Home) -> Iterator[str]:
    """Link stopped agents that hear no room to the rooms that they heard before. A program that copies no links lost
    the links."""
    for self_id in home.lives(where):
        if not lives.runs(where, self_id):
            for room in unlinked.rooms(where, self_id):
                lives.join(where, self_id, where.room(room))
                yield f"agents/{short(self_id)} reads the room {room} again"


def marks(where: Home) -> Iterator[str]:
    """Write the marks that earlier versions did not write before lines with the words of others."""
    for self_id in home.lives(where):
        folder = where.agent(self_id)
        try:
            state = derive(where, self_id, home.settings(where).context_limit).state
            for name in unmarked_lines.mend(where, folder, state):
                yield f"{(folder / name).relative_to(where.root)}: each line with words of others now has a mark"
        except (Trouble, OSError, ValueError, KeyError, TypeError, IndexError):  # the checks report it
            continue


EVERY: tuple[Callable[[Home], Iterator[str]], ...] = (seeds, modes, leftovers, persona, links, marks, caches)
