"""Killed while a tool of a pack does what others see: done once, and what nobody can know is said to be unknown."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import dying
import packed as made
import pytest
from support import ROOT, environment, make_home, until
from world import said, world

from dotagent.store import disk, home, log, packed
from dotagent.store.home import Home
from dotagent.tools import UNKNOWN

MARKS = """
timeout = "20s"
[command.mark]
about = "Mark it"
run = 'echo marked >> marks; while [ ! -e go ]; do sleep 0.05; done; echo answered'
input = {properties = {of = {type = "string"}}, required = ["of"]}
"""


def folder(where: Home) -> Path:
    """Where the only life's calls to the pack are."""
    return packed.folder(where.agent(home.lives(where)[0]), "marks")


@pytest.mark.slow
@pytest.mark.parametrize("dies", ["the agent", "the agent and the pack", "the agent, before the pack took it"])
def test_what_was_called_is_done_once_or_unknown(tmp_path: Path, dies: str) -> None:
    where = make_home(tmp_path / "home")
    made.enabled(where, made.folder(tmp_path / "marks", MARKS))
    with world(where.root, dying.model) as here:
        place = here.session.path
    disk.make_dir(folder(where))
    lock = disk.open_file(folder(where) / "pid", os.O_RDWR | os.O_CREAT)
    if dies.endswith("took it"):
        assert disk.try_lock(lock)  # so that nobody takes it
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "packs")])
    words = [sys.executable, str(ROOT / "tests" / "packs" / "dying.py"), str(where.root)]
    with subprocess.Popen(words, env=environment(where, PYTHONPATH=path), stdout=subprocess.DEVNULL) as agent:
        marks = folder(where) / "data" / "files" / "marks"
        waits = marks.exists if not dies.endswith("took it") else lambda: bool(packed.waiting(folder(where)))
        until(waits, tmp_path)
        agent.send_signal(signal.SIGKILL)
    if dies.endswith("the pack"):
        packed.end(place, "marks")
    os.close(lock)
    if dies == "the agent":
        (marks.parent / "go").touch()
        until(lambda: list(folder(where).glob("*.done")), folder(where))
    with world(where.root, dying.model) as here:
        here.run()
        (result,) = [line for line in log.lines(place / "LIFE.md") if line.event == "TOOL"]
        told = here.session.store.get(result.id).body
    assert told == (b"answered\n" if dies == "the agent" else UNKNOWN.encode())
    assert said(where) == ["all done"]
    assert marks.exists() != dies.endswith("took it") and (not marks.exists() or marks.read_text() == "marked\n")
    assert not [one for one in folder(where).iterdir() if one.suffix in (".call", ".taken", ".done")]
    packed.end(place, "marks")
