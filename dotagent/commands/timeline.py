"""Tell what happened in a project, in order."""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.project import index, place
from dotagent.project.index import Wanted


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which events, and how many of the last."""
    commands.events_arguments(parser, 50)


def run(asked: argparse.Namespace) -> int:
    """A line an event."""
    return show(asked, newest=False)


def show(asked: argparse.Namespace, *, newest: bool) -> int:
    """List the last events that are asked for, in order or the newest first."""
    with index.opened(place.find(asked.project)) as db:
        wanted = Wanted.of(asked.actor, asked.kind, asked.file, asked.since)
        found = index.events(db, wanted, max(1, asked.n), newest=newest)
    rows = [(one.__dict__, (one.ts[:16], one.actor, one.kind, one.tool, one.summary)) for one in found]
    commands.listed(asked, "at actor kind tool summary", rows, "nothing happened yet", wrap=True)
    return 0
