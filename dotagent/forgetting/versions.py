"""The history of versions that `backup --git` keeps, without what was forgotten: written anew, and put in its place.

Every version stays, with the same names, times and words; only its ids are others, so where it is pushed to it must be
pushed with force. Owns `.new-backup.git` and `.old-backup.git` in the home, for a while.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import IO

from dotagent.errors import Trouble
from dotagent.store import disk, process

PLACE, NEW, OLD = "backup.git", ".new-backup.git", ".old-backup.git"


def rewrite(root: Path, without: Callable[[bytes], bytes]) -> None:
    """Let every file of every version be what `without` makes of it. Done again after a death it comes to the same.
    Raises Trouble."""
    place, new, old = root / PLACE, root / NEW, root / OLD
    if old.exists() and not place.exists():
        os.rename(old, place)
    shutil.rmtree(new, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)
    if not place.is_dir():
        return
    _git(root, "init", "--quiet", "--bare", str(new))
    if _stream(place, new, without):
        for name in ("config", "HEAD", "description", "info", "hooks"):
            _take_over(place / name, new / name)
        os.sync()  # thousands of files at once
        os.rename(place, old)
        os.rename(new, place)
        disk.sync_dir(root)
    shutil.rmtree(new, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)


def _take_over(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    elif source.exists():
        shutil.copyfile(source, target)


def _stream(place: Path, new: Path, without: Callable[[bytes], bytes]) -> bool:
    """Copy the history through; whether anything became other than it was."""
    out = ("git", "--git-dir", str(place), "fast-export", "--all", "--signed-tags=strip", "--show-original-ids")
    into = ("git", "--git-dir", str(new), "fast-import", "--quiet", "--force")
    with (
        subprocess.Popen(out, stdout=subprocess.PIPE, env=process.no_hook()) as reads,
        subprocess.Popen(into, stdin=subprocess.PIPE, env=process.no_hook()) as writes,
    ):
        assert reads.stdout and writes.stdin
        changed = _copy(reads.stdout, writes.stdin, without)
        writes.stdin.close()
    if reads.returncode or writes.returncode:
        raise Trouble(f"{place}: its versions cannot be written anew: move it away, then do this again")
    return changed


def _copy(source: IO[bytes], target: IO[bytes], without: Callable[[bytes], bytes]) -> bool:
    """Copy git's export stream, in which `data <size>` stands before bytes: a file's, where `blob` began it."""
    changed = of_file = False
    while line := source.readline():
        if line.startswith(b"data "):
            data = source.read(int(line[5:]))
            made = without(data) if of_file else data
            changed |= made != data
            target.write(b"data %d\n" % len(made) + made)
            continue
        if line.startswith((b"blob", b"commit ", b"tag ", b"reset ")):
            of_file = line == b"blob\n"
        target.write(line)
    return changed


def _git(root: Path, *words: str) -> None:
    if subprocess.run(["git", *words], cwd=root, env=process.no_hook(), capture_output=True, check=False).returncode:
        raise Trouble(f"git {words[0]} fails in {root}: {PLACE} still has what is to be forgotten")
