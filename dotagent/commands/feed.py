"""List a project's events, the newest first."""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.commands import timeline

GROUP = "project"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the filters of events, and the number of last events."""
    commands.events_arguments(parser, 20)


def run(asked: argparse.Namespace) -> int:
    """Print one line per event."""
    return timeline.show(asked, newest=True)
