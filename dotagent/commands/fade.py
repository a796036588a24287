"""Summarise the oldest entries of an agent's context now.

The context is the text that the model reads before it answers. The command saves a request in the agent's directory. A
running agent carries out the request at once, and a stopped agent when it runs again.
"""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.store import disk
from dotagent.text.reference import short

GROUP = "inside"
arguments = commands.life_argument


def run(asked: argparse.Namespace) -> int:
    """Save the request for the agent."""
    where = commands.home_of(asked)
    path = where.agent(commands.life_of(asked, where))
    disk.make_dir(path / "run")
    disk.replace(path / "run" / "fade", b"")
    runs = disk.is_locked(path / "LIFE.md")
    when = "this starts now" if runs else "this starts when the agent runs next"
    print(f"agent {short(path.name)} will summarise its oldest messages; {when}")
    return 0
