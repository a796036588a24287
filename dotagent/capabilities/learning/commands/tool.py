"""Run a project tool by name, such as pattern-extractor.

The tool pattern-extractor counts which commands, failures, files and decisions occur again and again in the project's
events. The tool uses no model. With --write, the tool saves proposals, and `dream list` shows them.
"""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.capabilities.learning import dream, review
from dotagent.capabilities.learning.commands import dream as shown
from dotagent.project import place
from dotagent.text.sizes import plural

GROUP = "project"

TOOLS = ("pattern-extractor",)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the tool."""
    parser.add_argument("name", metavar="NAME", choices=TOOLS, help=f"the tool to run: {', '.join(TOOLS)}")
    parser.add_argument(
        "--write", action="store_true", help="save each pattern as a proposal that you can accept or reject"
    )
    parser.add_argument(
        "--actor", metavar="ACTOR", help="whose events to search (default: you, by your name in this project)"
    )
    commands.project_argument(parser)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Run the tool: list its proposals, or save them."""
    project = place.find(asked.project)
    actor = place.actor(project.root, asked.actor or "")
    found = dream.dream_of_project(project, actor, write=False).new
    if asked.write:
        new = review.keep(dream.memories(project, actor), found)
        told = {"found": len(found), "new": [one.id for one in new]}
        commands.tell(
            told,
            f"{plural(len(found), 'action')} that you repeat, {len(new)} of them new: `dream list` shows them",
            asked,
        )
        return 0
    commands.print_list(
        asked, shown.HEADS, map(shown.row, found), "no action repeats often enough yet to propose a pattern", wrap=True
    )
    return 0
