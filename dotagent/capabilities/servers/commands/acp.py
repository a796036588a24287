"""Run an agent inside an editor (Agent Client Protocol).

Your editor, for example Zed, starts this command. docs/acp.md shows the settings of the editor, and says what the
editor and the agent may see. Each session in the editor is a room (a chat) with one audience. A prompt that you write
in the editor counts as your own message in this room. An agent of the same audience answers. If this agent is stopped,
the command starts it, and if there is no such agent, the command creates one. The command also creates a missing home.
If an action needs your permission, the editor asks you.
"""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.capabilities.servers import offer
from dotagent.store import home

GROUP = "setup"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the audience and the agent that answers."""
    told = 'the rooms that the editor can see: private (yours), "private NAME" (NAME\'s) or group'
    parser.add_argument("--audience", required=True, metavar="WHO", help=told)
    told = "the agent that answers: its name or id (default: the most recently active agent with this --audience)"
    parser.add_argument("--agent", metavar="WHO", help=told)


def run(asked: argparse.Namespace) -> int:
    """Serve until the editor ends the connection."""
    where = home.find(asked.home)
    outlook = offer.make_outlook(where, asked.audience, "", True)
    home.prepare(where)
    commands.alone("acp")
    from dotagent.capabilities.servers import acp_side  # which takes half a second to load

    acp_side.run(outlook, asked.agent or "")
    return 0
