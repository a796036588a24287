"""Which agent a person means, by its id, name or room, and which stopped agents a person can start. Owns nothing on
disk."""

from __future__ import annotations

import os

from dotagent import installed
from dotagent.errors import Misuse
from dotagent.store import home as homes
from dotagent.store.home import Home
from dotagent.store.lives import find_agents, is_made, last, runs
from dotagent.text import names
from dotagent.text.reference import HEX, ID, PREFIX, SHORT, short


def newest(where: Home, ids: list[str]) -> str:
    """Return the agent that was active last."""
    return max(ids, key=lambda one: last(where, one))


def stopped(where: Home, room: str) -> list[str]:
    """Return the stopped agents of the room that a person can start, oldest first. Helpers are not among them."""
    return [one for one in find_agents(where, room) if not runs(where, one) and not is_made(where, one)]


def find_agent(where: Home, wanted: str | None, newest_of_all: bool = False) -> str:
    """Return the agent that a person means: by id or prefix, by a room that only it is in, or by its name.

    Without `wanted`, it is the only agent, or with `newest_of_all` the most recently active agent. Raises Misuse.
    """
    known, place = homes.lives(where), f"in {where.root}"
    known = known if wanted is not None else [one for one in known if not is_made(where, one)]
    if wanted is not None and not (there := _find_in_room(where, wanted)):
        same = _find_named(where, wanted)
        if len(same) > 1:
            raise Misuse(
                f"{len(same)} agents are called {wanted} ({', '.join(map(short, same))}); give the id of one instead"
            )
        return same[0] if same else find_life(where, wanted.lower())
    if wanted is not None:
        known, place = there, f"in room {wanted}"
    if not known:
        raise Misuse(f"no agents {place} yet; create one with `{installed.program('agent')}{where.flag}`")
    if len(known) > 1 and not newest_of_all:
        newest_last = ", ".join(map(short, sorted(known, key=lambda one: last(where, one))[-8:]))
        raise Misuse(
            f"there are {len(known)} agents {place}: {newest_last}; name one of them, or use --last for the most "
            f"recently active one"
        )
    return newest(where, known)


def _find_named(where: Home, name: str) -> list[str]:
    """Return the agent that settings create under this name, otherwise the agents with this display name. No beginning
    of an id is a name."""
    if PREFIX.fullmatch(name):
        return []
    from dotagent.store import display, named_agents  # few people call an agent by its name

    born = named_agents.life(where.root, name)
    return [born] if born else display.find_named(where, name)


def _find_in_room(where: Home, name: str) -> list[str]:
    return find_agents(where, name) if names.ROOM.fullmatch(name) and not PREFIX.fullmatch(name) else []


def find_life(home: Home, prefix: str) -> str:
    """Return the full id of the only agent whose id begins with `prefix`. Raises Misuse that lists the agents
    instead."""
    known = homes.lives(home)
    if not HEX.fullmatch(prefix):
        raise Misuse(
            f"{prefix[:40]!r} is not an agent's id, name or room; an id is the first few hex digits or all of them"
        )
    if found := [name for name in known if name.startswith(prefix)]:
        if len(found) > 1:
            digits = max(SHORT, len(os.path.commonprefix(found)) + 1)  # noqa: RUF071 these are ids and no paths
            there = ", ".join(one[:digits] for one in found)
            raise Misuse(f"{prefix} matches several agents ({there}); give more digits of the id")
        return found[0]
    if unborn := [path for path in home.agents.glob(f"{prefix}*") if ID.fullmatch(path.name)]:
        life = unborn[0] / "LIFE.md"
        raise Misuse(f"{life}: not a regular file; restore it from a backup, or remove the agent's directory")
    there = f"the agents are {', '.join(name[:12] for name in known[-8:])}" if known else "no agents yet"
    raise Misuse(f"no agent {prefix} in {home.root} ({there})")
