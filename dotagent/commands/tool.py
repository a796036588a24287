"""Run one of the tools by its name: `tool pattern-extractor` shows what repeats in a project, --write proposes it.

It counts the project's events, without a model: the same commands, failures, files and decisions again. `dream list`
shows what was proposed.
"""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.commands import dream as shown
from dotagent.dreaming import dream, review
from dotagent.project import place
from dotagent.text.sizes import plural

TOOLS = ("pattern-extractor",)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which tool."""
    parser.add_argument("name", metavar="NAME", choices=TOOLS, help=", ".join(TOOLS))
    parser.add_argument("--write", action="store_true", help="propose what is found, instead of only showing it")
    parser.add_argument("--actor", metavar="ACTOR", help="who reviews (default: who works here)")
    commands.project_argument(parser)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Show it, or propose it."""
    project = place.find(asked.project)
    actor = place.actor(project.root, asked.actor or "")
    found = dream.of_project(project, actor, write=False).new
    if asked.write:
        new = review.keep(dream.memories(project, actor), found)
        told = {"found": len(found), "new": [one.id for one in new]}
        commands.tell(told, f"{plural(len(found), 'pattern')}, {len(new)} of them new: `dream list` shows them", asked)
        return 0
    commands.listed(asked, shown.HEADS, map(shown.row, found), "nothing repeats yet", wrap=True)
    return 0
