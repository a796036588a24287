"""Print a blob (the full text of an event) by its id.

The agent's log LIFE.md contains the id of each blob. Eight digits of the id are enough. The command finds a blob in a
separate file or in a pack file, and prints it byte for byte. The first 32 digits of `dotagent blob ID | b3sum` are the
id, unless you permanently deleted a part of the content.
"""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.store import blob_search

GROUP = "inside"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the id."""
    parser.add_argument("id", metavar="ID", help="the id of the blob, or at least its first 8 digits")


def run(asked: argparse.Namespace) -> int:
    """Print the blob's bytes."""
    store = commands.home_of(asked).store()
    commands.give(store.raw(blob_search.find(store, asked.id.lower())))
    return 0
