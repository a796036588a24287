"""A birth that is asked for wrongly: one right line each, and nobody is born. And an end that leaves nothing open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support import make_home, run
from world import offline, world


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--soul", ""], "--soul is empty: write FILE after it"),
        (["--soul="], "--soul is empty: write FILE after it"),
        (["--soul", "HERE/folder"], "--soul HERE/folder: Is a directory; name a text file that says who the agent is"),
        (["--soul", "HERE/pipe"], "--soul HERE/pipe: not a regular file; name a text file that says who the agent is"),
        (["--soul", "HERE/nothing"], "HERE/nothing does not exist; name another file"),
        (["--soul", "HERE/blank"], "HERE/blank is empty; write in this file who the agent is, or name another file"),
        (["--linger", "-1"], "--linger -1: give a number of seconds, 0 or more"),
        (["--linger", "nan"], "--linger nan: give a number of seconds, 0 or more"),
        (
            ["--linger", "5", "--until-idle"],
            "argument --until-idle: not allowed with argument --linger (see python agent.py --help)",
        ),
        (["--room", ""], "--room is empty: write ROOM after it"),
        (["--provider", ""], "--provider is empty: write P after it"),
        (["--model="], "--model is empty: write M after it"),
        (["--audience", ""], "--audience is empty: write private|group after it"),
        (
            ["--home", "HERE/blank"],
            "HERE/blank is a file, not a directory for dotagent's data; choose one with --home DIR",
        ),
        (["--home", ""], "--home is empty: write DIR after it"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line_and_nobody_is_born(tmp_path: Path, words: list[str], told: str) -> None:
    where = make_home(tmp_path / "home")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "blank").write_text(" \n")
    done = run(where, "agent.py", *(word.replace("HERE", str(tmp_path)) for word in words))
    assert done.stderr == f"dotagent: {told.replace('HERE', str(tmp_path))}\n"
    assert (done.returncode, done.stdout) == (2, "") and os.listdir(where.agents) == []


def test_an_empty_soul_of_the_home_is_told_by_its_name(tmp_path: Path) -> None:
    where = make_home(tmp_path)
    (tmp_path / "SOUL.md").write_text("")
    done = run(where, "agent.py")
    assert done.stderr == f"dotagent: {tmp_path}/SOUL.md is empty; write in this file who the agent is\n"
    assert done.returncode == 2 and os.listdir(where.agents) == []


def test_an_agent_that_has_ended_holds_nothing_open(tmp_path: Path) -> None:
    """Tests run thousands of agents in one process, which may not have that many files."""
    there = list[int]()
    for name in ("what is loaded when first used", "the same again"):
        with world(tmp_path / name, offline) as lived:
            lived.say("hello")
            lived.run()
        there.append(len(os.listdir("/dev/fd")))
    assert there[0] == there[1]
