"""What an agent does shows while it does it, and is one line when it is done."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator

import pytest
from alive import Alive, a_home, hears, say
from talking import SCRIPTED, answers
from terminals import Terminal
from unkind import TERMINAL, obeyed

from dotagent.store.home import Home


@pytest.fixture
def where() -> Iterator[Home]:
    with a_home() as made:
        yield made


@pytest.mark.night
def test_a_tool_shows_while_it_works_and_the_turn_is_one_line_when_it_is_done(where: Home) -> None:
    alive = Alive(where, *SCRIPTED)
    me, gate = alive.id[:12], where.agent(alive.id) / "files/gate"
    os.mkfifo(gate)
    with Terminal(where, "chat.py", width=100) as terminal:
        terminal.sees(f"{me} running")
        terminal.type("what is there?\r")
        answers(where, "RUN read line <gate; echo done\nREAD_FILE MEMORY.md\nREAD_FILE no.md")
        screen = terminal.sees(f"{me} · 1 s · RUN read line <gate; echo done …")
        assert f"{me}: …" not in screen
        gate.write_text("go\n")
        terminal.sees("READ_FILE no.md (fail")
        answers(where, "RUN true\nRUN true")
        answers(where, "Nothing is there.")
        screen = terminal.until(lambda text: f"{me}: Nothing" in text and text.endswith("there.\ndev>"))
        folded = rf"{me} · \d+\.\d s · RUN read line <gate; echo done · READ_FILE MEMORY.md · READ_FILE no.md \(fail…"
        assert re.search(rf"ana: what is there\?\n{folded}\n{me}: Not", screen)
        assert screen.count("READ_FILE MEMORY") == 1
        terminal.type("more\r")
        answers(where, "READ_FILE MEMORY.md")
        terminal.until(lambda text: text.count("READ_FILE MEMORY") == 2)
        terminal.type("/times\r")  # shows what was said, and is no answer
        screen = terminal.until(lambda text: len(re.findall(r"\n\d\d:\d\d ", text)) == 3)
        assert len(re.findall(rf"\n{me} · [^\n]*READ_FILE MEMORY", screen)) == 2
        assert screen.rfind(f"\n{me} · ") > screen.rfind("ana: more")
        answers(where, "Still nothing.")
        terminal.sees(f"{me}: Still nothing.")
    alive.end()


def test_ctrl_c_ends_the_wait_of_one_message_and_says_that_it_is_saved(where: Home) -> None:
    alive = Alive(where, *SCRIPTED)
    with Terminal(where, "chat.py", "-m", "what is there?", width=100) as terminal:
        terminal.sees("waiting up to 120 seconds")
        terminal.interrupt()
        assert terminal.ends() == 130
        assert terminal.screen.text().endswith("your message is saved in room dev, where the answer will appear\n")
    answers(where, "Nothing is there.")
    hears(where, "Nothing is there.")
    alive.end()


@pytest.mark.slow
def test_a_turn_without_a_word_a_call_that_fails_and_another_room(where: Home) -> None:
    alive = Alive(where, *SCRIPTED)
    (where.chats / "ops.md").write_text("# ops private\n")
    os.symlink("../../../chats/ops.md", where.agent(alive.id) / "subs" / "ops.md")
    alive.waits_for("JOIN", 2)
    with Terminal(where, "chat.py", width=100) as terminal:
        terminal.sees("running")
        say(where, "do it in ops", "ops")
        answers(where, "READ_FILE MEMORY.md")
        answers(where, "done in ops")
        terminal.type("be silent\r")
        answers(where, "WRITE_FILE notes.md <<END\nx\nEND\nWAIT")
        screen = terminal.sees("s · WRITE_FILE notes.md")
        assert "ops" not in screen and "WAIT" not in screen
        terminal.type("look\r")
        answers(where, "KEEP nothing")
        terminal.sees("KEEP nothing (failed)")
        alive.end(signal.SIGKILL)
        terminal.until(lambda text: "KEEP" not in text)
    with Terminal(where, "chat.py", width=100) as terminal:
        terminal.sees("Start it? [Y/n]")
        terminal.type("n\r")
        terminal.sees("ana: look")
        terminal.type("and now?\r")
        assert "KEEP" not in terminal.sees("ana: and now?")


def test_a_call_reaches_the_terminal_without_its_controls(where: Home) -> None:
    alive = Alive(where, *SCRIPTED)
    with Terminal(where, "chat.py", width=100) as terminal:
        terminal.sees("running")
        terminal.type("what is there?\r")
        all_of_it = " ".join(TERMINAL.values()).replace("\0", "")
        answers(where, f"READ_FILE {all_of_it.replace(chr(13), '')}")
        screen = terminal.sees("READ_FILE")
        assert not obeyed(screen)
    alive.end()
