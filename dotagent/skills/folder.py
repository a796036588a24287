"""A skill's folder, read whole and at once, so that what is shown of it is what was hashed; nothing leads out of it.

A link, a pipe or a device in it, too many files or too large ones refuse the whole folder. Owns nothing on disk.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dotagent.errors import Misuse
from dotagent.store import disk
from dotagent.store.blobs import content_id
from dotagent.text import escape
from dotagent.text.sizes import amount

NAME = re.compile(r"(?=.{1,64}\Z)[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
FILES = ("SKILL.md", "skill.md")
"""What makes a folder a skill; the first that is there counts."""
MANY, LARGE, DEEP = 500, 16_000_000, 8  # files, bytes of all of them, directories within each other
LEFT = (".git", "__pycache__")  # directories that are nobody's instructions


@dataclass(frozen=True)
class Folder:
    """What a folder holds: its files' bytes by their paths in it, sorted, and which of them are programs."""

    name: str
    files: Mapping[str, bytes]
    programs: frozenset[str] = field(default_factory=frozenset)

    @property
    def main(self) -> bytes:
        """Its SKILL.md; empty without one."""
        return next((self.files[name] for name in FILES if name in self.files), b"")

    @property
    def marks(self) -> dict[str, str]:
        """The hash of each file."""
        return {name: content_id(data) for name, data in self.files.items()}

    @property
    def id(self) -> str:
        """The hash of all of it: of its name, and of each file's hash and path."""
        rows = [f"{mark} {name}\n" for name, mark in self.marks.items()]
        return content_id("".join([f"{self.name}\n", *rows]).encode())


def look(parent: Path, name: str) -> Folder:
    """The folder of that name. Raises Misuse for one that is refused, OSError for one that cannot be read."""
    files, programs = dict[str, bytes](), set[str]()
    above = disk.open_dir(parent)
    try:
        for path, data, runs in _walk(disk.open_dir(name, above), "", [0, 0]):
            files[path] = data
            programs |= {path} if runs else set()
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise Misuse(f"{escape.one_line(name, 100)} holds a link: a skill has files and directories only") from None
        raise
    finally:
        os.close(above)
    return Folder(name, dict(sorted(files.items())), frozenset(programs))


def made(name: str, files: Mapping[str, bytes], programs: frozenset[str] = frozenset()) -> Folder:
    """A folder of files that came otherwise, held to the same. Raises Misuse."""
    told, has = [0, 0], set[str]()
    for path, data in files.items():
        parts = path.split("/")
        if any(part in ("", ".", "..") for part in parts):
            raise Misuse(f"{escape.one_line(path, 100)} would lead out of the folder")
        for depth, part in enumerate(parts):
            _check(part, "/".join(parts[:depth]), depth)
        has |= {path}
        _count(told, len(data), path)
    return Folder(name, dict(sorted(files.items())), programs & has)


def _walk(here: int, below: str, told: list[int]) -> Iterator[tuple[str, bytes, bool]]:
    """Each file below the open directory, which is closed: its path, its bytes, whether it is a program."""
    try:
        for name in sorted(os.listdir(here)):
            path, depth = f"{below}{name}", below.count("/")
            kind = os.stat(name, dir_fd=here, follow_symlinks=False).st_mode
            if stat.S_ISDIR(kind) and name in LEFT:
                continue
            _check(name, below, depth)
            if stat.S_ISDIR(kind):
                yield from _walk(disk.open_dir(name, here), f"{path}/", told)
            elif stat.S_ISREG(kind):
                with os.fdopen(disk.open_file(name, above=here), "rb") as file:
                    _count(told, os.fstat(file.fileno()).st_size, path)
                    yield path, file.read(LARGE + 1), bool(kind & 0o100)
            else:
                what = "a link" if stat.S_ISLNK(kind) else "neither file nor directory"
                raise Misuse(f"{escape.one_line(path, 100)} is {what}: a skill has files and directories only")
    finally:
        os.close(here)


def _check(name: str, below: str, depth: int) -> None:
    """Raises Misuse for a name that shows as another, or too deep a place."""
    shown = f"{below}{name}"
    if escape.row(name) != name or "\udc80" <= max(name) <= "\udcff" or "\\" in name or len(name) > 200:
        raise Misuse(f"{escape.one_line(shown, 100)} is no plain name of a file")
    if depth > DEEP:
        raise Misuse(f"{escape.one_line(shown, 100)} lies too deep: at most {DEEP} directories within each other")


def _count(told: list[int], size: int, path: str) -> None:
    """Raises Misuse where this file is one too many, or too large."""
    told[0], told[1] = told[0] + 1, told[1] + size
    if told[0] > MANY:
        raise Misuse(f"it has more than {MANY} files")
    if told[1] > LARGE:
        raise Misuse(f"it has more than {amount(LARGE)} with {escape.one_line(path, 100)}")
