"""Safe access to paths that a command, an editor or an import could have manipulated.

Each function takes `top`, a directory that none of them can replace, and a path below it. No component below `top` may
be a link, only regular files are opened, and no call blocks. An OSError names the path; NoFile means that the path is
not a regular file. Owns nothing on disk.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

from dotagent.store import disk
from dotagent.text.lazy import dataclass

DEEP = 64  # folders that are walked below each other
MANY = 200_000  # entries that one walk returns


@dataclass(frozen=True)
class Inside:
    """A directory entry: its path below `top`, and its stat result."""

    name: str
    found: os.stat_result

    @property
    def is_dir(self) -> bool:
        """Return True for a directory."""
        return stat.S_ISDIR(self.found.st_mode)

    @property
    def is_file(self) -> bool:
        """Return True for a regular file."""
        return stat.S_ISREG(self.found.st_mode)


def replace(top: Path, name: str, data: bytes, *, durable: bool = True) -> None:
    """Replace the file's content in one step, and create its folders. An existing file keeps its mode."""
    inner, _, last = name.rpartition("/")
    with disk.folder(top, inner, make=True) as above, disk.naming(top / name):
        try:
            before = os.stat(last, dir_fd=above, follow_symlinks=False)
        except FileNotFoundError:
            mode = 0o600
        else:
            if not stat.S_ISREG(before.st_mode):
                raise disk.NoFile(errno.ELOOP, "not a regular file", str(top / name))
            mode = stat.S_IMODE(before.st_mode)
        disk.replace_in(above, last, data, mode, durable=durable)


def settle(top: Path, name: str) -> None:
    """Sync the names of the file and of the folders that lead to it, because the process that made them may have
    crashed before it did. The file's content was synced before it got its name."""
    *folders, _ = name.split("/")
    for depth in range(len(folders) + 1):
        with disk.folder(top, "/".join(folders[:depth])) as above, disk.naming(top / name):
            os.fsync(above)


def stat_path(top: Path, name: str) -> os.stat_result | None:
    """Return the stat result of the path, of a link itself, or None if nothing has this name."""
    inner, _, last = name.rpartition("/")
    with suppress(FileNotFoundError), disk.folder(top, inner) as above, disk.naming(top / name):
        return os.stat(last, dir_fd=above, follow_symlinks=False) if last not in ("", ".") else os.fstat(above)
    return None


def entries(top: Path, name: str = "") -> list[Inside]:
    """Return the entries of the directory, sorted by name."""
    with disk.folder(top, name) as fd, disk.naming(top / name):
        found = list[Inside]()
        for one in sorted(os.listdir(fd)):
            with suppress(FileNotFoundError):  # removed meanwhile
                found.append(Inside(f"{name}/{one}".lstrip("/"), os.stat(one, dir_fd=fd, follow_symlinks=False)))
        return found


def matching(top: Path, pattern: str) -> list[Path]:
    """Return the sorted paths that match a pattern such as `memory/working/*/current.json`.

    Only directories and regular files match. An unreadable directory counts as empty.
    """
    found = [""]
    for part in pattern.split("/"):
        found = [one for above in found for one in _match_names(top, above, part)]
    return sorted(top / name for name in found)


def _match_names(top: Path, above: str, part: str) -> Iterator[str]:
    """Yield the matching paths in one directory."""
    with suppress(OSError):
        for one in entries(top, above):
            if (one.is_dir or one.is_file) and fnmatchcase(one.name.rpartition("/")[2], part):
                yield one.name


def walk(top: Path, name: str = "") -> Iterator[Inside]:
    """Yield everything below the directory, folders before their content. Unreadable folders are skipped."""
    left, count = [(name, 0)], 0
    while left:
        here, deep = left.pop()
        try:
            found = entries(top, here)
        except OSError:
            continue
        for one in found:
            count += 1
            if count > MANY:
                return
            yield one
        left += [(one.name, deep + 1) for one in reversed(found) if one.is_dir and deep < DEEP]
