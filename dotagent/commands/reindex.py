"""Rebuild a project's search index of its events and docs/."""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.project import index, place, sources
from dotagent.text.sizes import plural

GROUP = "project"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the project."""
    commands.project_argument(parser)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Rebuild both, and print each page whose card changed."""
    project = place.find(asked.project)
    changed = list(sources.index(project))
    for name in changed:
        commands.tell({"changed": name}, f"indexed {name}", asked)
    with index.open_index(project, anew=True) as db:
        many = index.size(db)
    pages = len(sources.list_cards(project))
    told = {"pages": pages, "changed": len(changed), "events": many}
    words = f"read {plural(pages, 'page')} of docs/ ({len(changed)} changed), and indexed {plural(many, 'event')}"
    commands.tell(told, words, asked)
    return 0
