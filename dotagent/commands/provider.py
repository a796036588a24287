"""Serve the providers of a home, all or one by name; agents start one by themselves.

The process that holds the keys: it takes calls from the spool, asks the model, writes the answer as it comes and
answers. There is one process a home and provider; a second one says so and leaves (see providers/server/serve.py).
"""

from __future__ import annotations

import argparse

from dotagent.errors import Misuse
from dotagent.providers.server import serve
from dotagent.store import credentials, home


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which providers, and where the keys come from."""
    parser.add_argument("name", nargs="?", metavar="P", help="one provider; without it, every one")
    credentials.option(parser)
    parser.add_argument("--lock", type=int, metavar="FD", help="the provider's lock, held by this descriptor")


def run(asked: argparse.Namespace) -> int:
    """Serve until nobody is left to be served."""
    where = home.find(asked.home)
    home.prepare(where)
    settings = home.settings(where)
    known = settings.names()
    if asked.name and not settings.kind(asked.name):
        raise Misuse(f"no provider {asked.name!r}: there are {', '.join(known)}")
    held = credentials.take_over(where, asked.keys_on_stdin)
    given = {asked.name: asked.lock} if asked.name and asked.lock is not None else {}
    locks = given or serve.hold(where, [asked.name] if asked.name else known)
    if locks:
        serve.serve(where, locks, held)
    return 0
