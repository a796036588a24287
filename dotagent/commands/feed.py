"""Tell what happened in a project, the newest first."""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.commands import timeline


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which events, and how many of the last."""
    commands.events_arguments(parser, 20)


def run(asked: argparse.Namespace) -> int:
    """A line an event."""
    return timeline.show(asked, newest=True)
