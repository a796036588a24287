"""Make the index of a project's events anew from its files."""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.project import index, place
from dotagent.text.sizes import plural


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which project."""
    commands.project_argument(parser)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Say how many events it has."""
    with index.opened(place.find(asked.project), anew=True) as db:
        many = index.size(db)
    commands.tell({"events": many}, f"made anew: {plural(many, 'event')}", asked)
    return 0
