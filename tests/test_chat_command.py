"""chat.py without a terminal: one message, a pipe, an answer that is waited for, and what it refuses."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import PATIENCE, ROOT, environment, make_home, run, served, spawn, until
from terminals import Terminal

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
    assert told == "dotagent: no agent is running in dev; start a new one: python agent.py" and "message saved" in kept
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
    assert done.returncode == 1 and "created room ops, private" in done.stderr
    assert said(where, "ops") == ["# ops private", "[USER:bob] hello", ""]


def test_a_pipe_is_one_message(where: Home) -> None:
    done = run(where, "chat.py", "dev", stdin="\none\n\n  two\r\n \nthree without an end")
    assert done.returncode == 1 and done.stderr.count("no agent is running in dev") == 1
    assert said(where)[1:] == ["[USER:ana] one", "  ", "    two", "   ", "  three without an end", ""]


def test_a_pipe_goes_below_what_is_said_about_it_and_is_quoted(where: Home) -> None:
    run(where, "chat.py", "-m", "what is wrong?", stdin="line 1\n\nline 2\n")
    assert said(where)[1:] == ["[USER:ana] what is wrong?", "  ", "  > line 1", "  > ", "  > line 2", ""]


@pytest.mark.parametrize("words", [(), ("-m", "only this")])
def test_a_pipe_that_holds_nothing_says_nothing(where: Home, words: tuple[str, ...]) -> None:
    done = run(where, "chat.py", *words, stdin=" \n\n")
    assert said(where)[1:] == (["[USER:ana] only this", ""] if words else [""])
    assert words or (done.returncode == 0 and "the piped input is empty" in done.stderr)


def test_a_pipe_that_is_too_much_for_a_message_is_refused_in_a_line(where: Home) -> None:
    done = run(where, "chat.py", stdin="x" * ((1 << 20) + 1))
    assert done.returncode == 2 and re.fullmatch(
        r"dotagent: the piped input has more than 1,048,576 bytes[^\n]+\n", done.stderr
    )
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
    child.communicate(timeout=PATIENCE)
    assert said(where)[1:] == ["[USER:ana] and this:", "  ", "  > it came", ""]


def test_after_a_torn_message_it_begins_a_line_of_its_own(where: Home) -> None:
    with open(where.room("dev"), "a") as file:
        file.write("torn")
    run(where, "chat.py", "-m", "whole")
    assert said(where)[1:] == ["torn", "[USER:ana] whole", ""]


def test_it_waits_for_an_answer_to_a_file_too(where: Home) -> None:
    (where.root / "plan.txt").write_text("seat 14A")
    child = spawn(where, "chat.py", "-m", f"/file {where.root / 'plan.txt'} which seat?", "--wait", f"{PATIENCE:g}")
    until(lambda: "which seat?" in where.room("dev").read_text(), where.chats)
    answer(where, "14A")
    assert (child.communicate(timeout=PATIENCE)[0], child.returncode) == ("14A\n", 0)


@pytest.mark.parametrize(("text", "status"), [("14A, by\nthe window", 0), ("(no answer: set a key)", 1)])
def test_it_waits_for_the_first_answer_to_its_own_message(where: Home, text: str, status: int) -> None:
    answer(where, "an older one")
    child = spawn(where, "chat.py", "-m", "which seat?", "--wait", f"{PATIENCE:g}")
    until(lambda: "which seat?" in where.room("dev").read_text(), where.chats)
    rooms.append(where.room("dev"), rooms.line_of("USER", "bob", times.now(), "I do not know"))
    answer(where, text + "\x1b[31m")
    answer(where, "a later one")
    out, _ = child.communicate(timeout=PATIENCE)
    assert (out, child.returncode) == (text + "␛[31m\n", status)


def test_no_answer_in_time_is_one_line_and_status_1(where: Home) -> None:
    done = run(where, "chat.py", "-m", "hello?", "--wait", "0.05")
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr.split("\n")[-2]
        == "dotagent: your message is saved in room dev, but no answer arrived within 0.05 s"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("Not/A/Room", "-m", "x"),
        ("../../etc", "-m", "x"),
        ("-m", " \n"),
        ("-m", "x", "--wait", "-1"),
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
    assert (
        done.returncode == 1 and "there is no dotagent data in" in done.stderr and not (tmp_path / "nowhere").exists()
    )
    where.room("odd").mkdir()
    done = run(where, "chat.py", "odd", "-m", "x")
    assert done.returncode == 1 and done.stderr.split("\n")[-2].endswith("move it away)")


@pytest.mark.slow
def test_with_an_agent_it_is_a_conversation(where: Home) -> None:
    with served(where):
        agent = spawn(where, "agent.py", "--provider", "offline")
        assert agent.stdout
        self_id = agent.stdout.readline().strip()
        done = run(where, "chat.py", "-m", "help", "--wait", f"{PATIENCE:g}")
        heard = run(where, "chat.py", "-m", "and thanks")
        agent.terminate()
        agent.communicate(timeout=PATIENCE)
    assert done.returncode == 0 and "offline" in done.stdout and done.stderr == ""
    assert (heard.returncode, heard.stderr) == (0, "")
    assert home.lives(where) == [self_id]
    done = run(where, "chat.py", "-m", "still there?")
    assert done.returncode == 1
    assert f", or the stopped agent {self_id[:12]}: python agent.py {self_id[:12]}" in done.stderr


# --- at a terminal, and commands


@pytest.mark.slow
def test_a_message_at_a_terminal_waits_for_its_answer_and_says_how_not_to(where: Home) -> None:
    with served(where):
        agent = spawn(where, "agent.py", "--provider", "offline")
        assert agent.stdout and agent.stdout.readline()
        with Terminal(where, "chat.py", "-m", "are you there?", width=100) as screen:
            assert "use --wait 0 to skip this" in screen.sees("I am here, I run and I hear you")
            assert screen.ends() == 0
        with Terminal(where, "chat.py", "-m", "and now?", "--wait", "0", width=100) as screen:
            assert screen.ends() == 0 and screen.screen.text() == ""
        agent.terminate()
        agent.communicate(timeout=PATIENCE)
    with Terminal(where, "chat.py", "-m", "still?", width=100) as screen:
        assert screen.ends() == 1 and "message saved" in screen.screen.text()


@pytest.mark.parametrize("words", [("-m", "/help"), ("-m", "/rooms"), ("-m", "/status"), ("-m", "/AGENTS")])
def test_a_command_is_answered_and_not_said(where: Home, words: tuple[str, ...]) -> None:
    done = run(where, "chat.py", *words)
    assert done.returncode == 0 and done.stdout.strip() and done.stderr == ""
    assert run(where, "chat.py", stdin=f"{words[-1]}\n").stdout == done.stdout
    assert said(where) == ["# dev private", ""]


@pytest.mark.parametrize(
    "text", ["/new", "/quit", "/times", "/hlep", "/file", "/file nothing.txt", "/room", "/room ops"]
)
def test_a_command_that_cannot_be_done_is_one_line_and_status_2(where: Home, text: str) -> None:
    done = run(where, "chat.py", "-m", text)
    assert done.returncode == 2 and re.fullmatch(r"dotagent: [^\n]+\n", done.stderr) and not done.stdout
    assert said(where) == ["# dev private", ""]


@pytest.mark.parametrize("name", ["context", "recall", "usage", "config", "standing"])
def test_a_command_of_the_shell_is_named_where_it_is_typed_in_a_chat(where: Home, name: str) -> None:
    done = run(where, "chat.py", "-m", f"/{name} x")
    told = f"dotagent: no command /{name}; use this instead: `python -m dotagent {name}`\n"
    assert (done.returncode, done.stderr) == (2, told)


def test_another_room_is_named_for_one_message_where_a_chat_would_go_there(where: Home) -> None:
    told = "dotagent: /room works only in a chat; to send one message to that room: python chat.py ops -m TEXT\n"
    assert run(where, "chat.py", "-m", "/room ops").stderr == told


def test_what_to_forget_is_a_message_that_the_agent_answers(where: Home) -> None:
    done = run(where, "chat.py", "-m", "/forget tea")
    assert (done.returncode, done.stdout) == (1, "") and "message saved" in done.stderr
    assert said(where) == ["# dev private", "[USER:ana] /forget tea", ""]


@pytest.mark.slow
def test_a_message_that_only_looks_like_a_command_is_said(where: Home) -> None:
    run(where, "chat.py", "-m", " /help")
    run(where, "chat.py", "-m", "/usr/bin is full")
    run(where, "chat.py", stdin="/help\nis what I typed\n")
    assert said(where)[1:] == ["[USER:ana]  /help", "[USER:ana] /usr/bin is full", "[USER:ana] /help",
                               "  is what I typed", ""]  # fmt: skip
