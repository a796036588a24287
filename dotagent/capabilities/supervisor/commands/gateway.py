"""Run `up` under the name that OpenClaw uses for it.

`gateway` and `gateway run` do the same as `up`. `gateway stop`, `gateway restart` and `gateway logs` do the same as
`down`, `restart` and `logs`.
"""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.capabilities.supervisor.commands import up

GROUP = "daily"

OTHERS = {"stop": "down", "restart": "restart", "logs": "logs"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the action and the options of `up`."""
    actions = ("run", *OTHERS)
    parser.add_argument("action", nargs="?", choices=actions, default="run", help="what to do (default: run)")
    up.arguments(parser)


def run(asked: argparse.Namespace) -> int:
    """Run the command that the action means."""
    if asked.action in OTHERS:
        commands.refuse_unused(asked, asked.action, dict.fromkeys(("--detach", "--keys-on-stdin keys_on_stdin"), "run"))
        return commands.run(OTHERS[asked.action], ["--home", asked.home] if asked.home is not None else [])
    return up.run(asked)
