"""A skill's folder, read completely at once, so that the shown content is the hashed content. Nothing leads out of it.

A link, a pipe or a device, or too many or too large files, make the whole folder invalid. Owns nothing on disk.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from dotagent.errors import Misuse
from dotagent.store import disk
from dotagent.store.blobs import content_id
from dotagent.text import escape, lazy
from dotagent.text.lazy import dataclass, field
from dotagent.text.sizes import amount

NAME = lazy.compile(r"(?=.{1,64}\Z)[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
FILES = ("SKILL.md", "skill.md")
"""A folder with one of these is a skill; the first existing one is used."""
MANY, LARGE, DEEP = 500, 16_000_000, 8  # limits: files, bytes in total, nested directories
LEFT = (".git", "__pycache__")  # directories without instructions


def make_name(text: str) -> str:
    """Return a skill's name made from the letters and digits of a text, such as c-and-f from "C# and F#", or "" if it
    has none of a-z and 0-9."""
    import unicodedata  # only for installing

    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall(r"[a-z0-9]+", plain))[:64].strip("-")


@dataclass(frozen=True)
class Folder:
    """The content of a folder: its files' bytes by sorted path, and which of them are programs."""

    name: str
    files: Mapping[str, bytes]
    programs: frozenset[str] = field(default_factory=frozenset)

    @property
    def main(self) -> bytes:
        """Return its SKILL.md, or b""."""
        return next((self.files[name] for name in FILES if name in self.files), b"")

    @property
    def marks(self) -> dict[str, str]:
        """Return the hash of each file."""
        return {name: content_id(data) for name, data in self.files.items()}

    @property
    def id(self) -> str:
        """Return the hash of the whole folder: its name, and each file's hash and path."""
        rows = [f"{mark} {name}\n" for name, mark in self.marks.items()]
        return content_id("".join([f"{self.name}\n", *rows]).encode())


def read_folder(parent: Path, name: str) -> Folder:
    """Read the folder of this name. Raises Misuse if it is invalid, OSError if it is unreadable."""
    files, programs = dict[str, bytes](), set[str]()
    above = disk.open_dir(parent)
    try:
        for path, data, runs in _walk(disk.open_dir(name, above), "", [0, 0]):
            files[path] = data
            programs |= {path} if runs else set()
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise Misuse(
                f"{escape.one_line(name, 100)} contains a link; a skill can contain only files and directories"
            ) from None
        inner = "" if error.filename in (None, name) else str(error.filename)
        raise type(error)(error.errno, error.strerror, str(parent / name / inner)) from None
    finally:
        os.close(above)
    return Folder(name, dict(sorted(files.items())), frozenset(programs))


def build_folder(name: str, files: Mapping[str, bytes], programs: frozenset[str] = frozenset()) -> Folder:
    """Build a folder from files of another source, with the same checks. Raises Misuse."""
    told, has = [0, 0], set[str]()
    for path, data in files.items():
        parts = path.split("/")
        if any(part in ("", ".", "..") for part in parts):
            raise Misuse(f"{escape.one_line(path, 100)!r} is not a path inside the skill's folder")
        for depth, part in enumerate(parts):
            _check(part, "/".join(parts[:depth]), depth)
        has |= {path}
        _count(told, len(data), path)
    return Folder(name, dict(sorted(files.items())), programs & has)


def _walk(here: int, below: str, told: list[int]) -> Iterator[tuple[str, bytes, bool]]:
    """Yield each file below the open directory, which is then closed: its path, its bytes, whether it is a program."""
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
                what = "a link" if stat.S_ISLNK(kind) else "neither a file nor a directory"
                raise Misuse(f"{escape.one_line(path, 100)} is {what}; a skill can contain only files and directories")
    finally:
        os.close(here)


def _check(name: str, below: str, depth: int) -> None:
    """Raise Misuse for a deceptive name, or for too many levels."""
    shown = f"{below}{name}"
    if escape.row(name) != name or "\udc80" <= max(name) <= "\udcff" or "\\" in name or len(name) > 200:
        raise Misuse(f"{escape.one_line(shown, 100)} is not a simple file name")
    if depth > DEEP:
        raise Misuse(f"{escape.one_line(shown, 100)} is too deep; directories may be nested {DEEP} deep at most")


def _count(told: list[int], size: int, path: str) -> None:
    """Raise Misuse if this file exceeds the limits."""
    told[0], told[1] = told[0] + 1, told[1] + size
    if told[0] > MANY:
        raise Misuse(f"the skill has more than {MANY} files")
    if told[1] > LARGE:
        raise Misuse(
            f"the files of the skill are together larger than {amount(LARGE)}; the file {escape.one_line(path, 100)} "
            "exceeds the limit"
        )
