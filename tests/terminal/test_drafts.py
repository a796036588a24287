"""An answer at a terminal while it is being written: what of it is shown, and what it costs."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import make_home
from terminals import AGENT, ID, Terminal, place, say

from dotagent.providers.server.stream import Stream
from dotagent.store import queue, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.store.watch import Watcher
from dotagent.terminal.drafts import Draft, Drafts


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


@pytest.mark.night
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
                terminal.looks()
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


def looked(drafts: Drafts) -> list[Draft]:
    watching = Watcher()
    drafts.watch(watching)
    watching.close()
    return drafts.current()


def test_it_tells_what_a_person_waits_for_until_the_first_word(where: Home) -> None:
    drafts = Drafts(where, "dev")
    queue.place(where, Call(ID, AGENT, "own", "live", "dev"))
    assert [(one.text, one.waits) for one in looked(drafts)] == [("", "waiting for own to take the message")]
    call = queue.take(where, "own")
    assert call
    assert [one.waits for one in looked(drafts)] == ["waiting for the first word of own"]
    stream = Stream(where, call, 0)
    stream.begin(1)
    stream.write("read", "512/4096")
    assert [one.waits for one in looked(drafts)] == ["the model is reading the prompt: 512 of 4,096 tokens (12 %)"]
    stream.write("read", "2048/4096")
    assert [one.waits for one in looked(drafts)] == ["the model is reading the prompt: 2,048 of 4,096 tokens (50 %)"]
    stream.write("reasoning", "SAY dev a secret")
    assert [(one.text, one.waits) for one in looked(drafts)] == [("", "the model is thinking")]
    stream.write("text", "SAY dev The seat")
    assert [(one.text, one.waits) for one in looked(drafts)] == [("The seat", "")]
    stream.close()
    assert [path.name for path in (where.calls / "stream").iterdir()] == [f"{ID}.1"]


def test_a_message_behind_other_calls_says_so(where: Home) -> None:
    drafts = Drafts(where, "dev")
    queue.place(where, Call("a" * 32, AGENT, "own", "background"))
    before = queue.take(where, "own")
    assert before
    queue.place(where, Call(ID, AGENT, "own", "live", "dev"))
    assert [one.waits for one in looked(drafts)] == ["waiting until own has summarised an agent's old context"]
    queue.fail(where, before, "cancelled", "")
    queue.place(where, Call("b" * 32, AGENT, "own", "live", "ops"))
    assert queue.claim(where, queue.waiting(where, "own")[-1])
    assert [one.waits for one in looked(drafts)] == ["waiting until own has answered another message"]
    queue.drop(where, AGENT, ID)


def test_a_dropped_call_leaves_nothing_of_what_was_read(where: Home) -> None:
    call = place(where)
    queue.stream(where, ID)
    queue.reading(where, ID).write_text("1/2")
    queue.fail(where, call, "broken", "it broke")
    queue.drop(where, AGENT, ID)
    assert not list((where.calls / "stream").iterdir())


@pytest.mark.slow
def test_the_terminal_shows_what_it_waits_for(where: Home) -> None:
    with Terminal(where, "chat.py") as terminal:
        terminal.sees("dev>")
        place(where)
        queue.stream(where, ID)
        queue.reading(where, ID).write_text("1200/4000")
        terminal.sees(" s, the model is reading the prompt: 1,200")
