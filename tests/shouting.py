"""A life that shouts: `python tests/extended.py FOLDER tests/shouting.py HOME [DEATH]`, where a life and its model are
one process. With `announced` or `done` it dies over the shout: when that is announced, or when it has happened too.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from world import World, world

import agent
from dotagent import tools
from dotagent.store.log import Line
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage

KILLED = 77


def model(messages: list[ChatMessage], call: Call) -> str:
    """Shout twice, and once more without words, and then say what was read of it."""
    read = [line for message in messages for line in re.findall(r"(?m)\bSHOUT: (shouted: .*)$", message["content"])]
    return ", ".join(read) if read else "SHOUT dinner is ready\nSHOUT\nSHOUT come"


def die(line: Line) -> None:
    """Be killed once the effect is announced."""
    if line.event == "EFFECT":
        os._exit(KILLED)


def die_over(here: World) -> None:
    """Be killed once the effect has happened, and before LIFE knows."""
    while not (calls := agent.plan(here.session)):
        assert agent.step(here.me) or here.serve()
    tools.act(here.session, calls[0])
    os._exit(KILLED)


def main(path: Path, death: str = "") -> None:
    """Live until nothing is left to do, or die."""
    with world(path, model) as here:
        if death:
            here.say("Call them to dinner.")
        if death == "announced":
            here.session.listen = die
        elif death == "done":
            die_over(here)
        here.run()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
