"""Make an empty home what a backup holds, checked file by file; all of it, or nothing.

Keys are not in a backup: put them into .env again. What wakes each agent is told.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from dotagent import installed
from dotagent.errors import Misuse, Trouble
from dotagent.store import archive, disk, home
from dotagent.text import escape
from dotagent.text.reference import short
from dotagent.text.sizes import amount, plural


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to bring back."""
    parser.add_argument("file", metavar="FILE", help="what `backup` wrote")


def run(asked: argparse.Namespace) -> int:
    """Restore, and say who is there."""
    where = home.find(asked.home)
    full = [one.name for one in (where.agents, where.blobs, where.chats) if one.is_dir() and any(one.iterdir())]
    if full:
        raise Misuse(f"{where.root} is no empty home, it has {', '.join(full)}: choose another with --home DIR")
    for one in (where.agents, where.blobs, where.chats):
        if one.is_dir():
            one.rmdir()
    path = os.path.expanduser(asked.file)
    try:
        with disk.reading(Path(path).absolute()) as file:
            kept = archive.read(file, where)
    except FileNotFoundError:
        raise Misuse(f"there is no file {escape.one_line(path, 300)}") from None
    except Trouble as wrong:
        raise Trouble(f"{escape.one_line(path, 300)}: {wrong}; nothing was restored") from None
    home.prepare(where)
    print(f"{where.root}: {plural(kept.files, 'file')}, {amount(kept.size)}, each as it was")
    for self_id in home.lives(where):
        print(f"  agent {short(self_id)}: {installed.typed('agent')} {short(self_id)} --home {where.root}")
    return 0
