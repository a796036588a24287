"""Compare the people and tools of a project."""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.project import index, place
from dotagent.project.index import Wanted

GROUP = "project"
arguments = commands.events_arguments


def run(asked: argparse.Namespace) -> int:
    """Print one line per actor, most commits first."""
    with index.open_index(place.find(asked.project)) as db:
        found = index.leaders(db, Wanted.of(asked.actor, asked.kind, asked.file, asked.since))
    heads = ("actor", "events", "commits", "files", "days")
    rows = [(dict(zip(heads, one, strict=True)), one) for one in found]
    commands.print_list(asked, "actor >events >commits >files >days", rows, "this project has no events yet")
    return 0
