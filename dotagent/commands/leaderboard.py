"""Compare what actors did in a project: events, commits, files, days."""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.project import index, place
from dotagent.project.index import Wanted


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which events count."""
    commands.events_arguments(parser)


def run(asked: argparse.Namespace) -> int:
    """A line an actor, who committed most first."""
    with index.opened(place.find(asked.project)) as db:
        found = index.leaders(db, Wanted.of(asked.actor, asked.kind, asked.file, asked.since))
    heads = ("actor", "events", "commits", "files", "days")
    rows = [(dict(zip(heads, one, strict=True)), one) for one in found]
    commands.listed(asked, "actor >events >commits >files >days", rows, "nobody has done anything yet")
    return 0
