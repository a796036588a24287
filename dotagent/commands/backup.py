"""Put the whole home into one file, while agents run; or, with --git, into a history of versions.

A backup has everything but secrets (.env), calls and caches, so it is as private as the home. `restore` brings it back.
With --git the same files are committed into backup.git in the home, beside the last time's: where that is pushed to is
yours (git --git-dir HOME/backup.git remote add …).
"""

from __future__ import annotations

import argparse
import os
import subprocess
from pathlib import Path

from dotagent import commands
from dotagent.errors import Misuse, Trouble
from dotagent.store import archive, disk, process
from dotagent.store.home import Home
from dotagent.text import escape, times
from dotagent.text.sizes import amount, plural


def arguments(parser: argparse.ArgumentParser) -> None:
    """Where to."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="the file to write, e.g. dotagent.tar.zst")
    parser.add_argument("--git", action="store_true", help="commit into backup.git in the home")


def run(asked: argparse.Namespace) -> int:
    """Back up, and say what."""
    where = commands.home_of(asked)
    if bool(asked.file) == asked.git:
        raise Misuse("back up where to? backup FILE, or backup --git")
    if asked.git:
        print(_commit(where))
        return 0
    path = Path(os.path.expanduser(asked.file)).absolute()
    if path.exists():
        raise Misuse(f"{path} is there already: name another file")
    if not path.parent.is_dir():
        raise Misuse(f"{path.parent} is no directory")
    aside = path.with_name(f".new-{path.name}")
    try:
        with os.fdopen(disk.open_file(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as out:
            kept = archive.write(where, out)
            out.flush()
            os.fsync(out.fileno())
        disk.move(aside, path)
        disk.sync_dir(path.parent)
    finally:
        disk.remove(aside)
    size = path.stat().st_size
    print(f"{path}: {plural(kept.files, 'file')}, {amount(kept.size)}, in {amount(size)}; no secrets, no calls")
    for one in kept.strange:
        print(f"left out, no plain file: {escape.one_line(one, 300)}")
    return 0


def _commit(where: Home) -> str:
    """Commit what is kept of the home; what became of it, in words. Raises Trouble."""
    place = where.root / "backup.git"
    if not (made := place / "info" / "attributes").exists():  # also where a full disk left half of it
        _git(where, "init", "--quiet", "--bare", str(place))
        disk.replace(made, b"* -text\n")
    git = ("--git-dir", str(place), "--work-tree", str(where.root), "-c", "core.bare=false")
    there = [piece for piece in archive.cut(where) if not piece.link or archive.LINK.fullmatch(piece.link)]
    whole = [piece.path.encode() for piece in there if piece.size < 0 and os.path.lexists(where.root / piece.path)]
    _git(where, *git, "rm", "-r", "--cached", "--quiet", "--ignore-unmatch", ".")
    _git(where, *git, "add", "--force", "--pathspec-from-file=-", "--pathspec-file-nul", given=b"\0".join(whole))
    rows = [_row(where, git, piece) for piece in there if piece.size >= 0]
    _git(where, *git, "update-index", "-z", "--index-info", given=b"".join(rows))
    who = ("-c", "user.name=dotagent", "-c", "user.email=dotagent@localhost", "-c", "commit.gpgsign=false")
    if not _git(where, *git, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules").strip():
        return f"{place}: nothing has changed since the last time"
    _git(where, *git, *who, "commit", "--quiet", "--no-verify", "-m", f"backup {times.to_second(times.now())}")
    return f"{place}: {_git(where, *git, 'log', '-1', '--format=%h %s')}, {plural(len(there), 'file')}"


def _row(where: Home, git: tuple[str, ...], piece: archive.Portion) -> bytes:
    """What git's index shall hold of a file that grows: as much of it as belongs to the cut."""
    with disk.reading(where.root / piece.path) as file:
        id = _git(where, *git, "hash-object", "-w", "--stdin", given=file.read(piece.size))
    return f"100644 {id}\t{piece.path}\0".encode()


def _git(where: Home, *words: str, given: bytes = b"") -> str:
    try:
        done = subprocess.run(["git", "--literal-pathspecs", *words], cwd=where.root, input=given, capture_output=True,
                              env=process.no_hook(), check=False)  # fmt: skip
    except FileNotFoundError:
        raise Trouble("git is not there: install it, or back up into a file") from None
    if done.returncode:
        raise Trouble(f"git: {(done.stderr or done.stdout).decode('utf-8', 'replace').strip().split(chr(10))[-1]}")
    return done.stdout.decode("utf-8", "replace").strip()
