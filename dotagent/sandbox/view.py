"""What a sandboxed command sees of the disk: the system, the agent's directory, the roots of its life, and no more.

Of an agent's directory each entry that is no harness's is shown by itself, and what is made there or takes another's
place while a command goes on is in no view: to cover SOUL.md would last until a new one is put in its stead. Nothing is
mounted below what a command may write, since there a link could lead the mount away. So a root that holds the home is
left out of the view, and one within another is the other.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from dotagent.errors import Trouble
from dotagent.skills import shown as skills
from dotagent.store import bootstrap, disk, home, made, plugins
from dotagent.store.home import Home, Settings

PARTS = ("blobs", "chats", "calls", "agents", "bridges", "history", "backup.git", "own", "jobs", "packs", "skills",
         "tools", "providers", "commands", plugins.FILE, ".env", home.SETTINGS)  # fmt: skip
"""Of the home, and no life's to read."""
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/gnu/store")
MADE = "files"  # where commands make new files when they may not make them in the agent's directory itself


@dataclass(frozen=True)
class Sight:
    """Directories and files by their real paths: the agent's, the system's, what else may be read, what be written."""

    place: Path
    workspace: str
    alone: bool
    """Whether the life hears its person alone: else no command comes to what its character is made of."""
    network: bool
    system: tuple[str, ...]
    readable: tuple[str, ...]
    writable: tuple[str, ...]
    printed: tuple[str, ...]
    """What the command prints into and reads from, which it may open again by name, as /dev/stdout."""
    hosts: tuple[str, ...] = ()
    """Where there is no network: the hosts that are reached all the same, through a proxy outside."""
    top: str = ""
    """What stands in the agent's directory's place (see store/made.py); "" where nothing can be made there."""

    @property
    def cwd(self) -> str:
        """Where the command runs."""
        return str(self.mine) if self.workspace != "none" else "/"

    @property
    def mine(self) -> Path:
        """What of the agent's directory is for commands."""
        return self.place if self.alone else self.place / MADE


def of(where: Home, settings: Settings, place: Path, folder: Path, heard: tuple[str, bool]) -> Sight:
    """The view of a command of the life in `place`, whose files are in `folder`; of it is `heard` by whom it was born
    for, and whether a bridge speaks there. Raises Trouble, OSError."""
    audience, bridged = heard
    agent = _real(place)
    alone = audience.startswith("private") and not bridged
    for name in (*made.FOLDERS, MADE) if settings.workspace == "rw" or not alone else made.FOLDERS:
        disk.make_dir(agent / name)
        if not stat.S_ISDIR((agent / name).lstat().st_mode):
            raise Trouble(f"{place / name} is no directory: move it away, no command can run in a sandbox before")
    whole = _real(where.root)
    may = _open(whole)
    wanted = (root for root in home.roots(where, settings, audience, place.name) if root.is_dir())
    writable = _outermost(root for root in wanted if may(root))
    system = tuple(one for one in present() if not whole.is_relative_to(_real(Path(one))))
    shown = [_real(Path(one)) for one in system] + [*writable, agent]
    readable = _outermost(path for path in _programs() if may(path) and not _in(path, shown))
    return Sight(
        agent,
        settings.workspace,
        alone,
        settings.network == "on",
        system,
        tuple(map(str, [*readable, *skills.readable(where, audience)])),
        tuple(map(str, writable)),
        tuple(str(_real(folder) / name) for name in ("out", "in")),
        settings.hosts if settings.network != "on" else (),
    )


def of_pack(where: Home, data: Path, own: Path, readable: tuple[str, ...], roots: list[Path]) -> Sight:
    """The view of a tool pack's process: its `own` folder and what it may read beside it, these roots, and `data`, in
    which it runs and which alone is its to write otherwise; nothing of the agent's directory. It has no network."""
    whole, place = _real(where.root), _real(data)
    may = _open(whole)
    disk.make_dir(place / MADE)
    system = tuple(one for one in present() if not whole.is_relative_to(_real(Path(one))))
    writable = _outermost(root for root in roots if root.is_dir() and may(root))
    shown = [_real(Path(one)) for one in system] + [*writable, place]
    more = (*_programs(), *(_real(Path(one)) for one in readable if os.path.isdir(one)))
    seen = _outermost(path for path in more if may(path) and not _in(path, shown))
    mine = (*map(str, seen), str(_real(own)))
    return Sight(place, "rw", False, False, system, mine, tuple(map(str, writable)), ())


def opened(seen: Sight, network: bool, hosts: tuple[str, ...]) -> Sight:
    """The same view with the network, or with these hosts of it."""
    return replace(seen, network=network, hosts=() if network else hosts)


def apart(seen: Sight, folder: Path) -> Sight:
    """The same view for a command whose files are in `folder`: what it makes in its agent's directory itself is carried
    over when it has ended. Raises OSError."""
    if not seen.alone or seen.workspace != "rw":
        return seen
    names = [entry.name for entry in _owned(seen.place) if entry.name not in bootstrap.PERSONA]
    return replace(seen, top=str(made.begin(folder, seen.place, names)))


def left_out(where: Home, settings: Settings) -> list[str]:
    """The roots of settings that are in no sandbox's view, since they hold the home or a part of it."""
    whole = _real(where.root)
    every = {str(_real(whole / os.path.expanduser(root))) for roots in settings.roots.values() for root in roots}
    may = _open(whole)
    return sorted(root for root in every if not may(Path(root)))


def present() -> tuple[str, ...]:
    """What of the system is there."""
    return tuple(one for one in SYSTEM if os.path.lexists(one))


def own(seen: Sight) -> tuple[list[str], list[str]]:
    """What of the agent's directory a command may change, and what it may only read: the entries that are there now."""
    if seen.workspace == "none":
        return [], []
    mine, kept = [str(seen.mine)], list[str]()
    if seen.alone:  # of who it is, policy decides what is written
        mine = [entry.path for entry in _owned(seen.place) if not entry.is_symlink() and not _there(seen, entry.name)]
        kept = [str(seen.place / name) for name in bootstrap.PERSONA if str(seen.place / name) in mine]
    return ([one for one in mine if one not in kept], kept) if seen.workspace == "rw" else ([], mine)


def links(seen: Sight) -> list[str]:
    """The links that lie in the agent's directory; where they lead to counts by itself."""
    shown = seen.alone and seen.workspace != "none"
    return [one.path for one in _owned(seen.place) if one.is_symlink() and not _there(seen, one.name)] if shown else []


def _there(seen: Sight, name: str) -> bool:
    """Whether it has a name in what stands in the agent's directory's place."""
    return seen.top != "" and os.path.lexists(os.path.join(seen.top, name))


def _owned(place: Path) -> Iterator[os.DirEntry[str]]:
    for entry in os.scandir(place):
        if not made.harness(entry.name):
            yield entry


def secret(folder: str) -> list[Path]:
    """What in a folder of the system is not for everybody's eyes, where we are root, who may look at it."""
    if os.geteuid() != 0 or not os.path.isdir(folder):
        return []
    found = [entry for entry in os.scandir(folder) if not entry.is_symlink()]
    return [Path(entry) for entry in found if not entry.stat(follow_symlinks=False).st_mode & 0o004]


def _programs() -> Iterator[Path]:
    """The directories of programs that PATH names, of a virtual environment the whole; and the Python that we run by,
    also where PATH does not name it, and what that of an environment leads to."""
    yield from {_real(Path(sys.prefix)), _real(Path(sys.base_prefix))}
    for name in os.environ.get("PATH", "").split(":"):
        path = Path(name)
        if path.is_absolute() and path.is_dir():
            yield _real(path.parent if (path.parent / "pyvenv.cfg").is_file() else path)


def _open(whole: Path) -> Callable[[Path], bool]:
    """Tells of a path whether it holds nothing of the home that is no command's to see, and is in nothing such."""
    parts = {str(_real(whole / part)) for part in (*PARTS, *home.PROMPTS)}
    around = {str(one) for part in (whole, *map(Path, parts)) for one in (part, *part.parents)}
    return lambda path: str(path) not in around and not any(str(one) in parts for one in path.parents)


def _outermost(paths: Iterator[Path]) -> list[Path]:
    found = set(paths)
    return sorted(one for one in found if not any(one != other and one.is_relative_to(other) for other in found))


def _in(path: Path, others: list[Path]) -> bool:
    return any(path.is_relative_to(other) or other.is_relative_to(path) for other in others)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
