"""Count the blobs of a home."""

from __future__ import annotations

import argparse

from dotagent import commands


def arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing but the home."""


def run(asked: argparse.Namespace) -> int:
    """A number."""
    where = commands.home_of(asked)
    print(sum(1 for _ in where.blobs.glob("??/*")))
    return 0
