"""`dotagent`, or `python -m dotagent`: which command is meant, where its home is, and that alone it talks."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest
from alive import stop_providers
from support import end, run, spawn, until
from terminals import Terminal

import dotagent
from dotagent import commands
from dotagent.store import home, lives
from dotagent.store.home import Home

NOWHERE = Home(Path("/nowhere"))


@pytest.mark.slow
def test_version_and_help() -> None:
    for words in (("-m", "dotagent"), ("agent.py",), ("chat.py",), ("clean.py",)):
        assert run(NOWHERE, *words, "--version").stdout == f"dotagent {dotagent.__version__}\n"
    assert run(NOWHERE, "-m", "dotagent", "version").stdout == f"dotagent {dotagent.__version__}\n"
    overview = run(NOWHERE, "-m", "dotagent", "help")
    assert overview.stdout == commands.overview() + "\n" == run(NOWHERE, "-m", "dotagent", "--help").stdout
    assert run(NOWHERE, "-m", "dotagent", "help", "chat").stdout.startswith("usage: python chat.py [-h] [--home DIR]")
    for name in commands.names():
        assert f"\n  {name:<15}{commands.description(name)}\n" in overview.stdout + "\n"
    assert max(map(len, overview.stdout.split("\n"))) <= 80
    assert max(len(commands.description(name)) for name in commands.names()) <= 60
    assert "More:" not in overview.stdout  # each command of ours names its group


@pytest.mark.slow
def test_help_finds_a_command_by_what_it_does() -> None:
    found = run(NOWHERE, "-m", "dotagent", "help", "backup").stdout
    assert found.startswith("usage: ")
    assert "\n  restore " in run(NOWHERE, "-m", "dotagent", "help", "Back").stdout
    none = run(NOWHERE, "-m", "dotagent", "help", "xyzzy")
    assert none.returncode == 2 and none.stderr.count("\n") == 1


@pytest.mark.slow
def test_project_commands_have_a_name_of_their_group(tmp_path: Path) -> None:
    listed = run(NOWHERE, "-m", "dotagent", "project").stdout
    assert "\n  who " in listed and "\n  status " not in listed
    assert (
        run(NOWHERE, "-m", "dotagent", "project", "who", "--help").stdout
        == run(NOWHERE, "-m", "dotagent", "who", "--help").stdout
    )
    wrong = run(NOWHERE, "-m", "dotagent", "project", "status")
    assert wrong.returncode == 2 and "help project" in wrong.stderr


@pytest.mark.slow
def test_help_needs_no_home_that_can_be_read() -> None:
    nowhere = Home(Path("/", "x" * 300))
    assert run(nowhere, "-m", "dotagent", "help").stdout.startswith("usage: ")
    assert "File name too long" in run(nowhere, "-m", "dotagent", "status").stderr


@pytest.mark.slow
def test_a_home_is_named_before_or_behind_the_command(tmp_path: Path) -> None:
    for words in (
        ["--home", str(tmp_path), "status"],
        [f"--home={tmp_path}", "status"],
        ["status", "--home", str(tmp_path)],
    ):
        done = run(NOWHERE, "-m", "dotagent", *words)
        made = f"create it with `python agent.py --home {tmp_path}`"
        assert done.stderr == f"dotagent: there is no dotagent data in {tmp_path} yet; {made}\n"
    (tmp_path / "file").write_text("")
    for words in (["status"], ["chat", "-m", "x"], ["agent"], ["clean"], []):
        done = run(NOWHERE, "-m", "dotagent", "--home", str(tmp_path / "file"), *words)
        assert done.returncode == 2
        assert (
            done.stderr
            == f"dotagent: {tmp_path}/file is a file, not a directory for dotagent's data; choose one with --home DIR\n"
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["stauts"], "no command 'stauts': did you mean status? `python -m dotagent help` lists all commands\n"),
        (["xyzzy"], "no command 'xyzzy'. `python -m dotagent help` lists all commands\n"),
        (["help", "stauts"], "did you mean status?"),
        (["status", "--jsn"], "unrecognized arguments: --jsn: did you mean --json? (see python -m dotagent status"),
        (["agent", "--sole=x"], "did you mean --soul? (see python agent.py --help)"),
        (["--jsn"], "write a command before --jsn; only --home DIR can come before the command (see --help)"),
        (["--home"], "expected one argument"),
        (["--home", ""], "--home is empty: write DIR after it"),
        (["import", ""], "dotagent: DIR is empty\n"),
        (["publish", "12345678", ""], "dotagent: ROOM is empty\n"),
        (["restart", ""], "dotagent: NAME is empty\n"),
        (["usage", ""], "dotagent: AGENT is empty\n"),
        (["chat", "", "-m", "hello"], "dotagent: ROOM is empty\n"),
    ],
)  # fmt: skip
def test_a_wrong_word_is_one_line_that_says_the_nearest(words: list[str], told: str) -> None:
    done = run(NOWHERE, "-m", "dotagent", *words)
    assert done.returncode == 2 and done.stdout == ""
    assert re.fullmatch(r"dotagent: [^\n]+\n", done.stderr) and told in done.stderr


@pytest.mark.slow
def test_the_programs_are_commands(where: Home) -> None:
    done = run(where, "-m", "dotagent", "agent", "--until-idle", "--provider", "offline")
    assert done.returncode == 0 and done.stdout.split("\n")[0] == home.lives(where)[0]
    assert run(where, "-m", "dotagent", "chat", "-m", "hello").returncode == 1  # it sleeps
    assert "hello" in where.room("dev").read_text()
    stop_providers(where)
    done = run(where, "-m", "dotagent", "clean", "--yes")
    assert done.returncode == 0 and "removed" in done.stdout and home.lives(where) == []


@pytest.mark.night
def test_alone_it_talks_with_one_that_is_born_and_says_where_it_lives_and_prints(where: Home) -> None:
    with Terminal(where, "-m", "dotagent", width=300) as screen:
        shown = screen.sees("dev>")
        found = re.search(
            r"created agent ([0-9a-f]{12}) in room dev; it runs .*`kill (\d+)` stops it.* is in (\S+agent.log)", shown
        )
        assert found, shown
        screen.type("are you there?\r")
        screen.sees("I am here, I run and I hear you")
        screen.type("\x04")
        assert screen.ends() == 0
    assert lives.awake(where, "dev")[0].startswith(found[1]) and Path(found[3]).read_text().startswith(found[1])
    with Terminal(where, "-m", "dotagent", "agent", width=300) as screen:  # it is there: nobody else is born
        assert "is born" not in screen.sees("dev>")
        screen.type("\x04")
        assert screen.ends() == 0
    end(int(found[2]))
    assert len(home.lives(where)) == 1
    with Terminal(where, "-m", "dotagent", width=300) as screen:
        screen.sees(f"{found[1]} in room dev is stopped. Start it? [Y/n]")
        screen.type("n\r")
        screen.sees("dev>")
        screen.type("\x04")
        assert screen.ends() == 0


@pytest.mark.night
def test_who_leaves_while_an_agent_is_being_born_leaves_nothing_that_runs(where: Home) -> None:
    child = spawn(where, "-m", "dotagent", "chat", "--start", "-m", "hello")
    until(lambda: home.lives(where), where.agents)
    child.send_signal(signal.SIGINT)
    if "in room dev" not in child.communicate()[1]:  # else its person was told of it, and how to end it
        until(lambda: not any(lives.runs(where, one) for one in home.lives(where)), where.root)
    assert not list(where.agents.glob(".new-*"))


@pytest.mark.slow
def test_an_agent_that_cannot_be_born_says_why_and_nothing_stays(where: Home) -> None:
    (where.root / "SOUL.md").unlink()
    (where.root / "SOUL.md").mkdir()
    done = run(where, "-m", "dotagent", stdin="hello")
    assert done.returncode == 1 and "SOUL.md" in done.stderr.split("\n")[-2]
    assert os.listdir(where.agents) == []


def test_without_a_word_to_say_nobody_is_born(where: Home) -> None:
    assert run(where, "-m", "dotagent").returncode == 0
    assert home.lives(where) == []
