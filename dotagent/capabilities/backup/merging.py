"""Restore an archive into a home, file by file, next to existing files.

The archive is first unpacked next to its goal and checked. Then each file is moved to its place, agents last. If the
home has a different file, the caller's choice decides. At the end, every file is read again and compared with the
unpacked content. A restore that was interrupted is done again. Owns `.restoring` in a home during a restore.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import blake3

from dotagent.capabilities.backup import archive
from dotagent.errors import Trouble
from dotagent.store import directories, disk, pack_files, prompts
from dotagent.store.home import PROMPTS, Home
from dotagent.text import escape
from dotagent.text.lazy import dataclass
from dotagent.text.sizes import plural

REFUSE, KEPT, REPLACE = "refuse", "keep", "replace"
CHOICES = (REFUSE, KEPT, REPLACE)
NAMED = 5  # paths that a message names
Facts = tuple[str, int]
"""The required content of a file: its hash and its mode, or a link's target and LINK, or "" and NOTHING."""
LINK, NOTHING = -1, -2


@dataclass(frozen=True)
class Merged:
    """The result of a restore: the number of files that were compared with the archive and are the same, their bytes,
    the paths where the home's own file was kept or replaced, and the paths that differ although they should not."""

    files: int
    size: int
    kept: tuple[str, ...]
    replaced: tuple[str, ...]
    wrong: tuple[str, ...]


def read(
    packed: IO[bytes], home: Home, mend: Callable[[Home], object] = lambda _: None, choice: str = REFUSE
) -> Merged:
    """Restore an archive into a home. `mend` gets the unpacked and checked copy first. If the home has a different
    file, the choice decides. Raises Trouble, before anything changes, and OSError."""
    aside = home.root / ".restoring"
    disk.make_dir(home.root)
    shutil.rmtree(aside, ignore_errors=True)
    try:
        disk.make_dir(aside)
        archive.unpack(packed, aside)
        mend(Home(aside))
        _rename_packs(aside, home.root)
        os.sync()  # one sync of everything is faster than one for each file
        facts = {path: _facts(aside / path) for path in _files(aside)}
        others = [path for path, told in facts.items() if _is_other(home.root, path, told)]
        _check(home.root, facts, others, choice)
        kept = tuple(others) if choice == KEPT else ()
        for path in sorted(facts.keys() - {*kept}, key=_order):
            disk.make_dir((home.root / path).parent, durable=False)
            os.rename(aside / path, home.root / path)
        os.sync()
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    whole = [path for path in facts if path not in kept and _facts(home.root / path) == facts[path]]
    files = [path for path in whole if facts[path][1] != LINK]
    size = sum(os.lstat(home.root / path).st_size for path in files)
    wrong = tuple(sorted(facts.keys() - {*whole, *kept}))
    return Merged(len(files), size, kept, tuple(others) if choice == REPLACE else (), wrong)


def _files(top: Path) -> Iterator[str]:
    """Yield the files and links below a directory."""
    for place, folders, names in directories.walk(top):
        for name in names + [one for one in folders if os.path.islink(os.path.join(place, one))]:
            yield os.path.relpath(os.path.join(place, name), top)


def _order(path: str) -> tuple[bool, bool, str]:
    """Return the key for moving: agents last, and LIFE.md, which makes an agent's directory one, last of all."""
    return path.startswith("agents/"), path.endswith("/LIFE.md"), path


def _is_other(root: Path, path: str, told: Facts) -> bool:
    """Return True if the home has a file or link there with other content that a person may miss."""
    if not os.path.lexists(root / path) or _facts(root / path)[0] == told[0]:
        return False
    return path not in PROMPTS or not disk.is_file(root / path) or prompts.is_edited(path, disk.read(root / path))


def _facts(path: Path) -> Facts:
    """Return what a file or a link is."""
    if path.is_symlink():
        return os.readlink(path), LINK
    try:
        with disk.reading(path) as file:
            told = blake3.blake3()
            while data := file.read(archive.CHUNK):
                told.update(data)
            return str(told.hexdigest()), os.fstat(file.fileno()).st_mode & archive.MODE
    except (FileNotFoundError, NotADirectoryError, disk.NoFile):
        return "", NOTHING


def _check(root: Path, facts: dict[str, Facts], others: list[str], choice: str) -> None:
    """Raise Trouble if the home's own files are in the way."""
    blocked = [path for path in facts if _is_blocked(root, path)]
    if blocked:
        raise Trouble(f"a directory or a link is in the way of {_named(blocked)}; move it away")
    if others and choice == REFUSE:
        raise Trouble(
            f"{root} has {plural(len(others), 'file')} with other content: {_named(others)}; add --existing keep to "
            "keep these, or --existing replace to replace them"
        )


def _is_blocked(root: Path, path: str) -> bool:
    """Return True if a directory has the place of this file, or something else that of a directory above it."""
    above = Path(path).parents
    places = [root / one for one in above if one != Path()]
    return os.path.isdir(root / path) or any(os.path.lexists(one) and (one.is_symlink() or not one.is_dir())
                                             for one in places)  # fmt: skip


def _named(paths: list[str]) -> str:
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return ", ".join(escape.one_line(path, 200) for path in sorted(paths)[:NAMED]) + more


def _rename_packs(aside: Path, root: Path) -> None:
    """Give packs of blobs another number where the home has another pack of that number: both are needed."""
    ours, theirs = (top / "blobs" / pack_files.FOLDER for top in (root, aside))
    taken = {*disk.names(ours, ".pack")}
    for name in disk.names(theirs, ".pack"):
        if name in taken and _facts(ours / name) != _facts(theirs / name):
            free = next(one for number in range(1, 10**6) if (one := f"{number:06d}.pack") not in
                        {*taken, *disk.names(theirs, ".pack")})  # fmt: skip
            os.rename(theirs / name, theirs / free)
