"""Write what a project remembers into its CLAUDE.md and AGENTS.md, between two marks; the rest of them stays."""

from __future__ import annotations

import argparse

from dotagent import commands, context
from dotagent.project import place, render


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which project, for whom."""
    parser.add_argument("--actor", metavar="ACTOR", help="for this actor (default: who works here)")
    commands.project_argument(parser)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Name each file that changed."""
    root = place.find(asked.project).root
    changed = list(render.write(root, context.build(str(root), asked.actor or "")))
    for name in changed:
        commands.tell({"changed": name}, f"wrote {name}", asked)
    if not changed:
        commands.tell({"changed": None}, "nothing to change", asked)
    return 0
