"""Back up all data to a file, or with --git to a repository.

A backup contains everything in the data directory except secrets (.env), waiting model requests (calls/) and caches. So
keep a backup as private as the data directory. `restore` brings the files back.

With --git, the command commits the same files into the repository backup.git in the data directory. You decide where to
push this repository (git --git-dir DIR/backup.git remote add …). --no-daily-logs leaves the agents' daily notes
(memory/DAY.md) out of the commit. Earlier commits still contain the daily notes, and rooms and LIFE.md still contain
the conversations.
"""

from __future__ import annotations

import argparse
import os
import subprocess
from pathlib import Path

from dotagent import commands
from dotagent.capabilities.backup import archive
from dotagent.errors import Misuse, Trouble
from dotagent.store import child_processes, disk
from dotagent.store.home import Home
from dotagent.text import escape, times
from dotagent.text.sizes import amount, plural

GROUP = "repair"
LOCKED = ("index", "HEAD")  # files of the repository that a backup changes


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the destination."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="the file to write, e.g. dotagent.tar.zst")
    parser.add_argument(
        "--git", action="store_true", help="write the backup as a git commit into backup.git in the data directory"
    )
    parser.add_argument("--no-daily-logs", action="store_true", help="with --git: leave the daily notes out")


def run(asked: argparse.Namespace) -> int:
    """Write the backup, and print a summary."""
    where = commands.home_of(asked)
    if asked.file and asked.git:
        raise Misuse(
            f"--git writes into backup.git in the data directory, not into a file: leave out --git or {asked.file}"
        )
    if not (asked.file or asked.git):
        raise Misuse("no destination: use `backup FILE` or `backup --git`")
    if asked.no_daily_logs and not asked.git:
        raise Misuse("--no-daily-logs works only with --git; a backup file always contains everything")
    if asked.git:
        print(_commit(where, asked.no_daily_logs))
        return 0
    path = Path(os.path.expanduser(asked.file)).absolute()
    if path.exists():
        raise Misuse(f"{path} already exists; choose another file name")
    if not path.parent.is_dir():
        raise Misuse(f"{path.parent} is not a directory")
    aside = path.with_name(f".new-{path.name}")
    try:
        fd = _open_aside(aside, path)
        with disk.naming(path), os.fdopen(fd, "wb") as out:
            kept = archive.write(where, out)
            out.flush()
            os.fsync(out.fileno())
        disk.move(aside, path)
        disk.sync_dir(path.parent)
    finally:
        disk.remove(aside)
    size = path.stat().st_size
    print(
        f"{path} contains {plural(kept.files, 'file')}: {amount(kept.size)}, compressed to {amount(size)}; "
        "the backup contains no secrets and no waiting requests"
    )
    for one in kept.strange:
        print(f"left out, because it is not a regular file: {escape.one_line(one, 300)}")
    return 0


def _open_aside(aside: Path, path: Path) -> int:
    """Open the file that becomes the backup. Raise OSError with the name that the person gave."""
    try:
        return disk.open_file(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None


def _commit(where: Home, no_daily_logs: bool) -> str:
    """Commit the home's files, and return the result in words. Raise Trouble."""
    place = where.root / "backup.git"
    if not (made := place / "info" / "attributes").exists():  # also where a full disk left half of it
        _git(where, "init", "--quiet", "--bare", str(place))
        disk.replace(made, b"* -text\n")
    with disk.locked_dir(place):
        heads = (place / "refs" / "heads" / name for name in disk.names(place / "refs" / "heads", ".lock"))
        for left in (place / "index", *(place / f"{name}.lock" for name in LOCKED), *heads):
            disk.remove(left)  # each backup writes a new index; git that was killed leaves locks
        return _commit_all(where, place, no_daily_logs)


def _commit_all(where: Home, place: Path, no_daily_logs: bool) -> str:
    git = ("--git-dir", str(place), "--work-tree", str(where.root), "-c", "core.bare=false")
    there = [piece for piece in archive.cut(where) if not piece.link or archive.is_room_link(piece.path, piece.link)]
    if no_daily_logs:
        there = [piece for piece in there if not archive.DAILY.fullmatch(piece.path)]
    whole = [os.fsencode(piece.path) for piece in there if piece.size < 0 and os.path.lexists(where.root / piece.path)]
    _git(where, *git, "add", "--force", "--pathspec-from-file=-", "--pathspec-file-nul", given=b"\0".join(whole))
    rows = [_row(where, git, piece) for piece in there if piece.size >= 0]
    _git(where, *git, "update-index", "-z", "--index-info", given=b"".join(rows))
    who = ("-c", "user.name=dotagent", "-c", "user.email=dotagent@localhost", "-c", "commit.gpgsign=false")
    if not _git(where, *git, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules").strip():
        return f"{place}: nothing has changed since the last backup"
    _git(where, *git, *who, "commit", "--quiet", "--no-verify", "-m", f"backup {times.to_second(times.now())}")
    return f"{place}: {_git(where, *git, 'log', '-1', '--format=%h %s')}, {plural(len(there), 'file')}"


def _row(where: Home, git: tuple[str, ...], piece: archive.Portion) -> bytes:
    """Return the line of git's index for a growing file: only its part up to the cut."""
    with disk.reading(where.root / piece.path) as file:
        id = _git(where, *git, "hash-object", "-w", "--stdin", given=file.read(piece.size))
    return f"100644 {id}\t".encode() + os.fsencode(piece.path) + b"\0"


def _git(where: Home, *words: str, given: bytes = b"") -> str:
    try:
        done = subprocess.run(["git", "--literal-pathspecs", *words], cwd=where.root, input=given, capture_output=True,
                              env=child_processes.no_hook(), check=False)  # fmt: skip
    except FileNotFoundError:
        raise Trouble("git is not installed; install it, or back up to a file instead") from None
    if done.returncode:
        lines = (done.stderr or done.stdout).decode("utf-8", "replace").strip().split("\n")
        why = next((one for one in lines if one.startswith(("fatal: ", "error: "))), lines[-1])
        raise Trouble(
            f"git: {why}; if the repository is damaged, move {where.root / 'backup.git'} away and repeat the backup, "
            "which then creates a new repository"
        )
    return done.stdout.decode("utf-8", "replace").strip()
