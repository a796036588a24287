"""Look a home over, change nothing: what is well, what to know of, what is damaged and what to do about it.

Without --deep the blobs of each life's last 1,000 events are checked; with it all blobs, and every request is rebuilt.
It works while agents run. Exit status 1 for damage, 0 with warnings only.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict

from dotagent import commands
from dotagent.doctor import Finding, blobs, calls, guarded, lives, rooms
from dotagent.doctor.home import directories, prompts, secrets, settings, space
from dotagent.store import home
from dotagent.store.home import Home


def arguments(parser: argparse.ArgumentParser) -> None:
    """How much to look at."""
    commands.life_argument(parser, "look at this agent only")
    parser.add_argument("--deep", action="store_true", help="read every blob and rebuild every request")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """A line a finding."""
    where = commands.home_of(asked)
    if asked.self or asked.last:
        checks = iter([lives.life(where, commands.life_of(asked, where), asked.deep)])
    else:
        checks = _of_home(where, asked.deep)
    damaged = False
    for finding in (finding for check in checks for finding in guarded(check)):
        damaged = damaged or finding.level == "damage"
        commands.show(asdict(finding), str(finding), asked)
    return int(damaged)


def _of_home(where: Home, deep: bool) -> Iterator[Iterator[Finding]]:
    whole = (directories, prompts, settings, secrets, space, rooms.rooms, calls.calls, calls.providers, lives.strangers)
    yield from (check(where) for check in whole)
    yield from (lives.life(where, self_id, deep) for self_id in home.lives(where))
    if deep:
        yield blobs.every(where)
