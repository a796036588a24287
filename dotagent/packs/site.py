"""Where a pack works: its folder, its credentials, and the sandbox in which it starts what it starts.

It is the sandbox of commands, with less in view: nothing of the agent's directory but a folder of the pack's own, and
no network but the hosts that its manifest names. Owns nothing on disk.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from dotagent import sandbox
from dotagent.errors import Trouble
from dotagent.sandbox import view
from dotagent.store import credentials, disk, home, supervised
from dotagent.store.home import Home, Settings
from dotagent.store.packed import Fate
from dotagent.store.packs import Pack, Tool

SHOWN = 100_000  # characters of a result
FREED = ("sh", "-c", 'ulimit -S -v unlimited; exec "$@"', "sh")


class NotDone(Trouble):
    """Why a call was not done: it is known that nothing happened."""


@dataclass(frozen=True)
class Site:
    """Where a pack works: the home, the folder that is its own, the pack, its credentials; and for which life (its
    directory, who hears it, and its mark), none where its tools are only asked for."""

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
        """Where its programs run, and what they may write."""
        return self.data / view.MADE

    @property
    def known(self) -> dict[str, str]:
        """What stands for itself in its words: `{pack}` for its folder, `{python}` for the Python that we run by."""
        return {"pack": os.path.realpath(self.pack.path), "python": sys.executable}


class Running(Protocol):
    """A pack that answers."""

    def tools(self) -> list[Tool]:
        """Its tools, as they are now. Raises Trouble."""

    def call(self, tool: Tool, args: Mapping[str, Any]) -> Fate:
        """Do one call. Raises NotDone when nothing was done, Trouble when that is not known."""

    def close(self) -> None:
        """End what was started."""


@dataclass(frozen=True)
class Start:
    """How a program of a pack is started: its words, its environment, where, and the descriptors that it inherits."""

    words: list[str]
    env: dict[str, str]
    cwd: str
    handles: tuple[int, ...] = ()

    def started(self) -> None:
        """It has been: what it has inherited is its own now."""
        for handle in self.handles:
            os.close(handle)


def start(site: Site, words: Sequence[str]) -> Start:
    """How to start these words in the pack's sandbox, with its credentials. Raises NotDone."""
    settings, said = site.settings, site.pack.manifest
    kept = {name: value for name, value in os.environ.items() if credentials.plain(name)}
    env = {**kept, **site.secrets, "PWD": str(site.folder), supervised.MARK: site.mark}
    if why := sandbox.refuses(settings):
        raise NotDone(f"no pack runs: {why}")
    kind = sandbox.kind(settings)
    disk.make_dir(site.folder)
    if not kind:
        if not site.audience.startswith("private") or site.bridged:
            raise NotDone(f"others are heard here, and there is no sandbox ({sandbox.why(settings)})")
        return Start([*FREED, *words], env, str(site.folder))
    roots = home.roots(site.where, settings, site.audience, site.life.name) if site.life and said.roots else []
    try:
        seen = view.of_pack(site.where, site.data, site.pack.path, said.readable, roots)
        seen = view.opened(seen, said.network, said.hosts)
        cage = sandbox.cage(kind, seen)
        caged, handle = sandbox.command(cage, *words)
    except (OSError, Trouble) as error:
        raise NotDone(f"its sandbox cannot be made: {error}") from None
    return Start([*FREED, *caged], {**env, **cage.env}, str(site.folder), (handle,))
