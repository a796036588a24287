"""A capability's folder can be deleted: an agent is born without it, talks, remembers, forgets and resumes.

The tree is copied, the folder is deleted in the copy, and real processes and the core's own tests run there.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from clocked import write
from support import ROOT, environment
from world import events, said, world

from dotagent import capabilities
from dotagent.capabilities.scheduler.record import Wake
from dotagent.life.replay import derive
from dotagent.store import home, log
from dotagent.store.home import SETTINGS, Home

TREE = ("agent.py", "chat.py", "clean.py", "SOUL.md", "EXAMPLE.md", "SEGMENT.md", "SUMMARISE.md", "pyproject.toml")
FOLDERS = ("dotagent", "tests")
TALKS = (  # born, says and resumes; remembers; forgets
    "tests/loop/test_inbox.py",
    "tests/tools/test_remember.py",
    "tests/compaction/test_swap.py",
)
WITHOUT = ("erasure",)  # in the gate; the night deletes each
AT = "2026-01-01T00:00:00Z"


@pytest.fixture(scope="module")
def tree() -> Iterator[Path]:
    """A copy of the tree, of which Python compiles each module once for all the tests here."""
    with tempfile.TemporaryDirectory(prefix="dotagent-tree-") as path:
        for one in TREE:
            shutil.copy(ROOT / one, path)
        for one in FOLDERS:
            left = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / one, Path(path) / one, ignore=left, symlinks=True)
        yield Path(path)


@contextmanager
def without(name: str, tree: Path) -> Iterator[None]:
    """The folder of this capability is not in the tree, meanwhile."""
    folder, aside = tree / "dotagent" / "capabilities" / name, tree / "aside"
    folder.rename(aside)
    try:
        yield
    finally:
        aside.rename(folder)


def run(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the tree."""
    told = {**environment(), "PYTHONPATH": str(tree)}
    return subprocess.run([sys.executable, *words], cwd=tree, env=told, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in WITHOUT else pytest.mark.night) for name in capabilities.names()]
)
def test_the_core_talks_remembers_and_forgets_without_it(name: str, tree: Path) -> None:
    with without(name, tree):
        done = run(tree, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow", *TALKS)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr


@pytest.mark.slow
def test_a_home_of_the_scheduler_goes_on_without_it_and_with_it_again(tmp_path: Path, tree: Path) -> None:
    """Its entries keep their numbers, its settings say in a line that they have no effect, and its runs are known when
    it returns."""
    where = Home(tmp_path / "home")
    with world(where.root, lambda messages, call: "well") as here:
        write(here.where, "tea", 'at = "2126-01-01T09:00"\nroom = "dev"\ntext = "tea"\n')
        here.session.record(Wake("tea", "dev", AT), b"tea", gist="tea")
        here.say("I am here")
        here.run()
        numbers = [(one.number, one.line.at) for one in here.session.entries]
    (where.root / SETTINGS).write_text('owner = "ana"\n[heartbeat]\nevery = "1h"\n')
    self_id = home.lives(where)[0]
    words = ("--home", str(where.root), "--provider", "offline", "--until-idle")
    with without("scheduler", tree):
        went = run(tree, "agent.py", self_id[:12], *words)
        assert went.returncode == 0 and "Traceback" not in went.stderr, went.stderr
        assert went.stderr.count("heartbeat has no effect: scheduler is not installed here") == 1
        lines = list(log.lines(where.agent(self_id) / "LIFE.md"))
        assert [line.event for line in lines if line.event == "ERROR"] == []
        assert lines[-1].event == "SLEEP"
        for command in (("status",), ("doctor",), ("ps",)):
            told = run(tree, "-m", "dotagent", *command, "--home", str(where.root))
            assert told.returncode in (0, 1) and "Traceback" not in told.stderr, told.stderr
            assert "\ndamage: " not in told.stdout
        assert "cron" not in run(tree, "-m", "dotagent", "--help").stdout
    view = derive(where, self_id, 64_000)
    assert [(one.number, one.line.at) for one in view.entries][: len(numbers)] == numbers
    with world(where.root, lambda messages, call: "here again") as here:
        here.say("and again")
        here.run()
        assert len(events(here, "WAKE")) == 1 and said(here.where)[-1] == "here again"
