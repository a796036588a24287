"""List a project's events in order."""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.project import index, place
from dotagent.project.index import Wanted
from dotagent.text import times

GROUP = "project"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the filters of events, and the number of last events."""
    commands.events_arguments(parser, 50)


def run(asked: argparse.Namespace) -> int:
    """Print one line per event."""
    return show(asked, newest=False)


def show(asked: argparse.Namespace, *, newest: bool) -> int:
    """List the last matching events, oldest or newest first."""
    with index.open_index(place.find(asked.project)) as db:
        wanted = Wanted.of(asked.actor, asked.kind, asked.file, asked.since)
        found = index.events(db, wanted, max(1, asked.n), newest=newest)
    rows = [(one.__dict__, (times.format_stamp(one.ts), one.actor, one.kind, one.tool, one.summary)) for one in found]
    commands.print_list(asked, "at actor kind tool summary", rows, "this project has no events yet", wrap=True)
    return 0
