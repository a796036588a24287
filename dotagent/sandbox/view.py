"""The part of the disk that a sandboxed command sees: the system, its agent's `files/`, the agent's roots, and skills.

Only `files/` and the roots are writable. A root that contains the home, or a hidden part of it, is left out; a root
inside another one is already covered. Owns nothing on disk.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

from dotagent.skills import listing as skills
from dotagent.store import disk, home, roots, work_folder
from dotagent.store.home import Home, Settings
from dotagent.store.reserved_names import WORK
from dotagent.text.lazy import dataclass, field, replace

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/gnu/store")


@dataclass(frozen=True)
class Sight:
    """The real paths that a command sees: its workspace, the system, other readable and writable paths."""

    work: Path
    """The workspace: the working directory of the command."""
    workspace: str
    network: bool
    system: tuple[str, ...]
    readable: tuple[str, ...]
    writable: tuple[str, ...]
    printed: tuple[str, ...]
    """Its output and input, which it may open again by name, such as /dev/stdout."""
    hosts: tuple[str, ...] = ()
    """Without the network: hosts that are still reachable through a proxy outside."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """Limits from settings; see sandbox/limits.py."""

    @property
    def cwd(self) -> str:
        """Return the working directory."""
        return str(self.work) if self.workspace != "none" else "/"

    @property
    def changed(self) -> list[Path]:
        """Return the folders that the command can fill."""
        return [self.work, *map(Path, self.writable)]


def make_sight(where: Home, settings: Settings, place: Path, folder: Path, audience: str) -> Sight:
    """Return the view of a command of the agent in `place`, with its own files in `folder`. Raises OSError."""
    work = work_folder.workspace(_real(place))
    whole = _real(where.root)
    may = _open(whole)
    wanted = (root for root in roots.find_roots(where, settings, audience, place.name) if os.path.isdir(root))
    writable = _outermost(root for root in wanted if may(root))
    system = tuple(one for one in present() if not whole.is_relative_to(_real(Path(one))))
    shown = [_real(Path(one)) for one in system] + [*writable, work]
    programs = _programs(roots.shaped(where, settings))
    readable = _outermost(path for path in programs if may(path) and not _is_in(path, shown))
    return Sight(
        work,
        settings.workspace,
        settings.network == "on",
        system,
        tuple(map(str, [*readable, *skills.readable(where, place.name, audience)])),
        tuple(map(str, writable)),
        tuple(str(_real(folder) / name) for name in ("out", "in")),
        settings.hosts if settings.network != "on" else (),
        settings.limits,
    )


def make_pack_sight(where: Home, data: Path, own: Path, readable: tuple[str, ...], roots: list[Path]) -> Sight:
    """Return the view of a tool pack's process: its `own` folder, other readable folders, these roots, and `data`, its
    writable working directory. It sees nothing else of the agent's directory and has no network."""
    whole, place = _real(where.root), _real(data)
    may = _open(whole)
    disk.make_dir(place / WORK)
    system = tuple(one for one in present() if not whole.is_relative_to(_real(Path(one))))
    writable = _outermost(root for root in roots if os.path.isdir(root) and may(root))
    shown = [_real(Path(one)) for one in system] + [*writable, place]
    programs = _programs([*roots, _real(where.agents)])
    more = (*programs, *(_real(Path(one)) for one in readable if os.path.isdir(one)))
    seen = _outermost(path for path in more if may(path) and not _is_in(path, shown))
    mine = (*map(str, seen), str(_real(own)))
    return Sight(place / WORK, "rw", False, system, mine, tuple(map(str, writable)), ())


def add_network(seen: Sight, network: bool, hosts: tuple[str, ...], limits: Mapping[str, int]) -> Sight:
    """Return the same view with the network or only these hosts, and these limits."""
    return replace(seen, network=network, hosts=() if network else hosts, limits=limits)


def find_left_out(where: Home, settings: Settings) -> list[str]:
    """Return the roots in settings that no sandbox shows, because they contain the home or a part of it."""
    whole = _real(where.root)
    every = {str(_real(whole / os.path.expanduser(root))) for roots in settings.roots.values() for root in roots}
    may = _open(whole)
    return sorted(root for root in every if not may(Path(root)))


def present() -> tuple[str, ...]:
    """Return the system folders that exist."""
    return tuple(one for one in SYSTEM if os.path.lexists(one))


def own_paths(seen: Sight) -> tuple[list[str], list[str]]:
    """Return the paths of the agent that a command may change, and the paths that it may only read."""
    mine = [] if seen.workspace == "none" else [str(seen.work)]
    return (mine, []) if seen.workspace == "rw" else ([], mine)


def secret(folder: str) -> list[Path]:
    """Return the private entries of a system folder, at any depth: everything that no other user may read or enter.
    They matter only for root, who could read them."""
    if os.geteuid() != 0 or not os.path.isdir(folder):
        return []
    found = list[Path]()
    for entry in os.scandir(folder):
        needed = 0o005 if entry.is_dir(follow_symlinks=False) else 0o004
        if not entry.is_symlink() and entry.stat(follow_symlinks=False).st_mode & needed != needed:
            found.append(Path(entry))
        elif entry.is_dir(follow_symlinks=False):
            found += secret(entry.path)
    return found


def _programs(tops: Collection[Path]) -> Iterator[Path]:
    """Yield the directories of programs in PATH, for a virtual environment the whole; and this Python's own, even if
    PATH lacks it, with its base. Without those to which a link in `tops`, where commands write, leads."""
    found = {Path(sys.prefix), Path(sys.base_prefix)}
    for name in os.environ.get("PATH", "").split(":"):
        path = Path(name)
        if path.is_absolute() and os.path.isdir(path):  # isdir is False for a directory that is not accessible
            found.add(path.parent if (path.parent / "pyvenv.cfg").is_file() else path)
    yield from {real for path in found if (real := roots.resolve(path, tops))}


def _open(whole: Path) -> Callable[[Path], bool]:
    """Return a function that says whether a path neither contains nor is inside a hidden part of the home."""
    parts = {str(_real(whole / part)) for part in (*home.PARTS, *home.PROMPTS)}
    around = {str(one) for part in (whole, *map(Path, parts)) for one in (part, *part.parents)}
    return lambda path: str(path) not in around and not any(str(one) in parts for one in path.parents)


def _outermost(paths: Iterator[Path]) -> list[Path]:
    found = set(paths)
    return sorted(one for one in found if not any(one != other and one.is_relative_to(other) for other in found))


def _is_in(path: Path, others: list[Path]) -> bool:
    return any(path.is_relative_to(other) or other.is_relative_to(path) for other in others)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
