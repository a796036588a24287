"""Copies of `files/`, so that changes by a command or a file tool can be undone.

Owns `agents/<self>/undo/<number>/`: `files/` before a change, the last KEPT copies. Commands cannot see them. A file
that did not change between two copies is hard-linked. A copy has at most FILES files and BYTES bytes, and none whose
path is too long for the system.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from dotagent.store import disk, safe_paths
from dotagent.store.reserved_names import WORK

FOLDER = "undo"
KEPT = 5  # copies
FILES, BYTES = 2000, 1 << 26  # limits of a copy
LARGE = 1 << 23  # bytes: larger files are not copied
DEEP = 64  # folders around a file: Python removes no copy that is a thousand folders deep


def keep(agent: Path) -> None:
    """Copy `files/`, unless the last copy is identical. Raises OSError."""
    copies, last = agent / FOLDER, next(iter(numbers(agent)[-1:]), 0)
    new, before, changed = copies / ".new", copies / str(last), False
    shutil.rmtree(new, ignore_errors=True)
    disk.make_dir(new)
    names = set[str]()
    for name, there in _contents(agent):
        old = safe_paths.stat_path(before, name) if last else None
        data = None
        if not old or (old.st_size, old.st_mtime_ns) != (there.st_size, there.st_mtime_ns):
            with suppress(OSError):  # it was removed meanwhile, or is unreadable
                data = disk.read_below(agent / WORK, name, LARGE)
            if data is None:
                continue
        same = old is not None and (data is None or data == disk.read_below(before, name, LARGE))
        try:
            disk.make_dir((new / name).parent, durable=False)
            if same:
                os.link(before / name, new / name, follow_symlinks=False)
            else:
                disk.replace(new / name, data or b"", durable=False)
                os.utime(new / name, ns=(there.st_atime_ns, there.st_mtime_ns))
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                raise
            continue  # a command can nest folders more deeply than a path can say
        names.add(name)
        changed = changed or not same
    if not changed and (not last or names == {one.name for one in safe_paths.walk(before) if one.is_file}):
        shutil.rmtree(new, ignore_errors=True)
        return
    os.rename(new, copies / str(last + 1))
    for number in numbers(agent)[:-KEPT]:
        shutil.rmtree(copies / str(number), ignore_errors=True)


def _contents(agent: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the regular files of `files/` that a copy includes."""
    count = size = 0
    for one in safe_paths.walk(agent / WORK):
        if not one.is_file or one.found.st_size > LARGE or one.name.count("/") > DEEP:
            continue
        count, size = count + 1, size + one.found.st_size
        if count > FILES or size > BYTES:
            return
        yield one.name, one.found


def numbers(agent: Path) -> list[int]:
    """Return the numbers of the copies, oldest first."""
    return sorted(int(one) for one in disk.names(agent / FOLDER) if re.fullmatch("[1-9][0-9]{0,8}", one))


def changed(agent: Path, number: int) -> list[str]:
    """Return the files of a copy that are missing from `files/` or different there."""
    return sorted(name for name, data in _copied(agent, number) if _read_now(agent, name) != data)


def back(agent: Path, number: int) -> list[str]:
    """Restore these files, after a copy of the current state. New files stay. Return their names. Raises OSError."""
    found = {name: data for name, data in _copied(agent, number) if _read_now(agent, name) != data}
    keep(agent)
    for name, data in found.items():
        safe_paths.replace(agent / WORK, name, data)
    return sorted(found)


def _copied(agent: Path, number: int) -> Iterator[tuple[str, bytes]]:
    top = agent / FOLDER / str(number)
    for one in safe_paths.walk(top):
        if not one.is_dir:
            yield one.name, disk.read_below(top, one.name, LARGE)


def _read_now(agent: Path, name: str) -> bytes | None:
    try:
        return disk.read_below(agent / WORK, name, LARGE)
    except OSError:
        return None
