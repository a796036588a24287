"""Run the processes that talk to models.

Each provider that a home uses has one process. This process has the API keys. The process takes waiting requests, sends
them to the model, and saves the answer while it arrives. If another process serves the provider already, the command
says so and exits.
"""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.errors import Misuse
from dotagent.providers.server import serve
from dotagent.store import home, key_handover

GROUP = "daily"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the provider and the source of the keys."""
    parser.add_argument("name", nargs="?", metavar="P", help="serve only this provider (default: all)")
    key_handover.option(parser)
    parser.add_argument("--lock", type=int, metavar="FD", help="for dotagent itself: the file descriptor of the lock")


def run(asked: argparse.Namespace) -> int:
    """Serve until no process needs the providers."""
    where = home.find(asked.home)
    home.prepare(where)
    settings = home.settings(where)
    known = settings.names()
    if asked.name and not settings.kind(asked.name):
        raise Misuse(f"no provider {asked.name!r}; the providers are {', '.join(known)}")
    if asked.lock is not None and not asked.name:
        raise Misuse("--lock needs the name of a provider")
    lock = commands.lock_of(asked, where.calls / f"{asked.name}.pid")
    given = {} if lock is None else {asked.name: lock}
    held = key_handover.take_over(where, asked.keys_on_stdin)
    locks = given or serve.hold(where, [asked.name] if asked.name else known)
    if locks:
        serve.serve(where, locks, held)
    return 0
