"""Remove deleted content from the history of `backup --git` by rewriting it.

Every version stays, with the same names, times and texts. Only the ids change, so a remote must be updated with a
forced push. Owns `.new-backup.git` and `.old-backup.git` in the home while it works.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import IO

from dotagent.errors import Trouble
from dotagent.store import child_processes, disk

PLACE, NEW, OLD = "backup.git", ".new-backup.git", ".old-backup.git"


def rewrite(root: Path, without: Callable[[bytes], bytes], things: Collection[str] = ()) -> None:
    """Apply `without` to every file of every version, and delete these things, folders with a final `/`. It can be
    repeated after a crash. Raises Trouble."""
    place, new, old = root / PLACE, root / NEW, root / OLD
    if old.exists() and not place.exists():
        os.rename(old, place)
    shutil.rmtree(new, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)
    if not place.is_dir():
        return
    _git(root, "init", "--quiet", "--bare", str(new))
    if _stream(place, new, without, tuple(things)):
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


def _stream(place: Path, new: Path, without: Callable[[bytes], bytes], things: Sequence[str]) -> bool:
    """Copy the history. Return whether anything changed."""
    out = ("git", "--git-dir", str(place), "fast-export", "--all", "--signed-tags=strip", "--show-original-ids")
    into = ("git", "--git-dir", str(new), "fast-import", "--quiet", "--force")
    with (
        subprocess.Popen(out, stdout=subprocess.PIPE, env=child_processes.no_hook()) as reads,
        subprocess.Popen(into, stdin=subprocess.PIPE, env=child_processes.no_hook()) as writes,
    ):
        assert reads.stdout and writes.stdin
        changed = _copy(reads.stdout, writes.stdin, without, things)
        writes.stdin.close()
    if reads.returncode or writes.returncode:
        raise Trouble(
            f"git could not remove the text from the old versions of files in {place}; move this directory out of "
            "dotagent's data directory, then try again"
        )
    return changed


def _copy(source: IO[bytes], target: IO[bytes], without: Callable[[bytes], bytes], things: Sequence[str] = ()) -> bool:
    """Copy git's export stream, and return whether it changed. `data <size>` comes before bytes; after a `blob` line
    these are a file's."""
    changed = of_file = False
    names = [_quote_path(one) for one in things]
    while line := source.readline():
        if line.startswith(b"data "):
            data = source.read(int(line[5:]))
            made = without(data) if of_file else data
            changed |= made != data
            target.write(b"data %d\n" % len(made) + made)
            continue
        if names and any(_names(line, name) for name in names):
            changed = True
            continue
        if line.startswith((b"blob", b"commit ", b"tag ", b"reset ")):
            of_file = line == b"blob\n"
        target.write(line)
    return changed


def _quote_path(path: str) -> bytes:
    """Return a path as in the stream, without the closing quote, because a folder's path continues."""
    raw = path.encode("utf-8", "surrogateescape")
    return "".join(chr(one) if 32 <= one < 127 and chr(one) not in '"\\' else _escaped(one) for one in raw).encode()


def _escaped(byte: int) -> str:
    short = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
    return f"\\{short[byte]}" if byte in short else f"\\{byte:03o}"


def _names(line: bytes, thing: bytes) -> bool:
    """Return True if a line changes this file, or a file in this folder: `M 100644 :7 path`, `D path`, perhaps
    quoted."""
    if line.startswith(b"M "):
        path = line.split(b" ", 3)[3]
    elif line.startswith(b"D "):
        path = line[2:]
    else:
        return False
    path = path.rstrip(b"\n")
    path = path[1:-1] if path.startswith(b'"') else path
    return path.startswith(thing) if thing.endswith(b"/") else path == thing


def _git(root: Path, *words: str) -> None:
    if subprocess.run(
        ["git", *words], cwd=root, env=child_processes.no_hook(), capture_output=True, check=False
    ).returncode:
        raise Trouble(f"git {words[0]} fails in {root}, so {PLACE} still contains the text that you want to forget")
