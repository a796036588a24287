"""Count a project's events by day, person and kind."""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.project import index, place
from dotagent.project.index import Wanted

GROUP = "project"
arguments = commands.events_arguments


def run(asked: argparse.Namespace) -> int:
    """Print one line per day, actor and kind, newest day first."""
    with index.open_index(place.find(asked.project)) as db:
        found = index.activity(db, Wanted.of(asked.actor, asked.kind, asked.file, asked.since))
    heads = ("day", "actor", "kind", "events")
    rows = [(dict(zip(heads, one, strict=True)), one) for one in found]
    commands.print_list(asked, "day actor kind >events", rows, "this project has no events yet")
    return 0
