"""An answer at a terminal while it is being written: what of it is shown, and what it costs."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import make_home
from terminal import AGENT, ID, Terminal, place, say

from dotagent.store import queue, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Outcome


@pytest.fixture
def where(tmp_path: Path) -> Iterator[Home]:
    home = make_home(tmp_path / "home")
    rooms.create(home.room("dev"), "private")
    yield home


def test_an_answer_is_shown_as_it_is_written_and_then_the_message_takes_its_place(where: Home) -> None:
    with Terminal(where, "chat.py") as terminal:
        terminal.sees("dev>")
        call = place(where)
        terminal.sees("0123456789ab: …")
        stream = queue.stream(where, ID)
        with open(stream, "a") as file:
            file.write("<reasoning>\nSAY dev a secret\n</reasoning>\n\nSAY dev The seat is 14A")
            file.flush()
            terminal.sees("0123456789ab: The seat is 14A\ndev>")
            terminal.type("typing")
            terminal.sees("dev> typing")
            file.write(", by the window.\nSAY ops not for this room\n")
            file.flush()
            terminal.sees("14A, by the window.\ndev> typing")
        queue.answer(where, where.store(), call, "whatever", Outcome())
        say(where, "AGENT", AGENT[:12], "The seat is 14A, by the window.")
        say(where, "USER", "bob", "thanks")
        screen = terminal.sees("by the window.\nbob: thanks\ndev> typing")
        assert screen.count("14A") == 1 and "secret" not in screen and "ops" not in screen


def test_the_newest_attempt_counts_and_a_draft_that_is_never_said_goes(where: Home) -> None:
    with Terminal(where, "chat.py") as terminal:
        terminal.sees("dev>")
        call = place(where)
        queue.stream(where, ID).write_text("SAY dev first attempt ")
        terminal.sees("first attempt")
        queue.stream(where, ID).write_text("SAY dev second attempt ")
        assert "first" not in terminal.sees("second attempt")
        queue.fail(where, call, "broken", "it broke")
        queue.drop(where, AGENT, ID)
        assert "attempt" not in terminal.until(lambda text: "attempt" not in text)


def test_a_draft_taller_than_the_screen_shows_its_end(where: Home) -> None:
    with Terminal(where, "chat.py", width=40, height=8) as terminal:
        terminal.sees("dev>")
        place(where)
        queue.stream(where, ID).write_text("SAY dev " + "".join(f"line {n} 日本語\n" for n in range(50)) + "the end ")
        screen = terminal.sees("the end")
        assert screen.endswith("  line 49 日本語\n  the end\ndev>")
        assert "line 40 " not in screen and screen.count("line 49") == 1


@pytest.mark.slow
def test_a_long_draft_takes_a_share_of_the_processor(where: Home) -> None:
    before, began, line = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic(), "日本語のテキスト。"
    with Terminal(where, "chat.py") as terminal:
        terminal.sees("dev>")
        place(where)
        with open(queue.stream(where, ID), "a") as file:
            file.write(line * 33_333)
            for number in range(400):  # as fast as it is shown, in small pieces
                file.write(f"{line} {number} ")
                file.flush()
                terminal.looks(0.01)
            file.write("\nthe end ")
            file.flush()
            terminal.sees("the end")
        terminal.type("\x04")
        assert terminal.ends() == 0
    after, took = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
    assert after.ru_utime - before.ru_utime < took / 4


def test_calls_of_other_rooms_show_what_they_say_here_and_nothing_else(where: Home) -> None:
    with Terminal(where, "chat.py") as terminal:
        terminal.sees("dev>")
        place(where, to="ops")
        queue.stream(where, ID).write_text("for ops only")
        other = "e" * 32
        place(where, other, to="ops")
        queue.stream(where, other).write_text("SAY ops for ops\nSAY dev and for dev \n")
        assert "ops" not in terminal.sees("and for dev")
