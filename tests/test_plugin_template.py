"""docs/plugin is a package as others write it: built, installed, trusted, and each of it used by the real programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from bridges.echo_agent import say
from support import PATIENCE, ROOT, make_home, run, spawn, until

from dotagent.store import launch, rooms
from dotagent.store.home import Home

TEMPLATE = ROOT / "docs" / "plugin"
FILES = sorted((TEMPLATE / "dotagent_example").glob("*.py"))
ALL = ("bridges/letterbox", "commands/blobs", "providers/parrot", "tools/roll")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_is_short(path: Path) -> None:
    assert path.read_text().count("\n") < 30


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The package, built and installed into a folder; the Python path that finds it."""
    place = tmp_path_factory.mktemp("plugin")
    copy = place / "source"
    for path in [TEMPLATE / "pyproject.toml", *FILES]:
        to = copy / path.relative_to(TEMPLATE)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(path.read_bytes())
    pip = (sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index")
    done = subprocess.run(
        [*pip, "--target", str(place / "there"), str(copy)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return f"{place / 'there'}:{ROOT}"


@pytest.fixture
def where(tmp_path: Path, installed: str) -> Home:
    """A home whose person trusts all of it."""
    made = make_home(tmp_path / "home")
    for called in ALL:
        told = dotagent(made, installed, "plugins", "trust", called)
        id = told.stderr.rpartition("--id ")[2].split("`")[0]
        assert dotagent(made, installed, "plugins", "trust", called, "--id", id).returncode == 0, told.stderr
    return made


def dotagent(where: Home, path: str, *words: str) -> subprocess.CompletedProcess[str]:
    return run(where, "-m", "dotagent", *words, env={"PYTHONPATH": path})


@pytest.mark.night
def test_none_runs_before_it_is_trusted(tmp_path: Path, installed: str) -> None:
    made = make_home(tmp_path / "home")
    listed = dotagent(made, installed, "plugins").stdout
    assert all(f"{called} " in listed for called in ALL) and "dotagent-example 0.1" in listed
    assert "trusted" not in listed and dotagent(made, installed, "blobs").returncode == 2
    assert "dotagent-example 0.1" in dotagent(made, installed, "status").stdout


@pytest.mark.night
def test_the_tool_the_provider_and_the_command(where: Home, installed: str) -> None:
    env = {"PYTHONPATH": installed}
    worker = spawn(where, "-m", "dotagent", "provider", "parrot", env=env)
    try:
        until(lambda: worker.poll() is not None or launch.served(where, "parrot"), where.calls)
        rooms.create(where.room("dev"), "private")
        lived = run(where, "agent.py", "--provider", "parrot", "--until-idle", env=env)
        assert lived.returncode == 0, lived.stderr
        born = lived.stdout.split("\n")[0]
        rooms.append(where.room("dev"), rooms.line_of("USER", "ana", "2026-11-21T20:17:20Z", "Is there tea?"))
        lived = run(where, "agent.py", born, "--provider", "parrot", "--until-idle", env=env)
        assert "You said: Is there tea?" in where.room("dev").read_text(), lived.stderr
    finally:
        worker.terminate()
        worker.communicate(timeout=PATIENCE)
    assert "ROLL 2d6" in dotagent(where, installed, "prompt", born).stdout
    assert int(dotagent(where, installed, "blobs").stdout) > 3
    assert "Count the blobs of a home" in dotagent(where, installed, "help").stdout


@pytest.mark.night
def test_the_bridge(where: Home, installed: str, tmp_path: Path) -> None:
    box = tmp_path / "box"
    box.mkdir()
    (box / "ana.txt").write_text("Which seat?")
    (where.root / "dotagent.toml").write_text(
        f'[bridges.letterbox]\nusers = ["ana"]\nagents = "none"\nbase = "{box}"\n'
    )
    child = spawn(where, "-m", "dotagent", "letterbox", env={"PYTHONPATH": installed})
    try:
        room = where.room("letterbox-ana")
        until(lambda: room.exists() and "Which seat?" in room.read_text(), where.chats)
        say(room, "14A.")
        until(lambda: (box / "ana.out").exists() and (box / "ana.out").read_text() == "14A.\n", box)
    finally:
        child.terminate()
        child.communicate(timeout=PATIENCE)
