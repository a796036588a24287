"""Count what was done in a project, by day, actor and kind."""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.project import index, place
from dotagent.project.index import Wanted


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which events count."""
    commands.events_arguments(parser)


def run(asked: argparse.Namespace) -> int:
    """A line a day, actor and kind, the newest day first."""
    with index.opened(place.find(asked.project)) as db:
        found = index.activity(db, Wanted.of(asked.actor, asked.kind, asked.file, asked.since))
    heads = ("day", "actor", "kind", "events")
    rows = [(dict(zip(heads, one, strict=True)), one) for one in found]
    commands.listed(asked, "day actor kind >events", rows, "nothing happened yet")
    return 0
