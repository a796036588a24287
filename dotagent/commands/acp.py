"""Be the agent inside an editor, by the Agent Client Protocol on stdin and stdout.

Zed, or another editor that speaks it, starts it; docs/acp.md has what to write where, and what each may see. A session
is a room of one audience, and a prompt its person's own word there; who answers is a life that hears that audience,
which is woken, or born. Where there is no home yet one is made: the editor's person may never see a terminal. What
policy asks first, the editor asks.
"""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.offered import offer
from dotagent.store import home


def arguments(parser: argparse.ArgumentParser) -> None:
    """For whom, and who answers."""
    parser.add_argument(
        "--audience", required=True, metavar="WHO", help='private, "private NAME" or group: who hears the sessions'
    )
    told = "who answers: a hash, its beginning or a name (default: the one of this audience that lived last)"
    parser.add_argument("--agent", metavar="WHO", help=told)


def run(asked: argparse.Namespace) -> int:
    """Serve until the editor leaves."""
    where = home.find(asked.home)
    outlook = offer.of(where, asked.audience, "", True)
    home.prepare(where)
    commands.alone("acp")
    from dotagent.offered import acp_side  # which takes half a second to load

    acp_side.run(outlook, asked.agent or "")
    return 0
