"""What an interrupted installation left: folders and files made aside, whose name begins with `.new-` or `.old-`.

Who installs holds the lock of the folder that it installs into, so what stands there while nobody holds it belongs to
nobody. The next installation, `doctor --fix` and each start of an agent remove it. Owns nothing on disk.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from dotagent.store import disk
from dotagent.store.home import Home

ASIDE = (".new-", ".old-")


def there(folder: Path) -> list[Path]:
    """What stands aside in a folder."""
    if folder.is_symlink() or not folder.is_dir():
        return []
    return sorted(Path(one) for one in os.scandir(folder) if one.name.startswith(ASIDE))


def sweep(folder: Path) -> list[Path]:
    """Remove what stands aside, by who holds the folder's lock; what went."""
    found = there(folder)
    for path in found:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            disk.remove(path)
    return [path for path in found if not os.path.lexists(path)]


def swept(where: Home) -> list[Path]:
    """Remove what stands aside among skills and packs, unless somebody installs there now; what went."""
    found = list[Path]()
    for folder in (where.skills, where.packs):
        if there(folder):
            with disk.opened_dir(folder) as fd:
                found += sweep(folder) if disk.try_lock(fd) else []
    return found
