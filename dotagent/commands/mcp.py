"""Serve rooms and the memory of agents to another agent, by the Model Context Protocol on stdin and stdout.

Claude Code, Codex or an editor starts it; docs/mcp.md has what to write where, and what each may see. It reaches the
rooms of one audience, and what the agents born for it ever heard, and nothing else. Words that it says stand in rooms
as those of another agent; with --as-person as its person's, who then answers for them.
"""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.offered import offer


def arguments(parser: argparse.ArgumentParser) -> None:
    """For whom, and as whom."""
    parser.add_argument(
        "--audience", required=True, metavar="WHO", help='private, "private NAME" or group: whose rooms'
    )
    parser.add_argument("--name", default="mcp", metavar="NAME", help="what the other agent is called (default: mcp)")
    parser.add_argument("--as-person", action="store_true", help="what it says counts as the person's own words")


def run(asked: argparse.Namespace) -> int:
    """Serve until the other end leaves."""
    offered = offer.of(commands.home_of(asked), asked.audience, asked.name, asked.as_person)
    commands.alone("mcp")
    from dotagent.offered import serve  # which takes half a second to load

    serve.run(offered)
    return 0
