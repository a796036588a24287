"""An agent that stopped although nobody ended it: the person who waits in chat reads why, and what to do."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from alive import Alive, a_home
from talking import SCRIPTED, answers
from terminals import Terminal

from dotagent.store import home
from dotagent.store.home import Home
from dotagent.terminal import stop_reason
from dotagent.terminal.talk import Talk

PLAIN = ((), ("--plain",))


@pytest.fixture
def where() -> Iterator[Home]:
    with a_home() as made:
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("words", PLAIN)
def test_an_agent_that_is_killed_while_a_person_waits(where: Home, words: tuple[str, ...]) -> None:
    alive = Alive(where, *SCRIPTED)
    with Terminal(where, "chat.py", *words, width=150) as terminal:
        terminal.sees(f"{alive.id[:12]} running")
        terminal.type("are you there?\r")
        alive.waits_for("ASK")
        alive.end(signal.SIGKILL)
        screen = terminal.sees(f"{alive.id[:12]} has stopped: it was killed")
        assert "start it again with" in terminal.sees("start it again with")
        assert screen.count("has stopped") == 1


@pytest.mark.slow
def test_an_agent_that_ended_properly_has_not_stopped(where: Home) -> None:
    alive = Alive(where, *SCRIPTED)
    alive.end()
    assert stop_reason.find_reason(where, alive.id, where.room("dev")) == ""
    assert "or the stopped agent" in Talk(where, "dev", "ana").nobody()


@pytest.mark.slow
def test_an_agent_that_stops_for_a_deletion_starts_again_by_itself(where: Home) -> None:
    """Whoever answered yes to `forget that …` read that no agent is running, and how to start one."""
    Alive(where, *SCRIPTED).end()
    announced = where.root / "forgotten" / "announced.json"
    result = where.agent(home.lives(where)[0]) / "run" / "forgotten"
    announced.parent.mkdir(exist_ok=True)
    for path in (announced, result):  # the deletion is complete before the agent runs again
        path.write_text("{}")
        assert Talk(where, "dev", "ana").nobody() == ""
        os.utime(path, (1, 1))  # the process that did it crashed
        assert "or the stopped agent" in Talk(where, "dev", "ana").nobody()


@pytest.mark.slow
def test_what_the_system_refuses_is_named_before_an_old_log(where: Home) -> None:
    alive = Alive(where, *SCRIPTED)
    alive.end(signal.SIGKILL)
    log = where.agent(alive.id) / "agent.log"
    log.write_text("dotagent: something went wrong\n")
    assert "something went wrong (from " in stop_reason.find_reason(where, alive.id, where.room("dev"))
    os.utime(log, (1, 1))  # an earlier process wrote it
    assert "something went wrong" not in stop_reason.find_reason(where, alive.id, where.room("dev"))
    life = where.agent(alive.id) / "LIFE.md"
    life.rename(life.with_suffix(".away"))
    life.mkdir()
    assert "LIFE.md: Is a directory" in stop_reason.refused(life, where.room("dev"))


@pytest.mark.slow
def test_an_error_of_the_agent_and_a_room_that_refuses_its_words_are_shown(where: Home) -> None:
    alive = Alive(where, *SCRIPTED)
    with Terminal(where, "chat.py", width=150) as terminal:
        terminal.sees(f"{alive.id[:12]} running")
        terminal.type("hello\r")
        answers(where, "SAY nowhere Hello.")
        terminal.sees(f"{alive.id[:12]}: the agent could not send a message: ")
        answers(where, "WAIT")
        (where.root / "dotagent.toml").write_text("context_limit = -5\n")
        terminal.type("and now?\r")
        terminal.sees("context_limit")
    alive.end()
