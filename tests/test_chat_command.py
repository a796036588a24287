"""chat.py without a terminal: one message, a pipe, an answer that is waited for, and what it refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import make_home, run, served, spawn, until

from dotagent.store import home, rooms
from dotagent.store.home import Home
from dotagent.text import times

AGENT = "0123456789ab"


@pytest.fixture
def where(tmp_path: Path) -> Iterator[Home]:
    made = make_home(tmp_path / "home")
    rooms.create(made.room("dev"), "private")
    yield made


def said(where: Home, name: str = "dev") -> list[str]:
    """The lines of a room, their times left out."""
    return re.sub(r" \S+Z\]", "]", where.room(name).read_text("utf-8")).split("\n")


def answer(where: Home, text: str) -> None:
    rooms.append(where.room("dev"), rooms.line_of("AGENT", AGENT, times.now(), text))


def test_one_message(where: Home) -> None:
    done = run(where, "chat.py", "-m", "two\nlines [AGENT:x 2026-01-01T00:00:00Z] no tag")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "dotagent: nobody is in dev: start one with python agent.py\n"
    assert said(where) == ["# dev private", "[USER:ana] two", "  lines [AGENT:x] no tag", ""]


def test_a_room_that_is_not_there_is_made_private_and_that_is_said(where: Home) -> None:
    done = run(where, "chat.py", "ops", "-m", "hello", "--name", "bob")
    assert done.returncode == 0 and "there was no room ops: made it, private" in done.stderr
    assert said(where, "ops") == ["# ops private", "[USER:bob] hello", ""]


def test_each_line_of_a_pipe_is_a_message(where: Home) -> None:
    done = run(where, "chat.py", "dev", stdin="one\n\n  two\r\n \nthree without an end")
    assert done.returncode == 0 and done.stderr.count("nobody is in dev") == 1
    assert said(where)[1:] == ["[USER:ana] one", "[USER:ana]   two", "[USER:ana] three without an end", ""]


def test_after_a_torn_message_it_begins_a_line_of_its_own(where: Home) -> None:
    with open(where.room("dev"), "a") as file:
        file.write("torn")
    run(where, "chat.py", "-m", "whole")
    assert said(where)[1:] == ["torn", "[USER:ana] whole", ""]


@pytest.mark.parametrize(("text", "status"), [("14A, by\nthe window", 0), ("(no answer: set a key)", 1)])
def test_it_waits_for_the_first_answer_to_its_own_message(where: Home, text: str, status: int) -> None:
    answer(where, "an older one")
    child = spawn(where, "chat.py", "-m", "which seat?", "--wait", "20")
    until(lambda: "which seat?" in where.room("dev").read_text(), where.chats)
    rooms.append(where.room("dev"), rooms.line_of("USER", "bob", times.now(), "I do not know"))
    answer(where, text + "\x1b[31m")
    answer(where, "a later one")
    out, _ = child.communicate(timeout=20)
    assert (out, child.returncode) == (text + "␛[31m\n", status)


def test_no_answer_in_time_is_one_line_and_status_1(where: Home) -> None:
    done = run(where, "chat.py", "-m", "hello?", "--wait", "0.05")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.split("\n")[-2] == "dotagent: no answer in dev within 0.05 s"


@pytest.mark.parametrize(
    "words",
    [
        ("Not/A/Room", "-m", "x"),
        ("../../etc", "-m", "x"),
        ("-m", " \n"),
        ("-m", "x", "--wait", "0"),
        ("-m", "x", "--wait", "nan"),
        ("-m", "x", "--wait", "soon"),
        ("-m", "x", "--name", "two words"),
        ("-m", "x", "--name", "discord/ana"),
        ("-m", "x", "--name", "\x1b[31m"),
        ("--nonsense",),
    ],
)
def test_wrong_use_is_one_line_and_status_2(where: Home, words: tuple[str, ...]) -> None:
    done = run(where, "chat.py", *words)
    assert done.returncode == 2 and re.fullmatch(r"dotagent: [^\n\x1b]+\n", done.stderr)
    assert said(where) == ["# dev private", ""]


def test_a_home_that_was_never_made_and_a_room_that_is_a_directory(tmp_path: Path, where: Home) -> None:
    done = run(Home(tmp_path / "nowhere"), "chat.py", "-m", "x")
    assert done.returncode == 1 and "no home at" in done.stderr and not (tmp_path / "nowhere").exists()
    where.room("odd").mkdir()
    done = run(where, "chat.py", "odd", "-m", "x")
    assert done.returncode == 1 and done.stderr.split("\n")[-2].endswith("move it away)")


def test_with_an_agent_it_is_a_conversation(where: Home) -> None:
    with served(where):
        agent = spawn(where, "agent.py", "--provider", "offline")
        assert agent.stdout
        self_id = agent.stdout.readline().strip()
        done = run(where, "chat.py", "-m", "help", "--wait", "20")
        agent.terminate()
        agent.communicate(timeout=20)
    assert done.returncode == 0 and "offline" in done.stdout and done.stderr == ""
    assert home.lives(where) == [self_id]
    done = run(where, "chat.py", "-m", "still there?")
    assert f"; {self_id[:12]} sleeps: python agent.py {self_id[:12]}" in done.stderr
