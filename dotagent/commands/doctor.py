"""Check for problems, and say how to fix them.

You can run the command while agents run. For each agent, the command checks the last 1,000 events (lines of LIFE.md),
the events since a summary last replaced old entries, and the files with the texts of these events (blobs). With --deep,
the command checks every event and every blob, rebuilds every request to a model, and finds lines of notes with the
words of others that an earlier version of dotagent wrote without a mark.

The exit status is 1 if something is damaged, and 0 if there are only warnings. Anything that stops an agent from
answering counts as damage, too: a chosen provider without a key, a bridge without a token, or an unreadable .env. With
--fix, the command first repairs each problem that has only one safe fix: wrong file modes, missing directories and
prompts, missing marks before lines of notes, leftovers in calls/, and caches.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

from dotagent import commands, contract
from dotagent.doctor import Finding, blobs, calls, guarded, lives, plugins, repairs, rooms, skills
from dotagent.doctor.home import commands as hands
from dotagent.doctor.home import directories, prompts, secrets, settings, space, writable
from dotagent.doctor.requirements import answering, bridges, named
from dotagent.store import home
from dotagent.store.home import Home
from dotagent.text.lazy import asdict
from dotagent.text.reference import short
from dotagent.text.sizes import plural

GROUP = "repair"

SHOWN = {"life": "agent", "calls": "requests", "clock": "scheduler"}  # words for people; --json keeps the names


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add --deep, --fix and --json."""
    commands.life_argument(parser, "check this agent only")
    parser.add_argument(
        "--deep", action="store_true", help="check thoroughly: read every event and blob (slow, changes nothing)"
    )
    parser.add_argument(
        "--fix",
        action="store_true",
        help="before the check, repair problems that have one safe fix, and list the repairs",
    )
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Print one line per finding."""
    where = commands.home_of(asked)
    if asked.self or asked.last:
        self_id = commands.life_of(asked, where)
        checks = iter([(f"agent {short(self_id)}", lives.life(where, self_id, asked.deep))])
    else:
        checks = _home_checks(where, asked.deep)
    if asked.fix:
        for done in (done for mend in repairs.EVERY for done in mend(where)):
            commands.tell({"check": "fix", "level": "mended", "what": done}, f"fixed: {done}", asked)
    levels = Counter[str]()
    for name, finding in ((name, finding) for name, check in checks for finding in _findings(check)):
        levels[finding.level] += 1
        kind, _, which = name.partition(" ")
        shown = f": {SHOWN.get(kind, kind)}{' ' * bool(which)}{which}: "
        commands.tell({"check": name, **asdict(finding)}, str(finding).replace(": ", shown, 1), asked)
    if not asked.json:
        print(_sum(levels))
    return int(levels["damage"] > 0)


def _sum(levels: Counter[str]) -> str:
    if not levels["damage"] and not levels["warning"]:
        return f"\nno problems found in {plural(levels.total(), 'check')}"
    mend = "the fix is at the end of each line" if levels["damage"] else "nothing is damaged"
    return f"\n{levels['damage']:,} damaged, {plural(levels['warning'], 'warning')}, {levels['ok']:,} fine; {mend}"


def _findings(check: Iterator[Finding]) -> Iterator[Finding]:
    """Yield the findings of a check, or `ok` if it had nothing to check."""
    count = 0
    for count, finding in enumerate(guarded(check), 1):  # noqa: B007 it is told whether there was one
        yield finding
    if not count:
        yield Finding("ok", "nothing to check", "")


def _home_checks(where: Home, deep: bool) -> Iterator[tuple[str, Iterator[Finding]]]:
    """Yield the checks with their names, also those of capabilities that the settings turn off, because their files
    remain."""
    capabilities = [check for one in contract.find_all().values() if one.checks for check in one.checks()]
    whole = (directories, prompts, settings, secrets, hands, answering, bridges, named, writable, space,
             rooms.rooms, calls.calls, calls.providers, lives.strangers, *capabilities,
             blobs.forgotten, plugins.plugins, skills.skills)  # fmt: skip
    yield from ((check.__name__, check(where)) for check in whole)
    yield from ((f"agent {short(self_id)}", lives.life(where, self_id, deep)) for self_id in home.lives(where))
    if deep:
        yield "blobs", blobs.every(where)
