"""What a command makes, replaces and removes in its agent's directory itself: carried over when it has ended.

What harness and editors put there while it goes on must be in no command's view, and a mount that covers a file goes
once another takes its name. So in a sandbox with mounts a directory of the command's own stands in that place. In it
are the files that it may change, by a second name each (a hard link): what it writes into one is there at once.
Directories are mounted, and are one place for both. Owns `made/`, `made.json` and `over/` in a command's folder.
"""

from __future__ import annotations

import filecmp
import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from dotagent import errors
from dotagent.store import bootstrap, disk

TOP, RECORD, OVER = "made", "made.json", "over"
FOLDERS = ("subs", "run", "processes", "due")  # the harness's folders in an agent's directory: they are there, and stay
FILES = re.compile(r"(?:SOUL(?:_[A-Z0-9_]+)?|LIFE|context)\.[^/]*|recall\.db[^/]*|fade", re.IGNORECASE | re.DOTALL)
"""And its files, also where case means nothing."""
PERSONA = tuple(name.lower() for name in bootstrap.PERSONA)  # policy decides what is written there


def harness(name: str) -> bool:
    """Whether an entry of an agent's directory is the harness's, and no command's to see or make."""
    return name.lower() in FOLDERS or FILES.fullmatch(name) is not None or name.startswith(".new-")


def begin(folder: Path, place: Path, names: Iterable[str]) -> Path:
    """Make the directory that stands in for `place` while the command goes on whose files are in `folder`; of these
    entries, those that are no directories are in it. Raises OSError."""
    if why := settle(folder, place):
        raise OSError(why)
    top, known = folder / TOP, dict[str, int]()
    os.mkdir(top, 0o700)
    for name in names:
        known[name] = 0 if (place / name).is_dir() and not (place / name).is_symlink() else _linked(place, top, name)
    disk.replace(folder / RECORD, json.dumps(known).encode(), durable=False)
    return top


def settle(folder: Path, place: Path) -> str:
    """Carry over what an ended command did to its own directory, from the beginning or from where a process died over
    it; why something could not be carried over, and where it stays."""
    top, over = folder / TOP, folder / OVER
    try:
        names = sorted(os.listdir(top))
    except FileNotFoundError:
        names = None
    if names is not None:
        known = _known(folder)
        try:
            carried = [_carry(top / name, place / name, known.get(name)) for name in names if _may(name)]
            gone = [name for name, number in known.items() if number and name not in names]
            carried += [disk.remove(place / name) for name in gone if _number(place / name) == known[name]]
            if any(carried):
                disk.sync_dir(place)
        except OSError as error:
            return f"what it made stays in {top}: {errors.line(error)}"
        os.rename(top, over)  # in one step, so that what is left in it is never taken for something removed
    if over.exists():
        _drop(over)
    disk.remove(folder / RECORD)
    return ""


def _may(name: str) -> bool:
    return not harness(name) and name.lower() not in PERSONA


def _linked(place: Path, top: Path, name: str) -> int:
    """The number of a file that has a second name now; 0 where it cannot have one."""
    try:
        os.link(place / name, top / name, follow_symlinks=False)
    except OSError:  # another's file, or a file system without such names: it is mounted, as directories are
        return 0
    return _number(top / name) or 0


def _number(path: Path) -> int | None:
    """The inode's number; None where nothing is."""
    try:
        return path.lstat().st_ino
    except FileNotFoundError:
        return None


def _known(folder: Path) -> Mapping[str, int]:
    """What was there when the command began; all that lies there is new where that cannot be read."""
    try:
        told = json.loads(disk.read(folder / RECORD))
        return {str(name): int(number) for name, number in told.items()}
    except (FileNotFoundError, ValueError, AttributeError, TypeError):
        return {}


def _carry(own: Path, path: Path, was: int | None) -> bool:
    """Let an entry be in the agent's directory as the command left it; whether anything had to be done."""
    number, now = _number(own), _number(path)
    if was == 0 or number in (None, was, now):  # mounted; as it was; carried over before
        return False
    if was and now == was:
        os.rename(own, path)
    elif own.is_file() and not own.is_symlink() and disk.is_file(path) and filecmp.cmp(own, path, shallow=False):
        return False  # both were brought here from elsewhere, where they were one file
    elif own.is_dir() and not own.is_symlink():
        if now and not os.listdir(own):
            return False
        os.rename(own, _free(path))
    else:
        os.link(own, _free(path), follow_symlinks=False)  # never over what came to be there meanwhile
    return True


def _free(path: Path) -> Path:
    """The path, or where something else has it meanwhile, one with a number."""
    found, number = path, 0
    while os.path.lexists(found):
        number += 1
        found = path.with_name(f"{path.name}.{number}")
    return found


def _drop(over: Path) -> None:
    """Remove what is left, whatever rights the command gave it."""
    for place, folders, _ in os.walk(over):
        for name in folders:
            if not os.path.islink(os.path.join(place, name)):
                os.chmod(os.path.join(place, name), 0o700)
    shutil.rmtree(over, ignore_errors=True)
