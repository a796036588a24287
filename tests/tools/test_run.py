"""RUN: a command in a group of its own, within its limits, without secrets, and never run a second time."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from alive import Alive, a_home, hears, say
from hands import Hands, a_life
from providers.loopback import Server, stream
from support import make_home, until
from support import run as run_program

from dotagent.capabilities.shell.tools import run
from dotagent.life import session
from dotagent.life.session import Patience
from dotagent.processes import background
from dotagent.store import process, variables
from dotagent.text import tokens
from dotagent.text.grammar import ToolCall


def gone(pid: int, started: str) -> None:
    """Wait until the process is gone: whoever inherits it reaps it."""
    while process.lives(pid, started):
        os.sched_yield()


def left(path: Path) -> tuple[int, str]:
    """The process whose pid a command wrote into a file."""
    pid = int(until(lambda: path.read_text().strip() if path.exists() else "", path.parent))
    started = process.start_time(pid)
    assert started
    return pid, started


# --- what a command sees and shows


def test_output_status_and_place(hands: Hands) -> None:
    assert hands.shows("RUN echo one; echo two >&2; exit 3") == "exit status 3\none\ntwo\n"
    assert hands.shows("RUN pwd") == f"exit status 0\n{hands.path / 'files'}\n"
    assert hands.shows("RUN cat") == "exit status 0\n"  # no standard input to wait for
    assert hands.shows("RUN kill -9 $$") == "killed by signal 9\n"
    assert hands.shows("RUN nosuchcommand").startswith("exit status 127\n")
    assert hands.shows("RUN echo x >notes.md; printf %s done") == "exit status 0\ndone"
    assert (hands.path / "files/notes.md").read_text() == "x\n"


def test_here_documents_and_scripts_are_the_shells(hands: Hands) -> None:
    assert hands.shows("RUN cat <<EOF; echo after\n$((1+1)) SAY dev no\nEOF") == "exit status 0\n2 SAY dev no\nafter\n"
    assert hands.shows("RUN cat <<'EOF'\n$HOME\nEOF") == "exit status 0\n$HOME\n"
    assert hands.shows("RUN <<EOF\nfor n in 1 2; do\n  echo $n\ndone\nEOF") == "exit status 0\n1\n2\n"


def test_a_command_sees_no_secret(hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "DEEPSEEK_API_KEY",
        "STRIPE_KEY_PROD",
        "ANY_WORD",
        "DOTAGENT_HOME",
        "DATABASE_URL",
        "DEEPSEEK_API_BASE",
    ):
        monkeypatch.setenv(name, "sk-secret")
    monkeypatch.setenv("EDITOR", "vi")
    hands.session.settings = replace(hands.session.settings, environment=("EDITOR", "NOT_SET"))
    shown = hands.shows("RUN env")
    assert "sk-secret" not in shown
    assert "\nEDITOR=vi\n" in shown
    names = set(re.findall(r"^(\w+)=", shown, re.MULTILINE)) - {"_", "SHLVL", "OLDPWD"}
    assert all(variables.is_plain(name) for name in names - {"PWD", "EDITOR", background.MARK})
    assert {"PATH", "PWD"} <= names


def test_bytes_that_are_no_text_and_a_nul(hands: Hands) -> None:
    assert hands.shows(r"RUN printf '\377\000x'") == "exit status 0\n\ufffd\0x"
    hands.fails("RUN echo a\0b", "could not be started")
    hands.fails(f"RUN echo {'x' * 200_000}", "could not be started")
    hands.fails("RUN", "the command is missing")
    hands.fails("RUN cat <<EOF\nx", "the line EOF is missing")
    assert hands.session.state.turn.effect is None


# --- limits


def test_a_command_that_takes_too_long_and_cannot_go_on_is_stopped_with_all_it_started(hands: Hands) -> None:
    for number in range(1, background.AT_ONCE + 1):
        (hands.path / "processes" / str(number)).mkdir(parents=True)
    hands.session.patience = Patience(run=0.2)
    shown = hands.shows("RUN echo begun; sleep 100 & echo $! > child; sleep 100")
    assert shown == "stopped: the command took longer than 0.2 s\nbegun\n"
    pid = int((hands.path / "files/child").read_text())
    gone(pid, process.start_time(pid))


def test_what_a_command_leaves_behind_is_killed(hands: Hands) -> None:
    assert hands.shows("RUN sleep 100 & echo $! > child") == "exit status 0\n"
    pid = int((hands.path / "files/child").read_text())
    gone(pid, process.start_time(pid))


AWAY = {
    "a session of its own": "setsid sh stray &",
    "two forks": "(setsid sh stray &) &",
    "a stranger": "(env -i $(command -v setsid) sh stray >/dev/null 2>&1 </dev/null &) &",
    "a session in a session": "setsid sh -c 'setsid sh stray & sleep 100' &",
    "one that will not listen": "setsid sh -c 'trap \"\" HUP TERM INT; . ./stray' &",
}
STRAY = "sh -c 'echo $PPID' > child; while :; do echo x >> grows; sleep 0.05; done"
BEGUN = "until [ -s child ]; do sleep 0.01; done"
ENDS = {
    "its end": ("true", "exit status 0\n"),
    "its output": ("yes", "stopped: the command printed more than 1,048,576 bytes\n"),
    "a signal": ("kill -9 $$", "killed by signal 9\n"),
}
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only the group is known")


@pytest.mark.slow
@LINUX
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("way", AWAY)
def test_nothing_that_a_command_starts_gets_away(hands: Hands, way: str, end: str) -> None:
    last, told = ENDS[end]
    (hands.path / "files/stray").write_text(STRAY)
    assert hands.shows(f"RUN {AWAY[way]} {BEGUN}; {last}").startswith(told)
    assert process.start_time(int((hands.path / "files/child").read_text())) == ""


@pytest.mark.night
@LINUX
def test_what_flees_for_ever_is_overtaken(hands: Hands) -> None:
    """Each of its processes starts the next one, in a session of its own, and ends."""
    flee = "import os\nwhile not os.fork():\n os.setsid()\n open('child', 'a').write('x')\n"
    (hands.path / "files/flee.py").write_text(flee)
    assert hands.shows(f"RUN setsid {sys.executable} flee.py & {BEGUN}") == "exit status 0\n"
    size = (hands.path / "files/child").stat().st_size
    hands.shows("RUN sleep 0.2")
    assert (hands.path / "files/child").stat().st_size == size


@LINUX
def test_what_runs_beside_a_command_is_left_alone(hands: Hands) -> None:
    """The provider's process is this one's child, too."""
    with subprocess.Popen(["sleep", "100"], start_new_session=True) as other:
        hands.shows("RUN setsid sleep 100 &")
        assert other.poll() is None
        other.kill()


def test_a_command_that_prints_too_much_is_stopped(hands: Hands) -> None:
    shown = hands.shows("RUN yes")
    assert shown.startswith("stopped: the command printed more than 1,048,576 bytes\ny\ny\n")
    assert len(shown) < run.MOST + 100
    assert (hands.path / "run/now/out").stat().st_size < 2 * run.MOST
    assert tokens.estimate(hands.session.entries[-1].content or b"") <= hands.session.share


def test_what_is_in_the_way_is_told(hands: Hands) -> None:
    (hands.path / "run/now/out").mkdir(parents=True)
    hands.fails("RUN ls", "no command can run", "Is a directory")
    (hands.path / "run/now/out").rmdir()
    (hands.path / "run").rename(hands.path / "aside")
    (hands.path / "run").write_text("x")
    hands.fails("RUN ls", "run: ", "move it away")
    assert not hands.events("EFFECT")


# --- who may


def test_only_a_life_that_hears_its_person_alone_runs_commands(tmp_path: Path) -> None:
    with a_life(tmp_path, "--audience", "group", "--room", "all") as hands:
        hands.fails("RUN touch ran", "you cannot run commands")
        assert not (hands.path / "files/ran").exists()
        assert not hands.events("EFFECT")


def test_a_life_that_heard_a_bridge_has_no_run(hands: Hands) -> None:
    assert hands.shows("RUN echo yes") == "exit status 0\nyes\n"
    hands.world.say("hello", name="discord/eve")
    hands.world.me.inbox.hear()
    hands.fails("RUN echo yes", "cannot run commands")


def test_joining_a_bridged_room_takes_run_away(hands: Hands) -> None:
    from dotagent.store import rooms
    from dotagent.text import times

    rooms.create(hands.where.room("ops"), "private")
    rooms.append(hands.where.room("ops"), rooms.line_of("USER", "discord/eve", times.now(), "hello"))
    hands.do("JOIN ops")
    hands.world.me.inbox.hear()
    hands.fails("RUN echo yes", "cannot run commands")


def test_a_helper_has_no_run_and_settings_may_name_lives(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    self_id = session.birth(where.store(), "# SOUL", "helper")
    (where.agent(self_id) / "subs").mkdir(parents=True)
    (where.agent(self_id) / "LIFE.md").touch()
    with a_life(tmp_path) as hands:
        assert hands.session.state.audience == "helper"
        hands.fails("RUN echo yes", "cannot run commands")
    (where.root / "dotagent.toml").write_text(f'run = ["", "{"0" * 8}"]\n')
    with a_life(tmp_path) as hands:
        hands.fails("RUN echo yes", "cannot run commands")
    (where.root / "dotagent.toml").write_text(f'run = ["{self_id[:8]}"]\n')
    with a_life(tmp_path) as hands:
        assert hands.shows("RUN echo yes") == "exit status 0\nyes\n"


# --- interrupted


@pytest.mark.slow
def test_a_kill_leaves_no_command_behind_and_it_is_not_run_again() -> None:
    """Real processes: kill -9 of the agent while its command waits, and has a child in the background."""
    strays = "(setsid sh -c 'echo $$ > stray; sleep 100' &); env -i sh -c 'setsid sleep 100 & echo $! > bare; wait' &"
    command = f"SAY dev I begin\nRUN {strays} echo begun; echo x >> ran; sleep 100 & echo $! > child; sleep 100"
    with a_home() as where, Server(stream(command), stream("it was interrupted")) as server:
        env = {"DEEPSEEK_API_KEY": "x", "DEEPSEEK_API_BASE": server.base, "DOTAGENT_SANDBOX": "off"}
        alive = Alive(where, **env)
        path = where.agent(alive.id)
        say(where, "go")
        hears(where, "I begin")
        names = ("child", "stray", "bare") if sys.platform == "linux" else ("child",)
        inner, outer = [left(path / "files" / name) for name in names], (path / "run/now/pid").read_text().split()
        alive.end(signal.SIGKILL)
        assert all(process.lives(*one) for one in inner)
        assert process.lives(int(outer[0]), outer[1])
        again = Alive(where, alive.id, **env)
        hears(where, "it was interrupted")
        for one in inner:
            gone(*one)
        gone(int(outer[0]), outer[1])
        (line,) = again.lines("TOOL")
        told = where.store().get(line.id).body
        assert told.startswith(b"interrupted: ")
        assert told.endswith(b"It printed:\nbegun\n")
        assert (path / "files/ran").read_text() == "x\n"
        again.end()


@pytest.mark.slow
def test_being_told_to_leave_ends_a_command_at_once() -> None:
    with a_home() as where, Server(stream("RUN echo begun; sleep 100"), stream("WAIT")) as server:
        env = {"DEEPSEEK_API_KEY": "x", "DEEPSEEK_API_BASE": server.base, "DOTAGENT_SANDBOX": "off"}
        alive = Alive(where, **env)
        say(where, "go")
        alive.waits_for("EFFECT")
        out = where.agent(alive.id) / "run/now/out"
        until(lambda: out.exists() and out.read_text() == "begun\n", where.agent(alive.id) / "run/now")
        pid, started, *_ = (where.agent(alive.id) / "run/now/pid").read_text().split()
        assert alive.end() == (0, "", "")
        gone(int(pid), started)
        assert run_program(where, "agent.py", alive.id, "--until-idle", env=env).returncode == 0
        (line,) = alive.lines("TOOL")
        assert where.store().get(line.id).body.startswith(b"interrupted: ")


def test_what_a_dead_command_left_is_killed_only_if_it_is_its_own(hands: Hands) -> None:
    """The leader is gone and its child lives; another process has the pid; the machine was started anew."""
    hands.shows("RUN true")
    what, call = hands.effects("RUN")[-1], ToolCall("RUN", "true", None)
    file = hands.path / "run/now/pid"
    words = ["sh", "-c", "sleep 100 & echo $!"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, start_new_session=True) as leader:
        assert leader.stdout
        child = int(leader.stdout.readline())
    started = process.start_time(child)
    boot, nine = process.boot(), "9" * 5000
    for told in (f"{leader.pid} 1 another-boot", f"0 1 {boot}", f"{nine} 1 {boot}", "x", "", f"{leader.pid}"):
        file.write_text(told)
        assert run.recover(hands.session, call, what).startswith(b"interrupted")
        assert process.lives(child, started)
    me, _ = process.own_mark()
    file.write_text(f"{me} 1 {process.boot()}")
    run.recover(hands.session, call, what)
    file.write_text(f"{leader.pid} 1 {process.boot()}")
    run.recover(hands.session, call, what)
    gone(child, started)
    for name in ("pid", "out"):
        (hands.path / "run/now" / name).unlink(missing_ok=True)
        (hands.path / "run/now" / name).mkdir()
    assert run.recover(hands.session, call, what).endswith(b"It printed:\n")


def test_a_progress_bar_is_shown_as_its_last_frame(hands: Hands) -> None:
    shown = hands.shows("RUN for n in 1 2 3; do printf '\\r%s of 3' $n; done; echo; echo ready")
    assert shown.endswith("\n3 of 3\nready\n")
