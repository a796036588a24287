"""chat.py without a terminal: one message, a pipe, an answer that is waited for, and what it refuses."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import ROOT, environment, make_home, run, served, spawn, until

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
    assert (done.returncode, done.stdout) == (1, "")
    told, kept, _ = done.stderr.split("\n")
    assert told == "dotagent: nobody is in dev: start one with python agent.py" and "is kept, and answered when" in kept
    assert said(where) == ["# dev private", "[USER:ana] two", "  lines [AGENT:x] no tag", ""]


@pytest.mark.slow
@pytest.mark.parametrize(
    "narrow", [{"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii"}]
)
def test_a_narrow_encoding_loses_no_word(where: Home, narrow: dict[str, str]) -> None:
    done = run(where, "chat.py", "-m", "café 京都", env=narrow)
    assert done.returncode == 1 and said(where)[1] == "[USER:ana] café 京都"  # nobody is there
    done = run(where, "chat.py", env=narrow, stdin="Zoë 👍\n")
    assert done.returncode == 1 and said(where)[2] == "[USER:ana] Zoë 👍"
    answer(where, "京都")
    done = run(where, "chat.py", "-m", "x", "--wait", "0.01", env=narrow)
    assert done.returncode == 1 and "Traceback" not in done.stderr


def test_a_room_that_is_not_there_is_made_private_and_that_is_said(where: Home) -> None:
    done = run(where, "chat.py", "ops", "-m", "hello", "--name", "bob")
    assert done.returncode == 1 and "there was no room ops: made it, private" in done.stderr
    assert said(where, "ops") == ["# ops private", "[USER:bob] hello", ""]


def test_a_pipe_is_one_message(where: Home) -> None:
    done = run(where, "chat.py", "dev", stdin="\none\n\n  two\r\n \nthree without an end")
    assert done.returncode == 1 and done.stderr.count("nobody is in dev") == 1
    assert said(where)[1:] == ["[USER:ana] one", "  ", "    two", "   ", "  three without an end", ""]


def test_a_pipe_goes_below_what_is_said_about_it(where: Home) -> None:
    run(where, "chat.py", "-m", "what is wrong?", stdin="line 1\nline 2\n")
    assert said(where)[1:] == ["[USER:ana] what is wrong?", "  ", "  line 1", "  line 2", ""]


@pytest.mark.parametrize("words", [(), ("-m", "only this")])
def test_a_pipe_that_holds_nothing_says_nothing(where: Home, words: tuple[str, ...]) -> None:
    done = run(where, "chat.py", *words, stdin=" \n\n")
    assert said(where)[1:] == (["[USER:ana] only this", ""] if words else [""])
    assert words or (done.returncode == 0 and "nothing was piped in" in done.stderr)


def test_a_pipe_that_is_too_much_for_a_message_is_refused_in_a_line(where: Home) -> None:
    done = run(where, "chat.py", stdin="x" * ((1 << 20) + 1))
    assert done.returncode == 2 and re.fullmatch(r"dotagent: more than 1,048,576 bytes[^\n]+\n", done.stderr)
    assert said(where) == ["# dev private", ""]


@pytest.mark.slow
def test_a_pipe_that_does_not_end_is_told_of(where: Home) -> None:
    read, write = os.pipe()
    words = [sys.executable, "chat.py", "-m", "and this:"]
    env = environment(where)
    child = subprocess.Popen(words, cwd=ROOT, env=env, stdin=read, stderr=subprocess.PIPE, text=True)
    os.close(read)
    assert child.stderr and "</dev/null" in child.stderr.readline()
    os.write(write, b"it came")
    os.close(write)
    child.communicate(timeout=20)
    assert said(where)[1:] == ["[USER:ana] and this:", "  ", "  it came", ""]


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


@pytest.mark.slow
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


@pytest.mark.slow
def test_with_an_agent_it_is_a_conversation(where: Home) -> None:
    with served(where):
        agent = spawn(where, "agent.py", "--provider", "offline")
        assert agent.stdout
        self_id = agent.stdout.readline().strip()
        done = run(where, "chat.py", "-m", "help", "--wait", "20")
        heard = run(where, "chat.py", "-m", "and thanks")
        agent.terminate()
        agent.communicate(timeout=20)
    assert done.returncode == 0 and "offline" in done.stdout and done.stderr == ""
    assert (heard.returncode, heard.stderr) == (0, "")
    assert home.lives(where) == [self_id]
    done = run(where, "chat.py", "-m", "still there?")
    assert done.returncode == 1
    assert f"; {self_id[:12]} sleeps: python agent.py {self_id[:12]}" in done.stderr
