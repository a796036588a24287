"""Roots: directories outside the home that settings let the file tools and commands of an agent use.

A command may have made a link inside a root. No agent gets a root that such a link leads to. Owns nothing on disk.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from dotagent.store import home, setting
from dotagent.store.home import Home, Settings

LINKS = 40  # that are followed on the way to a root


def find_roots(where: Home, settings: Settings, audience: str, life: str) -> list[Path]:
    """Return the real paths of the extra directories that an agent may use: its audience's and its own. Without those
    in `astray`."""
    mine = setting.find_for_agent(settings.roots, audience, life, home.owner(settings))
    given = [root for given in mine for root in given]
    return [real for _, real in _resolved(where, settings, given) if real]


def astray(where: Home, settings: Settings) -> list[str]:
    """Return the roots in settings that no agent may use, because a link inside another root, or among the files of an
    agent, leads to them. A command may have made such a link."""
    given = {root for mine in settings.roots.values() for root in mine}
    return [root for root, real in _resolved(where, settings, sorted(given)) if not real]


def _resolved(where: Home, settings: Settings, given: Collection[str]) -> Iterator[tuple[str, Path | None]]:
    """Yield these roots with their real paths, or None for a root in `astray`."""
    tops = shaped(where, settings) if given else ()
    yield from ((root, resolve(where.root / os.path.expanduser(root), tops)) for root in given)


def shaped(where: Home, settings: Settings) -> set[Path]:
    """Return the directories in which commands may have made links: all roots, and the directories of agents."""
    return {_real(where, root) for mine in settings.roots.values() for root in mine} | {_real(where, "agents")}


def resolve(path: Path, tops: Collection[Path]) -> Path | None:
    """Return the real path, or None if one of its links is inside one of the directories."""
    at, left, links = Path(path.anchor), [*path.absolute().parts[1:]], 0
    while left:
        part = left.pop(0)
        if part == "..":
            at = at.parent
        elif not os.path.islink(at / part):  # nor is one in a directory that we may not enter
            at /= part
        elif links == LINKS or any(at.is_relative_to(top) for top in tops):
            return None
        else:
            target, links = Path(os.readlink(at / part)), links + 1
            left = [*target.parts[target.is_absolute() :], *left]
            at = Path(target.anchor) if target.is_absolute() else at
    return at


def _real(where: Home, root: str) -> Path:
    return Path(os.path.realpath(where.root / os.path.expanduser(root)))
