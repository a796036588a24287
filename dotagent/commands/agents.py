"""List the agents of a home: who runs, whom each hears, and how old it is."""

from __future__ import annotations

import argparse
import json

from dotagent import commands
from dotagent.store import disk, home, log
from dotagent.text.reference import short


def arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing but the form of the list."""
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """A line an agent."""
    where = home.find(asked.home)
    home.require(where)
    for self_id in home.lives(where):
        path = where.agent(self_id) / "LIFE.md"
        first = next(log.lines(path), None)
        last = next(iter(log.tail(path, 1)), None)
        told = {
            "id": self_id,
            "state": "runs" if disk.is_locked(path) else "sleeps",
            "audience": first.detail if first else "",
            "born": first.at if first else "",
            "last": last.at if last else "",
            "event": last.event if last else "",
            "rooms": sorted(link.stem for link in (where.agent(self_id) / "subs").glob("*.md")),
        }
        if asked.json:
            print(json.dumps(told))
        else:
            words = f"{told['state']:<7}{told['audience']:<18} born {told['born'][:16]}  last {told['last'][:19]}"
            print(f"{short(self_id)}  {words} {told['event']}  rooms {', '.join(told['rooms']) or 'none'}")
    return 0
