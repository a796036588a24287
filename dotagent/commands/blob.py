"""Print a blob, byte for byte, also from a pack file.

A blob is the full text of one event; its id stands in LIFE.md. Eight digits are enough. The first 32 digits of
`dotagent blob ID | b3sum` are the id, unless you permanently deleted a part of the content.
"""

from __future__ import annotations

import argparse

from dotagent import commands

GROUP = "inside"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the id."""
    parser.add_argument("id", metavar="ID", help="the id, or at least its first 8 digits")


def run(asked: argparse.Namespace) -> int:
    """Print the blob's bytes."""
    store = commands.home_of(asked).store()
    commands.give(store.raw(store.find(asked.id.lower())))
    return 0
