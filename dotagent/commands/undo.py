"""Restore an earlier copy of an agent's directory files/.

After an agent has read text from others, dotagent copies the agent's directory `files/` before each command of the
agent and before each change of a file, and keeps the last copies. Without a number, this command lists the copies. With
the number of a copy, the command restores each file of this copy that has changed or is missing.
"""

from __future__ import annotations

import argparse
import re
from datetime import UTC, datetime

from dotagent import commands
from dotagent.errors import Misuse
from dotagent.store import undo
from dotagent.text import escape, times
from dotagent.text.reference import short
from dotagent.text.sizes import plural

GROUP = "inside"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the agent and the copy."""
    commands.life_argument(parser)
    parser.add_argument("number", nargs="?", help="the copy to restore (default: list the copies)")


def run(asked: argparse.Namespace) -> int:
    """List the copies, or restore one."""
    where = commands.home_of(asked)
    short_number = re.fullmatch("[0-9]{1,3}", asked.self or "")  # no one means an agent by so few digits
    if asked.self and not asked.number and (short_number or not commands.first_is_life(asked, where)):
        asked.self, asked.number = None, asked.self
    self_id = commands.life_of(asked, where)
    path = where.agent(self_id)
    there = undo.numbers(path)
    if asked.number is None:
        for number in there:
            made = datetime.fromtimestamp((path / undo.FOLDER / str(number)).stat().st_mtime, UTC)
            at = times.format_stamp(times.make_stamp(made), 19).replace("T", " ")
            names = undo.changed(path, number)
            told = ", ".join(escape.row(one) for one in names[:5]) + (" …" if len(names) > 5 else "")
            print(f"{number:>4}  {at}  {told or 'nothing changed since'}")
        if not there:
            print(
                f"no copy of the files/ of agent {short(self_id)} exists; dotagent makes copies after the agent has "
                "read text from others, such as a web page"
            )
        return 0
    if asked.number not in map(str, there):
        known = ", ".join(map(str, there)) or "none"
        raise Misuse(
            f"agent {short(self_id)} has no copy {escape.row(asked.number)[:20]} of its files/; the copies are: {known}"
        )
    names = undo.back(path, int(asked.number))
    for name in names:
        print(f"files/{escape.row(name)}")
    print(
        f"restored {plural(len(names), 'file')} of agent {short(self_id)}; files that are not in the copy are unchanged"
    )
    return 0
