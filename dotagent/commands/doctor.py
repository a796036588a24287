"""Look a home over, change nothing: what is well, what to know of, what is damaged and what to do about it.

Without --deep the blobs of each life's last 1,000 events are checked; with it all blobs, and every request is rebuilt.
It works while agents run. Exit status 1 for damage, 0 with warnings only. With --fix it first mends what can be mended
in one way only and without touching the record: modes, seeded files, leftovers of the spool, caches.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

from dotagent import commands
from dotagent.doctor import Finding, blobs, calls, clock, guarded, lives, mending, plugins, rooms, skills, toolpacks
from dotagent.doctor.asked import answering, bridges, named
from dotagent.doctor.home import commands as hands
from dotagent.doctor.home import directories, prompts, secrets, settings, space
from dotagent.store import home
from dotagent.store.home import Home
from dotagent.text.reference import short
from dotagent.text.sizes import plural


def arguments(parser: argparse.ArgumentParser) -> None:
    """How much to look at."""
    commands.life_argument(parser, "look at this agent only")
    parser.add_argument("--deep", action="store_true", help="read every blob and rebuild every request")
    parser.add_argument("--fix", action="store_true", help="first mend what can be mended safely, and say what")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """A line a finding."""
    where = commands.home_of(asked)
    if asked.self or asked.last:
        self_id = commands.life_of(asked, where)
        checks = iter([(f"life {short(self_id)}", lives.life(where, self_id, asked.deep))])
    else:
        checks = _of_home(where, asked.deep)
    if asked.fix:
        for done in (done for mend in mending.EVERY for done in mend(where)):
            commands.tell({"check": "fix", "level": "mended", "what": done}, f"mended: {done}", asked)
    levels = Counter[str]()
    for name, finding in ((name, finding) for name, check in checks for finding in _findings(check)):
        levels[finding.level] += 1
        commands.tell({"check": name, **asdict(finding)}, str(finding).replace(": ", f": {name}: ", 1), asked)
    if not asked.json:
        print(_sum(levels))
    return int(levels["damage"] > 0)


def _sum(levels: Counter[str]) -> str:
    """What was found, in a line."""
    if not levels["damage"] and not levels["warning"]:
        return f"\nall is well: {plural(levels.total(), 'thing')} looked at"
    mend = "what to do stands last on each line" if levels["damage"] else "nothing is lost"
    return f"\n{levels['damage']:,} damaged, {plural(levels['warning'], 'warning')}, {levels['ok']:,} well: {mend}"


def _findings(check: Iterator[Finding]) -> Iterator[Finding]:
    """What a check found; one that found nothing to look at is well, too."""
    count = 0
    for count, finding in enumerate(guarded(check), 1):  # noqa: B007 it is told whether there was one
        yield finding
    if not count:
        yield Finding("ok", "nothing to look at", "")


def _of_home(where: Home, deep: bool) -> Iterator[tuple[str, Iterator[Finding]]]:
    """The checks, each under its name."""
    whole = (directories, prompts, settings, secrets, hands, answering, bridges, named, space, rooms.rooms,
             calls.calls, calls.providers, lives.strangers, clock.clock, clock.waiting,
             blobs.forgotten, plugins.plugins, skills.skills, toolpacks.toolpacks)  # fmt: skip
    yield from ((check.__name__, check(where)) for check in whole)
    yield from ((f"life {short(self_id)}", lives.life(where, self_id, deep)) for self_id in home.lives(where))
    if deep:
        yield "blobs", blobs.every(where)
