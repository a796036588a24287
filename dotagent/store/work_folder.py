"""The folder `files/` of an agent's directory, in which its commands work. Owns the mode of this folder, and the new
names of files in its place.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from dotagent.store import disk
from dotagent.store.reserved_names import WORK


def workspace(directory: Path) -> Path:
    """Return `files/` of this agent's directory, and repair its mode, which commands may have changed.

    Anything there that is not a directory is set aside. Raises OSError.
    """
    path = directory / WORK
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        disk.make_dir(path)
        return path
    if not stat.S_ISDIR(mode):
        set_aside(path)
        disk.make_dir(path)
    elif mode & 0o700 != 0o700:
        os.chmod(path, stat.S_IMODE(mode) | 0o700)
    return path


def set_aside(path: Path) -> str:
    """Rename an unexpected file to `NAME.odd-<number>`. Return the new name. Raises OSError."""
    number = 1
    while os.path.lexists(new := path.with_name(f"{path.name}.odd-{number}")):
        number += 1
    os.rename(path, new)
    return new.name
