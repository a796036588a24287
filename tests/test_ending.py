"""SIGTERM ends an agent soon, whatever it does just then."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import deaths
import pytest
from alive import Alive, a_home, hears, said, say
from providers.loopback import STALL, Answer, Server, stream
from support import run, until
from world import World, offline, world

from dotagent import sandbox
from dotagent.life.compaction_events import Segment
from dotagent.life.events import Sleep
from dotagent.processes import background
from dotagent.store import disk, log, plugins, rooms
from dotagent.store.home import Home
from dotagent.text import times

MANY = 150_000  # messages that wait: hearing them takes far longer than that


def ends(alive: Alive) -> None:
    """A signal ends it before patience does: what it does just then would take longer on any machine."""
    status, _, err = alive.end(signal.SIGTERM)
    assert (status, err) == (0, "")


def storm(where: Home, words: str) -> None:
    """Let many messages wait in the room."""
    line = rooms.line_of("USER", "ana", times.now(), words)
    with open(where.room("dev"), "ab") as room:
        room.write(line * MANY)


@pytest.mark.slow
def test_in_a_storm_of_messages() -> None:
    with a_home() as where:
        alive = Alive(where, provider="offline")
        storm(where, "hello")
        alive.waits_for("HEAR", 60)
        ends(alive)
        assert len(alive.lines("HEAR")) < MANY


@pytest.mark.slow
@pytest.mark.parametrize("words", ["a long word " * 4000, "x" * 60_000])
def test_while_much_fades_at_once(words: str) -> None:
    with a_home() as where:
        alive = Alive(where, provider="offline")
        for _ in range(12):
            say(where, words)
        alive.waits_for("HEAR", 8)
        ends(alive)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["off", *(one for one in sandbox.KINDS if not sandbox.lacking(one))])
@pytest.mark.parametrize("command", ["sleep 600", "trap '' TERM INT HUP; while :; do :; done"])
def test_in_a_long_command(kind: str, command: str) -> None:
    with a_home() as where, Server(stream(f"RUN {command}")) as server:
        alive = Alive(where, DEEPSEEK_API_KEY="x", DEEPSEEK_API_BASE=server.base, DOTAGENT_SANDBOX=kind)
        say(where, "go")
        until(lambda: (where.agent(alive.id) / "run/now/pid").exists(), where.agent(alive.id))
        ends(alive)


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--linger", "600")])
def test_while_it_waits_for_a_model(words: tuple[str, ...]) -> None:
    with a_home() as where, Server(Answer((STALL,))) as server:
        alive = Alive(where, *words, DEEPSEEK_API_KEY="x", DEEPSEEK_API_BASE=server.base)
        say(where, "hello")
        until(lambda: server.received, where.calls)
        ends(alive)


@pytest.mark.slow
def test_while_it_lingers() -> None:
    with a_home() as where:
        alive = Alive(where, "--linger", "600", provider="offline")
        say(where, "hello")
        until(lambda: said(where), where.chats)
        ends(alive)


@pytest.mark.slow
def test_while_a_question_is_open() -> None:
    with a_home() as where, Server(stream("RUN echo foreign"), stream("SAY other hello"), stream("ok")) as server:
        rooms.create(where.room("other"), "private")
        alive = Alive(where, DEEPSEEK_API_KEY="x", DEEPSEEK_API_BASE=server.base)
        say(where, "go")
        hears(where, "Before I do this")
        ends(alive)
        assert not said(where, room="other")


@pytest.mark.slow
def test_while_the_context_fades() -> None:
    """Its summaries have been asked for, and no model answers."""

    with a_home() as where, Server(*[stream("word " * 400)] * 6, Answer((STALL,))) as server:
        alive = Alive(where, DEEPSEEK_API_KEY="x", DEEPSEEK_API_BASE=server.base)
        for number in range(6):
            say(where, f"{number}: " + "tell me more " * 200)
            until(lambda number=number: len(said(where)) > number, where.chats)  # type: ignore[misc]
        assert run(where, "-m", "dotagent", "fade", alive.id).returncode == 0
        alive.waits_for(Segment.WORD, 1)
        ends(alive)


@pytest.mark.slow
def test_while_it_ends_a_process_that_does_not_listen() -> None:
    command = "trap '' TERM; while :; do sleep 0.1; done"
    with a_home() as where, Server(stream(f"PROCESS start {command}"), stream("PROCESS kill 1")) as server:
        alive = Alive(where, DEEPSEEK_API_KEY="x", DEEPSEEK_API_BASE=server.base)
        say(where, "go")
        alive.waits_for("EFFECT", 2)
        ends(alive)
        folder = where.agent(alive.id) / "processes/1"
        until(lambda: background.describe_end(folder), folder)


SPIN = """
import re
FOR, USAGE, EFFECT, ORIGIN = "Spin", ("SPIN",), "", "own"
def act(session, call):
    {0}
"""


@pytest.mark.slow
@pytest.mark.parametrize("step", ["while True: pass", "re.fullmatch('(a|a)*b', 'a' * 999)"])
def test_in_a_step_that_computes_without_end(step: str) -> None:
    """In Python or in C: nothing but the timer that the signal sets ends it."""
    with a_home() as where, Server(stream("SPIN")) as server:
        (where.root / "tools").mkdir()
        (where.root / "tools/spin.py").write_text(SPIN.format(step))
        plugins.decide(where.root, plugins.every(where.root)[0], True)
        alive = Alive(where, DEEPSEEK_API_KEY="x", DEEPSEEK_API_BASE=server.base)
        say(where, "go")
        alive.waits_for("REPLY")
        assert alive.end(signal.SIGTERM) == (0, "", "")  # which waits no longer than a while for the end


TERM = """
import os, signal
FOR, USAGE, EFFECT, ORIGIN = "End", ("TERM",), "", "own"
def act(session, call):
    os.kill(os.getpid(), signal.SIGTERM)
    return b"sent"
"""


@pytest.mark.parametrize("more", ["", "NOTE it rains", "TERM", "RUN echo one\nSAY dev hello"])
def test_after_the_signal_no_further_call_begins_and_no_model_is_asked(more: str) -> None:
    """The signal comes in the midst of a reply, from within the agent, so that nothing depends on time."""
    with a_home() as where, Server(stream(f"TERM\n{more}"), stream("well")) as server:
        (where.root / "tools").mkdir()
        (where.root / "tools/term.py").write_text(TERM)
        plugins.decide(where.root, plugins.every(where.root)[0], True)
        alive = Alive(where, DEEPSEEK_API_KEY="x", DEEPSEEK_API_BASE=server.base)
        say(where, "go")
        alive.waits_for("SLEEP")
        assert alive.end(0)[0] == 0  # it has ended by itself
        events = [line.event for line in alive.lines()]
        assert events[events.index("REPLY") + 1 :] == ["TOOL", "SLEEP"] and events.count("ASK") == 1


def test_while_another_program_keeps_a_file_locked() -> None:
    """It would wait as long as that program has the file."""
    with a_home() as where, Server(stream("NOTE it rains")) as server, ExitStack() as held:
        alive = Alive(where, DEEPSEEK_API_KEY="x", DEEPSEEK_API_BASE=server.base)
        days = [datetime.now(UTC).date() + timedelta(days) for days in (-1, 0, 1)]  # in any time zone
        for day in days:
            note = where.agent(alive.id) / "memory" / f"{day}.md"
            note.parent.mkdir(exist_ok=True)
            held.enter_context(disk.locked(held.enter_context(open(note, "wb")).fileno()))
        say(where, "go")
        alive.waits_for("REPLY")
        ends(alive)


def test_while_it_restarts_to_forget(tmp_path: Path) -> None:
    """It does not start again: the next start forgets."""

    def work() -> None:
        with world(tmp_path, offline) as it:
            it.session.leaving = it.session.anew = True
            os.kill(os.getpid(), signal.SIGTERM)
            assert it.session.leaving and not it.session.anew

    assert deaths.child(work) == 0


def last_event(path: Path) -> str:
    """The last event of the only life in this home."""
    (life,) = path.glob("agents/*/LIFE.md")
    return next(log.backwards(life)).event


def test_when_the_time_is_over_it_ends_at_once_however_little_of_it_the_agent_had(tmp_path: Path) -> None:
    """Whoever else had the processor. The next start goes on."""

    def ring(_: World) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGALRM)  # what rings when the time is over

    def work() -> None:
        with world(tmp_path, offline, provider="offline") as it:
            it.say("hello")
            it.on_step = ring
            it.run()
        os._exit(3)

    assert deaths.child(work) == 0
    assert last_event(tmp_path) != Sleep.WORD
    with world(tmp_path, offline, provider="offline") as it:
        it.run()
        assert len(said(it.where)) == 1


def test_it_has_written_that_it_stops_before_it_tells_anybody(tmp_path: Path) -> None:
    """So that it is durable even if nobody reads what it says, or another program has the processor."""

    def work() -> None:
        with world(tmp_path, offline, provider="offline") as it:
            it.say("remind me on 3 May 2126 at 9am to call mum")
            it.run()
            _, write = os.pipe()
            os.set_blocking(write, False)
            with suppress(BlockingIOError):
                while os.write(write, b"x" * 512):
                    pass
            os.set_blocking(write, True)
            sys.stderr = open(write, "w", buffering=1)  # noqa: SIM115 it ends with the process
            os.kill(os.getpid(), signal.SIGTERM)
        os._exit(3)

    assert deaths.child(work) == 0
    assert last_event(tmp_path) == Sleep.WORD
