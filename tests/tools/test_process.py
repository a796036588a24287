"""PROCESS: a command that outlives the turn and the agent; its output, its input, its end; never started twice."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from alive import Alive, a_home, hears, processes, say
from hands import Hands, a_life, cleared
from providers.loopback import Server, stream
from support import until

import agent
from dotagent import sandbox
from dotagent.capabilities.shell.tools import process as tool
from dotagent.life import stop_requests
from dotagent.life.events import Ask
from dotagent.life.policy import Act
from dotagent.life.session import Patience
from dotagent.processes import background
from dotagent.store import process
from dotagent.text.grammar import ToolCall
from dotagent.tools import ToolError


@pytest.fixture
def hands(tmp_path: Path) -> Iterator[Hands]:
    with a_life(tmp_path) as life, cleared(life):
        yield life


def start(hands: Hands, command: str) -> Path:
    """Start a command; its directory."""
    shown = hands.shows(f"PROCESS start {command}")
    number = shown.removeprefix("started as process ").partition(";")[0]
    return hands.path / "processes" / number


def ended(folder: Path) -> str:
    """Wait for its end."""
    return until(lambda: background.describe_end(folder), folder)


def prints(folder: Path, words: bytes) -> None:
    """Wait until it printed this."""
    until(lambda: words in background.output(folder, 0)[0], folder)


def test_it_goes_on_while_the_agent_does_other_things(hands: Hands) -> None:
    folder = start(hands, "echo one; read word; echo got $word; exit 3")
    prints(folder, b"one\n")
    assert hands.shows("PROCESS poll 1") == "process 1: runs\none\n"
    assert hands.shows("PROCESS poll 1") == "process 1: runs; it printed nothing new\n"
    assert hands.shows("PROCESS list").startswith("1  runs, since 20")
    assert hands.shows("PROCESS write 1 milk") == "written to process 1"
    assert ended(folder) == "exit status 3"
    assert hands.shows("PROCESS poll 1") == "process 1: exit status 3\ngot milk\n"
    assert hands.shows("PROCESS clear") == "removed 1 ended processes from the list; 0 are still running"
    assert hands.shows("PROCESS list") == "there are no processes"


def test_its_end_is_told_once_in_the_room_where_it_began(hands: Hands) -> None:
    hands.world.say("begin")
    hands.world.me.inbox.hear()
    hands.session.record(Ask("scripted", "dev"), b"")
    folder = start(hands, "echo done; exit 1")
    ended(folder)
    assert hands.world.me.inbox.hear()
    (line,) = hands.events("ENDED")
    assert line.detail == "1 dev exit status 1"
    assert hands.session.store.get(line.id).body == b"process 1 has ended: exit status 1\ndone\n"
    assert hands.session.state.turn.wake == "dev"
    assert not hands.world.me.inbox.hear()
    assert hands.shows("PROCESS poll 1") == "process 1: exit status 1; it printed nothing new\n"
    hands.shows("PROCESS clear")
    assert start(hands, "true").name == "2"  # no number is used again


def test_several_lines_and_a_script(hands: Hands) -> None:
    folder = start(hands, "<<EOF\nfor n in 1 2; do\n  read word; echo $n $word\ndone\nEOF")
    assert hands.shows("PROCESS write 1 <<END\na\nb\nEND") == "written to process 1"
    assert ended(folder) == "exit status 0"
    assert background.output(folder, 0)[0] == b"1 a\n2 b\n"


def test_what_a_flood_leaves_is_its_end_and_how_much_went(hands: Hands) -> None:
    folder = start(hands, "seq 1 400000; echo last")
    ended(folder)
    total = sum(len(str(n)) + 1 for n in range(1, 400_001)) + 5
    data, first, last = background.output(folder, 0)
    assert last == total
    assert data.endswith(b"400000\nlast\n")
    assert first > 0
    assert len(data) == last - first
    assert sum(path.stat().st_size for path in folder.iterdir()) < 2 * background.MOST
    shown = hands.shows("PROCESS poll 1")
    assert " of the output are not shown\n" in shown
    assert shown.endswith("400000\nlast\n")


def test_a_kill_ends_it_whole(hands: Hands) -> None:
    stray = "setsid sh -c 'echo $$ > stray; exec sleep 100' & echo $$ > own; sleep 100"
    folder = start(hands, stray)
    for name in ("stray", "own"):
        until(
            lambda name=name: (hands.path / "files" / name).exists() and (hands.path / "files" / name).read_text(),
            hands.path,
        )
    pids = [int((hands.path / "files" / name).read_text()) for name in ("stray", "own")]
    assert hands.shows("PROCESS kill 1") == "process 1 was killed"
    assert not any(map(process.start_time, pids))
    assert background.describe_end(folder) == "it was killed"
    assert not hands.world.me.inbox.hear()  # it was killed on purpose
    hands.fails("PROCESS kill 1", "has ended: it was killed")
    hands.fails("PROCESS write 1 x", "has ended")


def test_a_kill_in_a_turn_that_a_person_stops_leaves_no_time_to_clean_up(hands: Hands) -> None:
    hands.world.say("tidy up")
    while not hands.session.state.turn.call:
        assert agent.step(hands.world.me)
    folder = start(hands, "trap '' TERM; echo ready; while :; do sleep 0.02; done")
    prints(folder, b"ready\n")
    stop_requests.ask(hands.where, "dev", "ana")
    begun = time.monotonic()
    assert hands.shows("PROCESS kill 1") == "process 1 was killed"
    assert time.monotonic() - begun < tool.GRACE


def test_what_listens_may_clean_up(hands: Hands) -> None:
    folder = start(hands, "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.02; done")
    prints(folder, b"ready\n")
    hands.shows("PROCESS kill 1")
    assert background.output(folder, 0)[0].endswith(b"bye\n")


def test_a_server_in_the_background_ends_with_its_shell(hands: Hands) -> None:
    folder = start(hands, "sleep 100 & echo $!")
    assert ended(folder) == "exit status 0"
    pid = int(background.output(folder, 0)[0])
    until(lambda: not process.start_time(pid), folder)


def test_a_command_whose_start_was_left_out_is_started_and_judged_as_that(hands: Hands) -> None:
    hands.shows("PROCESS echo here")
    folder = hands.path / "processes/1"
    until(lambda: background.describe_end(folder), folder)
    assert background.output(folder, 0)[0] == b"here\n"
    asked = [tool.effect(hands.session, ToolCall("PROCESS", f"{how}echo here", None)) for how in ("", "start ")]
    assert asked == [Act("run", "start echo here")] * 2


@pytest.mark.parametrize("kind", [one for one in sandbox.KINDS if not sandbox.lacking(one)])
def test_writing_to_a_process_that_began_outside_a_closed_sandbox_is_an_effect(hands: Hands, kind: str) -> None:
    closed = replace(hands.session.settings, sandbox=kind)
    said = [ToolCall("PROCESS", f"write {number} hello", None) for number in (1, 2)]
    hands.session.settings = replace(closed, network="on")
    start(hands, "cat")
    hands.session.settings = closed
    start(hands, "cat")
    assert [tool.effect(hands.session, one) for one in said] == [Act("run", "write 1 hello"), None]


def test_what_is_wrong_is_told(hands: Hands) -> None:
    hands.fails("PROCESS", "write PROCESS in one of these forms")
    hands.fails("PROCESS begin x", "write PROCESS in one of these forms")
    hands.fails("PROCESS start", "the command to start is missing")
    hands.fails("PROCESS poll", "(no number)")
    hands.fails("PROCESS poll ../..", "no process ../..")
    hands.fails("PROCESS kill 7", "no process 7; PROCESS list")
    hands.fails(f"PROCESS start {'x' * 200_000}", "could not be started")
    folder = start(hands, "sleep 100")
    hands.fails(f"PROCESS write {folder.name} {'x' * 70_000}", "at most 65,536 bytes")
    hands.shows(f"PROCESS write {folder.name} {'x' * 60_000}")
    hands.fails(f"PROCESS write {folder.name} {'x' * 60_000}", "does not read")


def test_there_are_not_too_many(hands: Hands, tmp_path: Path) -> None:
    for number in range(1, background.AT_ONCE + 1):
        (hands.path / "processes" / str(number)).mkdir(parents=True)
    hands.fails("PROCESS start true", "32 processes are already running")
    for number in range(1, background.AT_ONCE + 1):
        (hands.path / "processes" / str(number) / "ended").write_text("exit status 0\n")
    assert start(hands, "true").name == "33"
    assert len(background.numbers(hands.path / "processes")) == background.AT_ONCE


def test_only_a_life_that_hears_its_person_alone_starts_commands(tmp_path: Path) -> None:
    with a_life(tmp_path, "--audience", "group", "--room", "all") as hands:
        hands.fails("PROCESS start touch ran", "cannot run commands")
        assert not hands.events("EFFECT")


def test_a_command_sees_no_secret(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "sk-secret")
    folder = start(hands, "env")
    ended(folder)
    assert b"sk-secret" not in background.output(folder, 0)[0]


def test_a_supervisor_that_is_killed_is_replaced(hands: Hands) -> None:
    folder = start(hands, "read word")
    mine = f"dotagent.processes.supervisor\0{folder}\0".encode()
    found: list[int] = []

    def supervisor() -> bool:
        found[:] = processes(mine)
        return bool(found) and (folder / "lock").exists()

    until(supervisor, folder)
    os.kill(found[0], signal.SIGKILL)
    until(lambda: not process.start_time(found[0]), folder)
    hands.shows("PROCESS list")  # looks after it
    hands.shows("PROCESS write 1 x")
    assert ended(folder) == "exit status 0"


# --- interrupted


def test_a_start_that_did_not_happen_happens_and_one_that_did_does_not_again(hands: Hands) -> None:
    call = ToolCall("PROCESS", "start echo x >> ran; read word", None)
    folder = hands.path / "processes" / "1"
    folder.mkdir(parents=True)
    assert tool.recover(hands.session, call, f"start 1 {call.args}").startswith(b"started as process 1")
    ran = hands.path / "files/ran"
    until(lambda: ran.exists() and ran.read_text() == "x\n", hands.path)
    assert tool.recover(hands.session, call, f"start 1 {call.args}").startswith(b"started as process 1")
    hands.shows("PROCESS write 1 x")
    ended(folder)
    assert tool.recover(hands.session, call, f"start 1 {call.args}").startswith(b"started as process 1")
    assert ran.read_text() == "x\n"


def test_what_was_shown_is_shown_again_and_what_was_written_is_not(hands: Hands) -> None:
    folder = start(hands, "echo one; echo two")
    ended(folder)
    assert tool.recover(hands.session, ToolCall("PROCESS", "poll 1", None), "poll 1 0 4").endswith(b"\none\n")
    assert hands.shows("PROCESS poll 1").endswith("\ntwo\n")
    with pytest.raises(ToolError, match="may or may not have happened"):
        tool.recover(hands.session, ToolCall("PROCESS", "write 1 x", None), "write 1 2")
    with pytest.raises(ValueError, match=r"enough values|invalid literal"):
        tool.recover(hands.session, ToolCall("PROCESS", "x", None), "rubbish")


@pytest.mark.slow
def test_it_lives_on_when_the_agent_is_killed_and_its_end_wakes_the_next_one() -> None:
    """Real processes: kill -9 of the agent while a command runs; it ends while nobody is there."""
    with (
        a_home() as where,
        Server(
            stream("PROCESS start echo x >> ran; read word < go; echo $word"),
            stream("it runs"),
            stream("I saw the end"),
        ) as server,
    ):
        env = {"DEEPSEEK_API_KEY": "x", "DEEPSEEK_API_BASE": server.base}
        alive = Alive(where, **env)
        path = where.agent(alive.id)
        os.mkfifo(path / "files/go")
        say(where, "go")
        hears(where, "it runs")
        alive.end(signal.SIGKILL)
        (path / "files/go").write_text("over\n")
        folder = path / "processes/1"
        assert ended(folder) == "exit status 0"
        again = Alive(where, alive.id, **env)
        hears(where, "I saw the end")
        (line,) = again.lines("ENDED")
        assert where.store().get(line.id).body == b"process 1 has ended: exit status 0\nover\n"
        assert (path / "files/ran").read_text() == "x\n"
        again.end()


# --- RUN that takes too long


def test_a_run_that_takes_too_long_goes_on_as_a_process(hands: Hands) -> None:
    hands.session.patience = Patience(run=0.2)
    shown = hands.shows("RUN echo begun; mkfifo go; read word < go; echo $word; exit 4")
    assert shown.startswith("the command takes longer than 0.2 s, so it continues as process 1. PROCESS poll 1 ")
    assert shown.endswith("so far:\nbegun\n")
    assert hands.shows("RUN echo another") == "exit status 0\nanother\n"
    until(lambda: (hands.path / "files/go").exists(), hands.path)
    (hands.path / "files/go").write_text("over\n")
    assert ended(hands.path / "processes/1") == "exit status 4"
    assert hands.shows("PROCESS poll 1") == "process 1: exit status 4\nover\n"


def test_a_run_that_went_on_is_told_of_once(hands: Hands) -> None:
    """The agent died right after the rename: the next one neither kills nor repeats it."""
    from dotagent.capabilities.shell.tools import run

    hands.session.patience = Patience(run=0.2)
    hands.shows("RUN echo x >> ran; echo begun; sleep 100")
    told = background.read_process(hands.path / "processes/1")
    assert told
    assert told.alive
    again = run.recover(hands.session, ToolCall("RUN", "echo x", None), hands.effects("RUN")[-1])
    assert b"continues as process 1" in again
    assert again.endswith(b"begun\n")
    assert told.alive
    hands.shows("RUN true")
    assert run.recover(hands.session, ToolCall("RUN", "true", None), "true").startswith(b"interrupted")
    assert told.alive
    hands.shows("PROCESS kill 1")
    assert not told.alive
    assert (hands.path / "files/ran").read_text() == "x\n"
