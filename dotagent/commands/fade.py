"""Let an agent's context fade now, whatever its size.

The wish is a file in the agent's directory; the agent acts on it as soon as it runs.
"""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.store import disk
from dotagent.text.reference import short


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which agent."""
    commands.life_argument(parser)


def run(asked: argparse.Namespace) -> int:
    """Leave the wish."""
    where = commands.home_of(asked)
    path = where.agent(commands.life_of(asked, where))
    disk.make_dir(path / "run")
    disk.replace(path / "run" / "fade", b"")
    runs = disk.is_locked(path / "LIFE.md")
    when = "it begins now" if runs else "it begins when the agent runs"
    print(f"{short(path.name)} shall let its context fade: {when}")
    return 0
