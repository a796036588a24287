"""Move old blobs into a few compressed files.

A blob is a file in blobs/ with one text that an agent read or wrote, such as a message. After years, there are very
many of these small files. This command moves the blobs that are older than a day into a few pack files in
blobs/packs/. Agents may run during the command. You lose no text: agents, `forget`, `doctor` and backups also read
the pack files. To read a packed blob, run `blob ID`. With --undo, the command writes each packed blob into a separate
file again.
"""

from __future__ import annotations

import argparse
import time

from dotagent import commands
from dotagent.erasure import ledger
from dotagent.errors import Misuse, Trouble
from dotagent.store import disk, pack_writer
from dotagent.text.sizes import amount, plural

GROUP = "repair"
DAY = 86_400  # seconds


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the age and the way back."""
    told = "pack only blobs that are older than DAYS days (default: 1)"
    parser.add_argument("--older-than", type=float, metavar="DAYS", help=told)
    parser.add_argument("--undo", action="store_true", help="write each blob (stored text) into a separate file again")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(asked: argparse.Namespace) -> int:
    """Pack, or undo it, and print what was done."""
    where = commands.home_of(asked)
    if asked.undo and asked.older_than is not None:
        raise Misuse("--older-than does not work with --undo, which unpacks all blobs")
    days = 1.0 if asked.older_than is None else asked.older_than
    if not 0 <= days < 1_000_000:
        raise Misuse("--older-than must be a number of days, e.g. 30; 0 packs every blob")
    if not where.blobs.is_dir():
        raise Misuse(f"the directory {where.blobs} does not exist, so there is no blob to pack or unpack")
    with disk.locked_dir(where.blobs):
        if ledger.is_unfinished(where):
            raise Trouble("nothing was packed: a permanent deletion is not finished; start an agent, which finishes it")
        if asked.undo:
            many = pack_writer.undo(where.blobs)
            commands.tell(
                {"unpacked": many},
                f"unpacked {plural(many, 'blob')}; each blob is in a separate file again",
                asked,
            )
            return 0
        done = pack_writer.write(where.blobs, pack_writer.loose(where.blobs, time.time() - days * DAY))
    told = {"packed": done.blobs, "bytes": done.size, "packs": done.packed}
    words = "no blob is old enough to pack"
    if done.blobs:
        words = f"packed {plural(done.blobs, 'blob')} of {amount(done.size)} into {amount(done.packed)}"
    commands.tell(told, words, asked)
    return 0
