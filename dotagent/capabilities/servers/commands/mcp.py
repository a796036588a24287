"""Offer rooms and memory to other agents (MCP server).

Claude Code, Codex or an editor starts this command, so that another AI agent can talk with yours. docs/mcp.md shows the
settings of these programs, and says what the other agent may see. The other agent reaches only the rooms of one
audience, and the memory of the agents of that audience. The other agent's messages appear in the rooms as messages of
an agent. With --as-person, these messages count as your own messages, and you are responsible for them.
"""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.capabilities.servers import offer

GROUP = "setup"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the audience, and the name of the other agent."""
    told = 'the rooms that the other agent can see: private (yours), "private NAME" (NAME\'s) or group'
    parser.add_argument("--audience", required=True, metavar="WHO", help=told)
    parser.add_argument("--name", default="mcp", metavar="NAME", help="the other agent's name in rooms (default: mcp)")
    parser.add_argument(
        "--as-person", action="store_true", help="treat the other agent's messages as the owner's own words"
    )


def run(asked: argparse.Namespace) -> int:
    """Serve until the other program ends the connection."""
    offered = offer.make_outlook(commands.home_of(asked), asked.audience, asked.name, asked.as_person)
    commands.alone("mcp")
    from dotagent.capabilities.servers import serve  # which takes half a second to load

    serve.run(offered)
    return 0
