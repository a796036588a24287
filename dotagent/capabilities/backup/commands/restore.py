"""Restore a backup into an empty or an existing directory.

The command first compares: if the directory has a file of the backup with other content, the command names the file
and restores nothing. `--existing keep` keeps such files, and `--existing replace` replaces them. At the end, the
command reads every restored file again and says how many are the same as in the backup.

Settings, hooks, jobs, plug-ins, tool packs and skills can make an agent act without asking you. So if the backup
contains any of these, the command lists them and asks you. Until you agree, they stay in the folder set-aside/, and
dotagent does not use them. Without a terminal no one can agree, so give `--yes`, or the command ends with status 1. A
backup contains no keys, so put your keys into .env again. If you permanently deleted something after the backup, it
stays deleted, as long as forgotten/record.jsonl in dotagent's data directory lists it.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from dotagent import installed
from dotagent.answers import agreed
from dotagent.capabilities.backup import merging, restore_review
from dotagent.erasure import backups
from dotagent.errors import Misuse, Trouble
from dotagent.store import disk, home, lives
from dotagent.text import escape
from dotagent.text.reference import short
from dotagent.text.sizes import amount, plural

GROUP = "repair"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the backup and options."""
    parser.add_argument("file", metavar="FILE", help="a file that `backup` wrote")
    told = "leave out the texts that FILE, the forgotten/record.jsonl of another data directory, lists as deleted"
    parser.add_argument("--forgotten", metavar="FILE", help=told)
    parser.add_argument(
        "--existing",
        choices=merging.CHOICES,
        help="what to do if a file exists with other content (default: refuse to restore anything)",
    )
    parser.add_argument(
        "--yes", action="store_true", help="use the backup's settings, hooks, jobs and plug-ins without asking"
    )


def run(asked: argparse.Namespace) -> int:
    """Restore the backup, and list the agents."""
    where = home.find(asked.home)
    path, gone = os.path.expanduser(asked.file), list[tuple[int, str]]()
    if not os.path.exists(path):
        raise Misuse(f"there is no file {escape.one_line(path, 300)}")
    _check_home(where, asked.existing)
    other = _record(asked.forgotten) if asked.forgotten else b""
    waits = list[str]()

    def look(there: home.Home) -> None:
        gone.append(backups.forget(there, where.root, other))
        waits.extend(_agree(there, where, yes=asked.yes))

    try:
        with disk.reading(Path(path).absolute()) as file:
            kept = merging.read(file, where, look, asked.existing or merging.REFUSE)
    except disk.NoFile as error:
        if error.filename != str(Path(path).absolute()):
            raise
        raise Misuse(f"{escape.one_line(path, 300)}: {error.strerror}; name a file that `backup` wrote") from None
    except Trouble as wrong:
        raise type(wrong)(f"{escape.one_line(path, 300)}: {wrong}; nothing was restored") from None
    home.prepare(where)
    print(
        f"restored {plural(kept.files, 'file')} ({amount(kept.size)}) into {where.root}, and compared each "
        "file with the backup"
    )
    for what, paths in (("kept unchanged", kept.kept), ("replaced", kept.replaced), ("differs", kept.wrong)):
        for path in paths:
            print(f"  {what}: {escape.one_line(path, 300)}")
    sentences, day = gone[0]
    if sentences:
        print(f"removed {plural(sentences, 'sentence')} again, because you had permanently deleted them before")
    if day:
        print(f"removed everything before {day} again, because your settings do not keep it for so long")
    if waits:
        print(
            f"dotagent does not use these yet: {', '.join(waits)}; to use them, move them from "
            f"{where.root / restore_review.ASIDE} to {where.root}"
        )
    for self_id in home.lives(where):
        print(f"  agent {short(self_id)}: {installed.program('agent')} {short(self_id)}{where.flag}")
    return 1 if kept.wrong or (waits and not sys.stdin.isatty()) else 0


def _check_home(where: home.Home, choice: str | None) -> None:
    """Raise Misuse if the directory has agents and no one chose the treatment of other files, or if an agent runs."""
    there = home.lives(where)
    if there and not choice:
        full = [one.name for one in (where.agents, where.blobs, where.chats) if one.is_dir() and any(one.iterdir())]
        raise Misuse(
            f"{where.root} already contains {', '.join(full)}; choose another directory with --home DIR, or "
            "add --existing keep to keep files with other content, or --existing replace to replace them"
        )
    if runs := next((one for one in there if lives.runs(where, one)), ""):
        how = f"press Ctrl-C in its terminal, or run `kill {lives.pid(where, runs)}`"
        how = f"run `{installed.program('down')}`" if lives.is_supervised(where) else how
        raise Misuse(f"agent {short(runs)} is running in {where.root}; stop it first: {how}")


def _agree(there: home.Home, where: home.Home, *, yes: bool) -> list[str]:
    """List the parts that act without a person, and ask. Return the places that were set aside after a no."""
    if not (lines := list(restore_review.inactive_parts(there))):
        return []
    print(f"the backup contains {plural(len(lines), 'part')} that can make an agent act without asking you:")
    for line in lines:
        print(f"  {line}")
    if yes or (
        sys.stdin.isatty()
        and agreed(
            f"Use these parts in {where.root}? If not, they are put into {restore_review.ASIDE}/ and ignored.",
            "",
        )
    ):
        return []
    found = list(restore_review.places(there))
    restore_review.set_aside(there)
    return found


def _record(path: str) -> bytes:
    """Return the record of another home. Raise Misuse."""
    try:
        return disk.read(Path(os.path.expanduser(path)), follow=True)
    except OSError as error:
        raise Misuse(f"--forgotten {escape.one_line(path, 300)}: {error.strerror}") from None
