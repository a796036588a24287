"""Starting a stopped agent again: the question at a terminal, and the command line that resumes the agent. Owns nothing
on disk."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from dotagent.answers import read_answer
from dotagent.store import agent_search, home, lives
from dotagent.store.home import Home
from dotagent.text import names, times
from dotagent.text.reference import short


def ask(asked: argparse.Namespace, arguments: Sequence[str]) -> list[str]:
    """Ask the person whether to start a stopped agent of the room, if there is one, or to create a new agent. Return
    the command line for it."""
    where, room = home.find(asked.home), asked.room or "dev"
    if not (there := agent_search.stopped(where, room) if names.ROOM.fullmatch(room) else []):
        return list(arguments)
    one = agent_search.newest(where, there)
    last = times.format_stamp(lives.last(where, one))
    question = f"{room}: start agent {short(one)} again (last active {last}) [w], or create a new agent [Enter]? "
    while (said := read_answer(question).lower()) not in ("w", "wake", "", "n", "new"):
        print("type w to start the stopped agent again, or press Enter to create a new agent")
    return again(asked, one, where) if said.startswith("w") else [*arguments, "--new"]


def again(asked: argparse.Namespace, self_id: str, where: Home) -> list[str]:
    """Return the command line that resumes this agent, with the other options of `asked`."""
    named = {"provider": asked.provider, "model": asked.model, "linger": asked.linger}
    flags = [f"--{name}" for name in ("verbose", "until-idle") if getattr(asked, name.replace("-", "_"))]
    given = [f"--{name}={said}" for name, said in named.items() if said is not None]
    return [self_id, "--home", str(where.root), *flags, *given]
