"""Real editors save a room while an agent talks in it: no line is heard twice, none is missed.

The home is below /var/tmp, because vim saves differently below /tmp. An editor that this machine lacks is left out.
"""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from listening import heard
from world import World, world

import agent
from dotagent.store.requests import ChatMessage

SAVES = 20


def ed(path: Path, text: str) -> list[str]:
    return ["sh", "-c", f"printf '$a\\n%s\\n.\\nw\\nq\\n' '{text}' | ed -s '{path}'"]


def vim(path: Path, text: str) -> list[str]:
    return ["vim", "-c", f"normal Go{text}", "-c", "wq!", str(path)]


def vim_in_place(path: Path, text: str) -> list[str]:
    return ["vim", "-u", "NONE", "-N", "-c", f"normal Go{text}", "-c", "wq!", str(path)]


def sed(path: Path, text: str) -> list[str]:
    return ["sed", "-i", f"$a{text}", str(path)]


def tee(path: Path, text: str) -> list[str]:
    return ["sh", "-c", f"cat '{path}' >'{path}.aside'; echo '{text}' >>'{path}.aside'; cat '{path}.aside' >'{path}'"]


@pytest.fixture
def home() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(dir="/var/tmp"))
    yield place / "home"
    shutil.rmtree(place)


def answers(messages: list[ChatMessage], call: object) -> str:
    return f"answer to\nmessage {len(messages)}"


def saved(command: list[str], here: World) -> None:
    """Run the editor at a terminal of its own, and let the agent live meanwhile."""
    master, slave = pty.openpty()
    try:
        with subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=os.environ | {"TERM": "xterm"}
        ) as it:
            while it.poll() is None:
                agent.step(here.me)
                here.serve()
        assert it.returncode == 0
    finally:
        os.close(master)
        os.close(slave)


def rest(here: World) -> None:
    """Live until the room stands still and everything is answered."""
    here.run()
    while here.me.inbox.waits():
        here.me.watch.wait(here.me.inbox.sleep(None))
        here.run()


@pytest.mark.night
@pytest.mark.parametrize("editor", [ed, vim, vim_in_place, sed, tee])
def test_saves_of_an_editor_are_heard_once(home: Path, editor: Callable[[Path, str], list[str]]) -> None:
    name = editor(Path(), "")[0]
    if not shutil.which("ed" if editor is ed else name):
        pytest.skip(f"{name} is not installed here")
    with world(home, answers) as here:
        path = here.where.room("dev")
        for number in range(200):
            here.say(f"an old message, number {number}")
        rest(here)
        before = len(heard(here))
        for number in range(SAVES):
            here.say(f"said {number}")
            rest(here)
            saved(editor(path, f"written {number}"), here)
            rest(here)
        counts = Counter(heard(here)[before:])
        told = path.read_text().count("messages are gone from this file")
        assert {one: count for one, count in counts.items() if count > 1} == {}
        wanted = {f"{how} {number}" for number in range(SAVES) for how in ("said", "written")}
        assert wanted - set(counts) == set()
        assert told == 0
        assert len(list(home.glob("agents/*/LIFE.md"))) == 1
