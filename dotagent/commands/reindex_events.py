"""Rebuild the index of a project's events."""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.project import index, place
from dotagent.text.sizes import plural

GROUP = "project"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the project."""
    commands.project_argument(parser)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Rebuild the index, and print its number of events."""
    with index.open_index(place.find(asked.project), anew=True) as db:
        many = index.size(db)
    commands.tell({"events": many}, f"rebuilt the index: {plural(many, 'event')}", asked)
    return 0
