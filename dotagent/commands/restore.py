"""Make an empty home what a backup holds, checked file by file; all of it, or nothing.

Keys are not in a backup: put them into .env again. What wakes each agent is told. What was forgotten for good since the
backup, by this home's forgotten/record.jsonl, does not come back.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from dotagent import installed
from dotagent.errors import Misuse, Trouble
from dotagent.forgetting import again
from dotagent.store import archive, disk, home
from dotagent.text import escape
from dotagent.text.reference import short
from dotagent.text.sizes import amount, plural


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to bring back."""
    parser.add_argument("file", metavar="FILE", help="what `backup` wrote")
    told = "also keep forgotten what another home's forgotten/record.jsonl says"
    parser.add_argument("--forgotten", metavar="FILE", help=told)


def run(asked: argparse.Namespace) -> int:
    """Restore, and say who is there."""
    where = home.find(asked.home)
    full = [one.name for one in (where.agents, where.blobs, where.chats) if one.is_dir() and any(one.iterdir())]
    if full:
        raise Misuse(f"{where.root} is no empty home, it has {', '.join(full)}: choose another with --home DIR")
    for one in (where.agents, where.blobs, where.chats):
        if one.is_dir():
            one.rmdir()
    path, gone = os.path.expanduser(asked.file), list[tuple[int, str]]()
    other = _record(asked.forgotten) if asked.forgotten else b""
    try:
        with disk.reading(Path(path).absolute()) as file:
            kept = archive.read(file, where, lambda there: gone.append(again.forget(there, where.root, other)))
    except FileNotFoundError:
        raise Misuse(f"there is no file {escape.one_line(path, 300)}") from None
    except Trouble as wrong:
        raise Trouble(f"{escape.one_line(path, 300)}: {wrong}; nothing was restored") from None
    home.prepare(where)
    print(f"{where.root}: {plural(kept.files, 'file')}, {amount(kept.size)}, each as it was")
    sentences, day = gone[0]
    if sentences:
        print(f"but {plural(sentences, 'sentence')} that was forgotten for good since stays so")
    if day:
        print(f"but what is older than {day} stays gone, by the record of what went by its age")
    for self_id in home.lives(where):
        print(f"  agent {short(self_id)}: {installed.typed('agent')} {short(self_id)}{where.flag}")
    return 0


def _record(path: str) -> bytes:
    """Another home's record. Raises Misuse."""
    try:
        return disk.read(Path(os.path.expanduser(path)), follow=True)
    except OSError as error:
        raise Misuse(f"--forgotten {escape.one_line(path, 300)}: {error.strerror}") from None
