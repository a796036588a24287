"""Write a project's memory into its CLAUDE.md and AGENTS.md."""

from __future__ import annotations

import argparse

from dotagent import commands, context
from dotagent.project import place, render

GROUP = "project"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the project and the actor."""
    parser.add_argument(
        "--actor",
        metavar="ACTOR",
        help="the person or tool to write the memory for (default: you, by your name in this project)",
    )
    commands.project_argument(parser)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Write both files, and print the name of each that changed."""
    root = place.find(asked.project).root
    changed = False
    for name in render.write(root, context.build(str(root), asked.actor or "")):
        changed = True
        commands.tell({"changed": name}, f"wrote {name}", asked)
    if not changed:
        commands.tell({"changed": None}, "the files already contain the current memory, so nothing was written", asked)
    return 0
