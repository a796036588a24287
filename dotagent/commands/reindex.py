"""Index a project anew: its events, and a pointer card for each page below docs/, with what it is about."""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.project import index, place, sources
from dotagent.text.sizes import plural


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which project."""
    commands.project_argument(parser)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Name each page whose card changed."""
    project = place.find(asked.project)
    changed = list(sources.index(project))
    for name in changed:
        commands.tell({"changed": name}, f"indexed {name}", asked)
    with index.opened(project, anew=True) as db:
        many = index.size(db)
    pages = len(sources.listed(project))
    told = {"pages": pages, "changed": len(changed), "events": many}
    words = f"{plural(pages, 'page')} of docs/, {len(changed)} changed; made anew: {plural(many, 'event')}"
    commands.tell(told, words, asked)
    return 0
