"""Look a home over, change nothing: what is well, what to know of, what is damaged and what to do about it.

Without --deep the blobs of each life's last 1,000 events are checked; with it all blobs, and every request is rebuilt.
It works while agents run. Exit status 1 for damage, 0 with warnings only.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from dataclasses import asdict

from dotagent import commands
from dotagent.doctor import Finding, chats, guarded, layout, lives, spool, store, warning
from dotagent.store import home
from dotagent.store.home import Home
from dotagent.text.reference import ID


def arguments(parser: argparse.ArgumentParser) -> None:
    """How much to look at."""
    parser.add_argument("self", nargs="?", help="look at this agent only")
    parser.add_argument("--deep", action="store_true", help="read every blob and rebuild every request")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """A line a finding."""
    where = home.find(asked.home)
    home.require(where)
    wanted = [home.find_life(where, asked.self)] if asked.self else home.lives(where)
    damaged = False
    for finding in _findings(where, wanted, asked.deep, whole=not asked.self):
        damaged = damaged or finding.level == "damage"
        print(json.dumps(asdict(finding), ensure_ascii=False) if asked.json else finding, flush=True)
    return 1 if damaged else 0


def _findings(where: Home, wanted: list[str], deep: bool, whole: bool) -> Iterator[Finding]:
    if whole:
        yield from guarded(layout.look(where))
        if where.chats.is_dir():
            yield from guarded(chats.look(where))
        if where.calls.is_dir():
            yield from guarded(spool.look(where))
        yield from guarded(_strangers(where))
    for self_id in wanted:
        yield from guarded(lives.look(where, self_id, deep))
    if deep and whole and where.blobs.is_dir():
        yield from guarded(store.everything(where))


def _strangers(where: Home) -> Iterator[Finding]:
    """What lies among the agents and is none."""
    for entry in sorted(os.scandir(where.agents), key=lambda entry: entry.name):
        if not ID.fullmatch(entry.name) or not entry.is_dir():
            yield warning("is no agent", f"agents/{entry.name}", "move it away")
        elif not os.path.lexists(os.path.join(entry.path, "LIFE.md")):
            yield warning("was never born: it has no LIFE.md", f"agents/{entry.name}", "remove it")
        elif not os.path.isfile(os.path.join(entry.path, "LIFE.md")):
            yield Finding("damage", "is no file", f"agents/{entry.name}/LIFE.md", "bring it back from a backup")
