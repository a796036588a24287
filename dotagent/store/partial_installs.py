"""Remains of an interrupted installation: files and folders whose names begin with `.new-` or `.old-`.

An installer locks the folder that it installs into, so if no process has the lock, such files are abandoned. The next
installation, `doctor --fix` and each start of an agent remove them. Owns nothing on disk.
"""

from __future__ import annotations

import os
from pathlib import Path

from dotagent.store import disk
from dotagent.store.home import Home

ASIDE = (".new-", ".old-")


def find_remains(folder: Path) -> list[Path]:
    """Return the remains in a folder."""
    if folder.is_symlink() or not folder.is_dir():
        return []
    return sorted(Path(one) for one in os.scandir(folder) if one.name.startswith(ASIDE))


def sweep(folder: Path) -> list[Path]:
    """Remove the remains in a folder and return the removed paths. The caller must have the folder's lock."""
    found = find_remains(folder)
    for path in found:
        if path.is_dir() and not path.is_symlink():
            import shutil

            shutil.rmtree(path, ignore_errors=True)
        else:
            disk.remove(path)
    return [path for path in found if not os.path.lexists(path)]


def swept(where: Home) -> list[Path]:
    """Remove the remains among skills and packs, unless an installation is running. Return the removed paths."""
    found = list[Path]()
    for folder in (where.skills, where.packs):
        if find_remains(folder):
            with disk.folder(folder) as fd:
                found += sweep(folder) if disk.try_lock(fd) else []
    return found
