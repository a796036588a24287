"""Create a new agent with the memory of another agent.

A fork is a new agent with the memory of another agent up to a moment that you choose. The fork has its own room of the
same audience. From then on, the two agents are independent. The fork repeats nothing: open questions, reminders,
helpers and waiting requests stay with the other agent.
"""

from __future__ import annotations

import argparse

from dotagent import commands, installed
from dotagent.capabilities.fork import creation, moment
from dotagent.errors import Misuse
from dotagent.store import home, lives
from dotagent.text import times
from dotagent.text.reference import short

GROUP = "inside"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the agent, the moment and the room."""
    commands.life_argument(parser)
    told = (
        "the last event that the fork knows: a number from `context` (#412), an id, or a time such as "
        "2026-11-21T20:17 (default: now)"
    )
    parser.add_argument("--at", metavar="EVENT|TIME", help=told)
    parser.add_argument("--room", metavar="ROOM", help="the room of the fork (default: a new one, fork-ID)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(asked: argparse.Namespace) -> int:
    """Create the fork, and print its id and its room."""
    where = commands.home_of(asked)
    settings, self_id = home.settings(where), commands.life_of(asked, where)
    if lives.is_made(where, self_id):
        raise Misuse(
            f"agent {short(self_id)} is a helper, which exists only for its task; fork the agent that created it"
        )
    origin = moment.find_origin(where, settings, self_id, asked.at or "")
    made = creation.make(where, settings, origin, asked.room)
    told = {"agent": made.id, "of": self_id, "at": origin.at, "room": made.room}
    words = (
        f"agent {short(made.id)} is a fork of agent {short(self_id)}: it has the memory of that agent up to "
        f"{times.format_stamp(origin.at, 19)}. The room of the fork is {made.room}. To start the fork, run "
        f"`{installed.program('agent')} {short(made.id)}{where.flag}`"
    )
    commands.tell(told, words, asked)
    return 0
