"""List who works in a project: each actor's last event, and how many there are."""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.project import index, place
from dotagent.project.index import Wanted


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which events count."""
    commands.events_arguments(parser)


def run(asked: argparse.Namespace) -> int:
    """A line an actor, who was here last first."""
    with index.opened(place.find(asked.project)) as db:
        found = index.who(db, Wanted.of(asked.actor, asked.kind, asked.file, asked.since))
    rows = list[commands.Row]()
    for one, count in found:
        cells = (one.actor, one.ts[:16], one.tool, one.branch, count, one.kind, one.summary)
        rows.append(({**one.__dict__, "events": count}, cells))
    commands.listed(asked, "actor last tool branch >events kind summary", rows, "nobody has done anything yet")
    return 0
