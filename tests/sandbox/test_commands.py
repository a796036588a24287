"""RUN and PROCESS in each kind of sandbox: their protocol holds as it does without one."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from alive import Alive, a_home, hears, processes, say
from cages import caged
from hands import Hands, a_life
from providers.loopback import Server, stream
from support import until

from dotagent import sandbox, tools
from dotagent.capabilities.shell.tools import run
from dotagent.life.session import Patience
from dotagent.processes import background
from dotagent.store import process

GROWS = "while :; do echo x >> grows; sleep 0.02; done"


@pytest.fixture(params=sandbox.KINDS)
def hands(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Hands]:
    with caged(tmp_path, request.param) as life:
        yield life


def marked(mark: str) -> list[int]:
    """The processes that have the mark in their environment."""
    return processes(f"{background.MARK}={mark}".encode(), "environ")


@pytest.mark.slow
def test_output_status_input_and_signals(hands: Hands) -> None:
    assert hands.shows("RUN echo one; echo two >&2; exit 3") == "exit status 3\none\ntwo\n"
    assert hands.shows("RUN pwd; cat") == f"exit status 0\n{hands.path}/files\n"
    assert hands.shows("RUN kill -9 $$") == "killed by signal 9\n"
    assert hands.shows("RUN nosuchcommand").startswith("exit status 127\n")
    assert hands.shows("RUN cat <<'EOF'\n$HOME\nEOF") == "exit status 0\n$HOME\n"
    assert hands.shows("RUN echo hi > /dev/stdout; yes | head -1") == "exit status 0\nhi\ny\n"  # SIGPIPE ends yes
    hands.fails("RUN echo a\0b", "could not be started")


def test_the_python_that_we_run_by_is_there_though_path_does_not_name_it(
    hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a unit of systemd starts it; the proxy of `hosts` runs by it, too."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert hands.shows(f"RUN {sys.executable} -c 'print(6 * 7)'") == "exit status 0\n42\n"


def test_it_ends_with_all_it_started(hands: Hands) -> None:
    begun = "until [ -s grows ]; do sleep 0.01; done"
    assert hands.shows(f"RUN setsid sh -c '{GROWS}' & {begun}") == "exit status 0\n"
    grows = hands.path / "files/grows"
    size = grows.stat().st_size
    assert not marked(str(hands.path))
    hands.shows("RUN sleep 0.1")
    assert grows.stat().st_size == size
    assert hands.shows("RUN yes").startswith("stopped: the command printed more than 1,048,576 bytes\ny\n")
    assert (hands.path / "run/now/out").stat().st_size < 2 * run.MOST


@pytest.mark.slow
def test_one_that_takes_long_goes_on_as_a_process(hands: Hands) -> None:
    hands.session.patience = Patience(run=0.5)
    command = "echo begun; until [ -e go ]; do sleep 0.02; done; echo end; exit 5"
    shown = hands.shows(f"RUN {command}")
    assert "it continues as process 1" in shown and shown.endswith("begun\n")
    (hands.path / "files/go").touch()
    folder = hands.path / "processes/1"
    assert until(lambda: background.describe_end(folder), folder) == "exit status 5"
    assert hands.shows("PROCESS poll 1") == "process 1: exit status 5\nend\n"


def test_a_process_is_written_to_and_may_clean_up(hands: Hands) -> None:
    hands.shows("PROCESS start trap 'echo bye; exit 7' TERM; read word; echo got $word; while :; do sleep 0.02; done")
    folder = hands.path / "processes/1"
    assert hands.shows("PROCESS write 1 milk") == "written to process 1"
    until(lambda: b"got milk\n" in background.output(folder, 0)[0], folder)
    assert hands.shows("PROCESS kill 1") == "process 1 was killed"
    assert background.describe_end(folder) == "exit status 7"
    assert background.output(folder, 0)[0].endswith(b"bye\n")


@pytest.mark.slow
def test_a_process_that_listens_to_nothing_is_killed_whole(hands: Hands) -> None:
    hands.shows(f"PROCESS start trap '' TERM; setsid sh -c '{GROWS}' & wait; {GROWS}")
    grows = hands.path / "files/grows"
    until(lambda: grows.exists() and grows.stat().st_size > 4, hands.path / "processes/1")
    assert hands.shows("PROCESS kill 1") == "process 1 was killed"
    assert background.describe_end(hands.path / "processes/1") == "it was killed"
    assert not marked(f"{hands.path}/processes/1")


def test_of_a_flood_the_end_is_kept(hands: Hands) -> None:
    hands.shows("PROCESS start seq 1 400000; echo last")
    folder = hands.path / "processes/1"
    until(lambda: background.describe_end(folder), folder)
    data, first, last = background.output(folder, 0)
    assert data.endswith(b"400000\nlast\n") and len(data) == last - first
    assert last == sum(len(str(n)) + 1 for n in range(1, 400_001)) + 5


@pytest.mark.slow
@pytest.mark.parametrize("kind", sandbox.KINDS)
def test_a_kill_of_the_agent_leaves_no_command_behind(kind: str) -> None:
    """Real processes: kill -9 while a command runs in its sandbox; it is told of, and not run again."""
    if why := sandbox.lacking(kind):
        pytest.skip(f"no {kind} here: {why}")
    command = f"SAY dev I begin\nRUN (setsid sh -c '{GROWS}' &) ; echo begun; echo x >> ran; sleep 100"
    with a_home() as where, Server(stream(command), stream("it was interrupted")) as server:
        env = {"DEEPSEEK_API_KEY": "x", "DEEPSEEK_API_BASE": server.base, "DOTAGENT_SANDBOX": kind}
        alive = Alive(where, **env)
        path = where.agent(alive.id)
        say(where, "go")
        hears(where, "I begin")
        until(lambda: (path / "files/grows").exists(), path)
        inside = [(pid, process.start_time(pid)) for pid in marked(f"{path}@")]
        alive.end(signal.SIGKILL)
        again = Alive(where, alive.id, **env)
        hears(where, "it was interrupted")
        assert len(inside) > 2 and not any(process.lives(*one) for one in inside)
        (line,) = again.lines("TOOL")
        told = where.store().get(line.id).body
        assert told.startswith(b"interrupted: ") and told.endswith(b"It printed:\nbegun\n")
        assert (path / "files/ran").read_text() == "x\n"
        again.end()


# --- who may, and what is told


@pytest.mark.parametrize("kind", sandbox.KINDS)
def test_lives_that_hear_others_run_commands_in_it(tmp_path: Path, kind: str) -> None:
    with caged(tmp_path, kind, "--audience", "group", "--room", "all") as hands:
        assert hands.shows("RUN echo yes") == "exit status 0\nyes\n"
        hands.session.settings = replace(hands.session.settings, sandbox="off")
        hands.fails("RUN echo yes", "you cannot run commands", 'sandbox = "off"')


def test_the_prompt_says_what_commands_may_reach(hands: Hands) -> None:
    def facts(**settings: str) -> str:
        mine = hands.session
        return tools.facts(tools.make_life(mine.home, mine.id, replace(mine.settings, **settings), mine.state))

    assert facts() == tools.facts(hands.session) and facts().startswith(tools.usage(tools.list_names(hands.session)))
    assert f"Commands run in a sandbox ({hands.session.settings.sandbox}): they can change files/" in facts()
    assert "and have no network. Your documents" in facts()
    assert "and have the network." in facts(network="on")
    assert facts(sandbox="off") == tools.usage(tools.list_names(hands.session))


def test_required_refuses_where_there_is_none(tmp_path: Path) -> None:
    """A kind that this machine lacks, or one whose program is not where programs are."""
    with a_life(tmp_path) as hands:
        asked = replace(hands.session.settings, sandbox="required")
        lacking = [one for one in sandbox.KINDS if sandbox.lacking(one)]
        assert bool(sandbox.refuses(asked)) == (len(lacking) == len(sandbox.KINDS))
        for kind in lacking:
            hands.session.settings = replace(asked, sandbox=kind)
            hands.fails("RUN echo yes", "no commands can run", kind)
            assert "no commands can run" in sandbox.status(hands.session.settings)
        hands.session.settings = replace(asked, sandbox="off")
        assert hands.shows("RUN echo yes") == "exit status 0\nyes\n"
        assert "without a sandbox, with your permissions" in sandbox.status(hands.session.settings)


def test_a_failure_that_it_may_have_caused_has_a_hint(hands: Hands) -> None:
    refused = hands.shows("RUN echo x > /usr/x")
    assert (
        "(the sandbox may be the cause. " in refused
        and 'roots = ["/a/folder"]' in refused
        and 'sandbox = "off"' in refused
    )
    assert "no network" in hands.shows("RUN echo 'curl: (6) Could not resolve host: example.org' >&2; exit 6")
    assert "sandbox" not in hands.shows("RUN false")
    assert "sandbox" not in hands.shows("RUN echo permission denied")
