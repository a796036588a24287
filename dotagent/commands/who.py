"""List the people and tools of a project, and their last event."""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.project import index, place
from dotagent.project.index import Wanted
from dotagent.text import times

GROUP = "project"
arguments = commands.events_arguments


def run(asked: argparse.Namespace) -> int:
    """Print one line per actor, most recent first."""
    with index.open_index(place.find(asked.project)) as db:
        found = index.who(db, Wanted.of(asked.actor, asked.kind, asked.file, asked.since))
    rows = list[commands.Row]()
    for one, count in found:
        cells = (one.actor, times.format_stamp(one.ts), one.tool, one.branch, count, one.kind, one.summary)
        rows.append(({**one.__dict__, "events": count}, cells))
    commands.print_list(asked, "actor last tool branch >events kind summary", rows, "this project has no events yet")
    return 0
