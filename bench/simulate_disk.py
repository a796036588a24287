"""What a power cut leaves of the simulated disk: what POSIX promises and nothing else, or that and a part of the rest.

A file has the content of its last sync, a directory the names of its own last sync. With a chance, each name that is
not durable has the old meaning or the new one, and of each file's unsynced bytes any part is there. Or all names have
the new meaning, and no file has its unsynced bytes. Needs a file system that does not use an inode's number again soon,
such as tmpfs.
"""

from __future__ import annotations

import os
import random
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

Names = dict[str, int | str]  # a file's inode, a folder's with a minus, or a link's goal
_stat, _utime, _mkdir, _symlink, _link = os.stat, os.utime, os.mkdir, os.symlink, os.link


class SimulatedDisk:
    """A folder, and what of it is durable."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._bytes: dict[int, bytes] = {}
        self._names: dict[int, Names] = {}
        self._times: dict[int, int] = {}
        self.learn()

    def learn(self) -> None:
        """All that is there now is durable."""
        self._bytes.clear()
        self._names.clear()
        for path, _, files in os.walk(self._root):
            self._names[_stat(path).st_ino] = names_of(path)
            for name in files:
                file = os.path.join(path, name)
                found = os.lstat(file)
                if stat.S_ISREG(found.st_mode):
                    self._bytes[found.st_ino] = Path(file).read_bytes()

    def synced(self, fd: int) -> None:
        """This file's content, or this directory's names, are durable as they are."""
        found, path = os.fstat(fd), f"/proc/self/fd/{fd}"
        if stat.S_ISDIR(found.st_mode):
            self._names[found.st_ino] = names_of(path)
        else:
            with open(path, "rb") as file:
                self._bytes[found.st_ino] = file.read()

    def holding(self, word: bytes) -> Iterator[str]:
        """The names of the durable files that hold this word, though the present ones may not."""
        folders = [(_stat(self._root).st_ino, "")]
        while folders:
            folder, prefix = folders.pop()
            for name, what in self._names.get(folder, {}).items():
                if isinstance(what, str) or what >= 0:
                    data = what.encode() if isinstance(what, str) else self._bytes.get(what, b"")
                    if word in data or word in name.encode():
                        yield prefix + name
                else:
                    folders.append((-what, f"{prefix}{name}/"))

    def cut(self, chance: random.Random | None, now: int, *, names: bool = False) -> None:
        """Let the folder hold what a power cut leaves: with a chance, in any order; with `names`, all names."""
        there, content, modes = dict[int, str](), dict[int, bytes](), dict[int, tuple[int, int]]()
        for path, _, files in os.walk(self._root):
            there[_stat(path).st_ino] = path
            for name in files:
                file = os.path.join(path, name)
                found = os.lstat(file)
                if stat.S_ISREG(found.st_mode):
                    content[found.st_ino] = Path(file).read_bytes()
                    modes[found.st_ino] = found.st_mode & 0o777, found.st_mtime_ns
        kept = dict[int, bytes]()
        made = list[tuple[str, int | str | None]]()

        def walk(folder: int, prefix: str) -> None:
            left = names_of(there[folder]) if names and folder in there else self._left(folder, there, chance)
            for name, what in sorted(left.items()):
                if isinstance(what, str) or what >= 0:
                    made.append((prefix + name, what))
                    if not isinstance(what, str) and what not in kept:
                        kept[what] = _part(self._bytes.get(what, b""), content.get(what), chance)
                else:
                    made.append((prefix + name, None))
                    walk(-what, f"{prefix}{name}/")

        walk(_stat(self._root).st_ino, "")
        for entry in os.scandir(self._root):
            shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)
        first = dict[int, Path]()
        for name, what in made:
            target = self._root / name
            if what is None:
                _mkdir(target, 0o700)
            elif isinstance(what, str):
                _symlink(what, target)
            elif what in first:
                _link(first[what], target)
            else:
                target.write_bytes(kept[what])
                mode, at = modes.get(what, (0o600, now))
                target.chmod(mode)
                _utime(target, ns=(min(at, now), min(at, now)))
                first[what] = target
        self.learn()

    def _left(self, folder: int, there: dict[int, str], chance: random.Random | None) -> Names:
        """The names that a power cut leaves in a folder."""
        old = self._names.get(folder, {})
        if chance is None or folder not in there:
            return old
        new, left = names_of(there[folder]), Names()
        for name in sorted({*old, *new}):
            what = chance.choice((old, new)).get(name)
            if what is not None:
                left[name] = what
        return left


def _part(old: bytes, new: bytes | None, chance: random.Random | None) -> bytes:
    """What a power cut leaves of a file: the durable bytes, the present ones, or as many as reached the disk, be it
    that the length did and the bytes did not."""
    if chance is None or new is None or new == old:
        return old
    if not new.startswith(old):
        return chance.choice((old, new))
    reached = chance.randrange(len(old), len(new) + 1)
    return chance.choice((old, new, new, new[:reached], old + bytes(len(new) - len(old))))


def names_of(folder: str) -> Names:
    """What each name in a folder means."""
    return {
        one.name: os.readlink(one.path) if one.is_symlink() else -one.inode() if one.is_dir() else one.inode()
        for one in os.scandir(folder)
        if one.is_symlink() or one.is_dir() or one.is_file()
    }
