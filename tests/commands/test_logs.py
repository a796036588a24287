"""logs: what processes print, each line behind whose it is, harmless, and as it comes."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from support import PATIENCE, make_home, run, spawn

from dotagent.store import disk
from dotagent.store.home import Home

LIFE = "0123456789abcdef" * 2


@pytest.fixture
def where(tmp_path: Path) -> Home:
    made = make_home(tmp_path / "home")
    disk.make_dir(made.up)
    disk.make_dir(made.agent(LIFE))
    (made.agent(LIFE) / "LIFE.md").touch()
    for path, text in ((made.up / "up.log", "one\ntwo\nthree\nhalf"), (made.calls / "offline.log", "\x1b[31mred\n"),
                       (made.agent(LIFE) / "agent.log", "awake\n")):  # fmt: skip
        path.write_text(text)
    return made


def test_the_last_lines_of_each(where: Home) -> None:
    done = run(where, "-m", "dotagent", "logs", "-n", "2")
    assert done.returncode == 0
    assert done.stdout.split("\n") == ["up  two", "up  three", "offline  ␛[31mred", f"{LIFE[:12]}  awake", ""]
    assert run(where, "-m", "dotagent", "logs", LIFE[:8]).stdout == f"{LIFE[:12]}  awake\n"


def test_what_is_not_there_is_said(where: Home) -> None:
    done = run(where, "-m", "dotagent", "logs", "nobody")
    assert done.returncode == 2 and "the logs are: up, offline, 0123456789ab" in done.stderr


def test_that_nothing_was_printed_yet_is_said(tmp_path: Path) -> None:
    made = make_home(tmp_path / "home")
    assert "no output yet\n" in run(made, "-m", "dotagent", "logs").stderr
    (made.calls / "offline.log").touch()
    assert "no output yet, by offline" in run(made, "-m", "dotagent", "logs").stderr


def test_it_follows_until_told_to_end(where: Home) -> None:
    child = spawn(where, "-m", "dotagent", "logs", "-f", "up")
    assert child.stdout
    assert [child.stdout.readline() for _ in range(3)] == ["up  one\n", "up  two\n", "up  three\n"]
    with open(where.up / "up.log", "a") as file:
        file.write(" and whole\nmore\n")
    assert [child.stdout.readline() for _ in range(2)] == ["up  half and whole\n", "up  more\n"]
    (where.up / "discord.log").write_text("a new one\n")
    with open(where.up / "up.log", "w") as file:
        file.write("anew\n")  # shorter than it was: begun anew
    assert child.stdout.readline() == "up  anew\n"
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=PATIENCE)
    assert child.returncode == 130
