"""What a death leaves of a disk: by kill -9 before and in the middle of every change that a process makes to it, or by
a power cut there.

The life is lived once, with `os` wrapped, and what each death would leave is kept, to be taken up again. A power cut
leaves what POSIX promises and nothing else (a file has the content of its last sync, a directory the names of its own
last sync), or that and any part of the rest, whichever was written first.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import random
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

CHANGES = ("write", "rename", "link", "unlink", "symlink", "mkdir", "ftruncate", "fsync", "fdatasync")
NEWYEAR = 1767225600.0  # 2026: what lives on after a death does so later
POWER = ("", "power cut", "power cut in any order")
"""How a death comes: by a kill, by a power cut as strict as can be, by one after a write-back in any order."""
ANY_ORDER = POWER[2]
THIRD = 3


@dataclass(frozen=True)
class Tree:
    """The files of a folder at one moment: what each name means (a file's inode, a link's goal, or None for a folder),
    and what each inode holds. Two names of one inode stay one file."""

    names: Mapping[str, int | str | None]
    content: Mapping[int, bytes]

    def write(self, root: Path) -> None:
        """Let the folder hold this and nothing else, whatever a process of the last life may still write there."""
        gone = root.with_name(f"{root.name}.gone")
        if root.exists():
            root.rename(gone)
        root.mkdir(parents=True)
        while gone.exists():
            shutil.rmtree(gone, ignore_errors=True)
        first = dict[int, Path]()
        for name, what in sorted(self.names.items()):
            path = root / name
            if what is None:
                path.mkdir()
            elif isinstance(what, str):
                path.symlink_to(what)
            elif what in first:
                path.hardlink_to(first[what])
            else:
                path.write_bytes(self.content[what])
                first[what] = path


@dataclass(frozen=True)
class Death:
    """What a death leaves: how it came, the home's files, and what the world beside them knew by then."""

    name: str
    power: str
    tree: Tree
    known: Any


Names = dict[str, int | str]


class Disk:
    """Sees every change that this process makes to a disk, and what a death there would leave of it.

    `power` is `""` for a kill, `strict` or `any order` for a power cut: what was never synced is gone, or any part of
    it is there, whatever was written later (a write-back in random order, which the seed chooses).
    """

    mortal = True  # false while something else than the process acts, such as a person

    def __init__(self, root: Path, power: str, known: Callable[[], object], seed: int = 0) -> None:
        self.deaths = list[Death]()
        self._root, self._power, self._known = root, power, known
        self._random = random.Random(f"{power}{seed or ''}")
        self._kinds = 0
        self._read: dict[int, tuple[tuple[int, int], bytes]] = {}
        self._pins = dict[int, int]()
        self._bytes: dict[int, bytes] = {}  # what is durable of a file's content, by its inode
        self._names: dict[int, Names] = {}  # what is durable of a folder's names
        self._learn(root)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Look at each change for the time of the block. What it is now is the number of changes so far, so that every
        life makes the same ones: blobs are named by what they hold."""
        real = {name: getattr(os, name) for name in CHANGES}
        clock = time.time
        try:
            for name, call in real.items():
                setattr(os, name, self._wrapped(name, call))
            time.time = lambda: NEWYEAR + self._kinds
            yield
        finally:
            time.time = clock
            for name, call in real.items():
                setattr(os, name, call)
            for fd in self._pins.values():
                os.close(fd)

    def _wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            if name == "write" and not stat.S_ISREG(os.fstat(given[0]).st_mode):
                return real(*given, **named)
            self.count(name, *(given[:2] if name == "write" else ()))
            done = real(*given, **named)
            if name in ("write", "mkdir"):
                above = named.get("dir_fd")
                self._pin(given[0] if above is None else f"/proc/self/fd/{above}/{given[0]}")
            if name in ("fsync", "fdatasync"):
                self._synced(given[0])
            return done

        return call

    def _pin(self, what: int | str | Path) -> None:
        """Hold a file open that is new, so that its inode's number is no later one's too."""
        found = os.stat(what).st_ino
        if found not in self._pins:
            self._pins[found] = os.dup(what) if isinstance(what, int) else os.open(what, os.O_RDONLY)

    def count(self, kind: str, fd: int = -1, data: bytes = b"") -> None:
        """Note that a change is about to happen: a death may come before it, or in the middle of a write."""
        self._kinds += 1
        if not Disk.mortal:
            return
        name = f"{self._power or 'kill'} at change {self._kinds} ({kind}"
        if self._power:
            self._die(f"{name})", self._durable())
            return
        now = self._now()
        self._die(f"{name})", now)
        found = os.fstat(fd).st_ino if data else 0
        if found in now.content:
            at = os.lseek(fd, 0, os.SEEK_CUR) if not fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_APPEND else None
            torn = now.content[found][:at] + bytes(data)[: max(1, len(data) // 2)]
            self._die(f"{name}, torn)", replace(now, content={**now.content, found: torn}))

    def _die(self, name: str, tree: Tree) -> None:
        """Keep what is left, unless it is what the death before left."""
        death = Death(name, self._power, tree, self._known())
        if not self.deaths or (death.tree, death.known) != (self.deaths[-1].tree, self.deaths[-1].known):
            self.deaths.append(death)

    # --- what is there, and what of it is durable

    def _now(self) -> Tree:
        """The folder as it is, read until two reads agree: a command that runs beside the life may change it between
        two files, and what a death left would then be a state that never was."""
        found = self._read_all()
        while (again := self._read_all()) != found:
            found = again
        return found

    def _read_all(self) -> Tree:
        names, content = dict[str, int | str | None](), dict[int, bytes]()
        folders = [self._root]
        while folders:
            folder = folders.pop()
            entries = list[os.DirEntry[str]]()
            with suppress(FileNotFoundError):  # another process has taken it away
                entries = list(os.scandir(folder))
            for entry in entries:
                name = os.path.relpath(entry.path, self._root)
                if entry.is_symlink():
                    names[name] = os.readlink(entry.path)
                elif entry.is_dir():
                    names[name] = None
                    folders.append(Path(entry.path))
                elif entry.is_file(follow_symlinks=False):  # no pipe: it holds nothing
                    with suppress(FileNotFoundError):  # another process has taken it away
                        content[entry.inode()] = self._content(entry.path, entry.stat())
                        names[name] = entry.inode()
        return Tree(names, content)

    def _content(self, path: str, found: os.stat_result) -> bytes:
        """A file's bytes, read again only when they may have changed."""
        key, before = (found.st_mtime_ns, found.st_size), self._read.get(found.st_ino, ((0, 0), b""))
        if before[0] != key or found.st_size < 65536:  # two changes may have one time
            data = Path(path).read_bytes()
            self._read[found.st_ino] = key, before[1] if data == before[1] else data  # a thousand trees share them
        return self._read[found.st_ino][1]

    def _learn(self, path: Path) -> None:
        """What is there before the machine starts is durable."""
        self._pin(path)
        self._synced(self._pins[os.stat(path).st_ino])
        if path.is_dir():
            for entry in os.scandir(path):
                if not entry.is_symlink():
                    self._learn(Path(entry.path))

    def _synced(self, fd: int) -> None:
        found, path = os.fstat(fd), f"/proc/self/fd/{fd}"
        if stat.S_ISDIR(found.st_mode):
            self._names[found.st_ino] = names_of(path)
        else:
            with open(path, "rb") as file:
                self._bytes[found.st_ino] = file.read()

    def _durable(self) -> Tree:
        """What a power cut leaves now."""
        names, content = dict[str, int | str | None](), dict[int, bytes]()
        now = self._now().content if self._power == ANY_ORDER else {}
        there = {os.stat(path).st_ino: path for path in folders_of(self._root)} if now else {}

        def walk(folder: int, prefix: str) -> None:
            for name, what in self._left(folder, there).items():
                path = prefix + name
                if isinstance(what, str):
                    names[path] = what
                elif what < 0:
                    names[path] = None
                    walk(-what, f"{path}/")
                else:
                    names[path] = what
                    content[what] = content.get(what) or self._part(self._bytes.get(what, b""), now.get(what))

        walk(os.stat(self._root).st_ino, "")
        return Tree(names, content)

    def _left(self, folder: int, there: Mapping[int, Path]) -> Names:
        """The names that a power cut leaves in a folder: of each that is not durable, the old meaning or the new."""
        old = self._names.get(folder, {})
        if folder not in there:
            return old
        new, left = names_of(there[folder]), Names()
        for name in sorted({*old, *new}):
            what = self._random.choice((old, new)).get(name)
            if what is not None:
                left[name] = what
        return left

    def _part(self, old: bytes, new: bytes | None) -> bytes:
        """What a power cut leaves of a file: the durable bytes, or those that it has now, or as many of them as reached
        the disk, be it that the length did and the bytes did not."""
        if new is None or new == old:
            return old
        if not new.startswith(old):
            return self._random.choice((old, new))
        reached = self._random.randrange(len(old), len(new) + 1)
        return self._random.choice((old, new, new, new[:reached], old + bytes(len(new) - len(old))))


def names_of(folder: str | Path) -> Names:
    """What each name in a folder means: a link's goal, a file's inode, or a folder's with a minus."""
    return {
        one.name: os.readlink(one.path) if one.is_symlink() else -one.inode() if one.is_dir() else one.inode()
        for one in os.scandir(folder)
    }


def folders_of(root: Path) -> Iterator[Path]:
    """The folder and all in it."""
    return (Path(path) for path, _, _ in os.walk(root))


def of(
    root: Path, power: str, known: Callable[[], object], life: Callable[[Disk], object], seed: int = 0
) -> list[Death]:
    """What every death in this life can leave, the same thing once. The life is lived once and to its end, in a process
    that is gone afterwards, as one that died is.

    A cut in any order is one draw of many: of these a third comes without a seed, and all of them with one, as
    bench/cuts.py gives.
    """
    told = root.with_name("deaths")

    def work() -> None:
        disk = Disk(root, power, known, seed)
        with disk.watched():
            life(disk)
        told.write_bytes(pickle.dumps(disk.deaths))

    assert child(work) == 0
    found = pickle.loads(told.read_bytes())
    assert isinstance(found, list)
    return found[::THIRD] if power == ANY_ORDER and not seed else found


def child(work: Callable[[], None]) -> int:
    """Run the work in a forked process; return its exit status. What it prints goes nowhere but to a failure."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    status = 1
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        work()
        status = 0
    finally:
        if status:
            import traceback

            traceback.print_exc()
        os._exit(status)
