"""Who presses Ctrl-C while an agent is started for them leaves nothing that runs."""

from __future__ import annotations

import os

import pytest
from support import run, until

from dotagent.store import home, lives
from dotagent.store.home import Home

PRESSED = """
import os, signal, sys
from pathlib import Path
from dotagent.store import home
from dotagent.terminal import agent_start
from dotagent.terminal.talk import Talk

class Pressed:
    def write(self, text):
        os.kill(os.getpid(), signal.SIGINT)

talk = Talk(home.Home(Path(sys.argv[1])), "dev", "ana")
sys.stderr = Pressed()
try:
    agent_start.wake(talk, sys.argv[2]) if sys.argv[2:] else agent_start.born(talk)
except KeyboardInterrupt:
    print("pressed")
"""


@pytest.mark.slow
def test_an_agent_of_which_nobody_was_told_ends(where: Home) -> None:
    words = [str(where.root)]
    for _ in ("it is created", "it is started again"):
        assert run(where, "-c", PRESSED, *words).stdout == "pressed\n"
        until(lambda: not any(lives.runs(where, one) for one in home.lives(where)), where.agents)
        words = [str(where.root), *home.lives(where)]
    assert os.listdir(where.agents) == words[1:] and (where.agent(words[1]) / "agent.log").is_file()
