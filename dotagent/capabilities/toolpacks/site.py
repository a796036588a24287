"""The environment of a pack: its folder, its credentials, and the sandbox of its processes.

The sandbox is that of commands, with a smaller view: only the pack's own folder in the agent's directory, and only the
hosts in its manifest. Owns nothing on disk.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from dotagent import sandbox
from dotagent.capabilities.toolpacks.pack_calls import Fate
from dotagent.capabilities.toolpacks.packs import Pack, Tool
from dotagent.errors import Trouble
from dotagent.processes import background, space
from dotagent.processes.space import Space
from dotagent.sandbox import limits, view
from dotagent.store import disk, roots, variables
from dotagent.store.home import Home, Settings
from dotagent.store.reserved_names import WORK

SHOWN = 100_000  # characters of a result
FREED = ("sh", "-c", 'ulimit -S -v unlimited; exec "$@"', "sh")


class NotDone(Trouble):
    """Why a call was not made. Nothing has happened."""


@dataclass(frozen=True)
class Site:
    """A pack's environment: the home, its own folder, the pack and its credentials, and the agent that calls
    (directory, audience and mark), or None while its tools are listed."""

    where: Home
    settings: Settings
    pack: Pack
    data: Path
    secrets: Mapping[str, str]
    life: Path | None = None
    mark: str = ""
    audience: str = "private"
    bridged: bool = False

    @property
    def folder(self) -> Path:
        """Return the folder where its programs run and may write."""
        return self.data / WORK

    @property
    def known(self) -> dict[str, str]:
        """Return the values of `{pack}` (its folder) and `{python}` (this Python) in its command lines."""
        return {"pack": os.path.realpath(self.pack.path), "python": sys.executable}


class Running(Protocol):
    """A running pack. `left` lists unusable tools, each with the reason."""

    left: list[str]

    def tools(self) -> list[Tool]:
        """Return its present tools. Raises Trouble."""

    def call(self, tool: Tool, args: Mapping[str, Any]) -> Fate:
        """Make one call. Raises NotDone if nothing happened, and Trouble if that is unknown."""

    def close(self) -> None:
        """End its processes."""


@dataclass(frozen=True)
class Start:
    """How to start a pack's program: command line, environment, directory, disk space to leave, and inherited
    descriptors."""

    words: list[str]
    env: dict[str, str]
    cwd: str
    left: Space
    handles: tuple[int, ...] = ()

    def started(self) -> None:
        """Close the descriptors that the started program has inherited."""
        for handle in self.handles:
            os.close(handle)


def start(site: Site, words: Sequence[str]) -> Start:
    """Return how to start this command line in the pack's sandbox, with its credentials. Raises NotDone."""
    settings, said = site.settings, site.pack.manifest
    kept = {name: value for name, value in os.environ.items() if variables.is_plain(name)}
    env = {**kept, **site.secrets, "PWD": str(site.folder), background.MARK: site.mark}
    if why := sandbox.refuses(settings):
        raise NotDone(f"no tool pack can run: {why}")
    kind = sandbox.kind(settings)
    disk.make_dir(site.folder)
    if not kind:
        if not sandbox.hears_owner(settings, site.audience, site.bridged):
            raise NotDone(
                f"the agent has read text from others, and there is no sandbox ({sandbox.explain_none(settings)})"
            )
        return Start([*FREED, *words], env, str(site.folder), space.make_limits([site.folder]))
    mine = roots.find_roots(site.where, settings, site.audience, site.life.name) if site.life and said.roots else []
    try:
        seen = view.make_pack_sight(site.where, site.data, site.pack.path, said.readable, mine)
        seen = view.add_network(seen, said.network, said.hosts, settings.limits)
        cage = sandbox.cage(kind, seen)
        caged, handle = sandbox.command(cage, *words)
    except (OSError, Trouble) as error:
        raise NotDone(f"the sandbox of the tool pack {site.pack.id} cannot be created: {error}") from None
    return Start(
        [*FREED, *caged],
        {**env, **cage.env},
        str(site.folder),
        space.make_limits(seen.changed, limits.watched(seen.limits)),
        (handle,),
    )
