"""The template: what it forks is an agent's process like one that a new Python runs, and it never holds up `up`."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import PATIENCE, ROOT, ready, until

from dotagent.capabilities.supervisor.child import Child
from dotagent.capabilities.supervisor.template import Template
from dotagent.store import home, lives
from dotagent.store.home import Home

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="without pidfd_open, `up` starts each agent on its own"),
]


@pytest.fixture
def template(where: Home) -> Iterator[Template]:
    made = Template(where.root)
    yield made
    made.close()


def started(template: Template, where: Home, *words: str, **more: str) -> Child:
    child = Child("life", "x", where.root / "x.log")
    env = {"PATH": os.environ["PATH"], "HOME": str(where.root), "USER": "ana", "DOTAGENT_NEARBY": "", **more}
    child.start([sys.executable, str(ROOT / "agent.py"), *words, "--home", str(where.root)], env, template=template)
    assert child.process and not isinstance(child.process, subprocess.Popen)
    return child


def ended(child: Child) -> int:
    """How it ended, once the template has told."""
    return until(lambda: (status,) if (status := child.died()) is not None else None, child.log)[0]


def test_it_does_what_the_program_does(where: Home, template: Template) -> None:
    assert ended(started(template, where, "--until-idle", "--provider", "offline")) == 0
    (self_id,) = home.lives(where)
    assert self_id in (where.root / "x.log").read_text()
    child = started(template, where, "--linger", "-1")
    assert ended(child) == 2 and child.why == "exit status 2"
    assert "--linger -1: give a number of seconds, 0 or more" in (where.root / "x.log").read_text()


def test_each_has_its_own_environment_and_session(where: Home, template: Template) -> None:
    seen = []
    for room in ("one", "two"):
        child = started(template, where, "--provider", "offline", "--room", room, MARK=room)
        until(lambda room=room: lives.find_agents(where, room), where.root)  # type: ignore[misc]
        assert os.getsid(child.pid) == child.pid and child.told()["started"]
        seen.append(child)
    for child in seen:
        child.signal(signal.SIGTERM, print)
        assert ended(child) == 0
    assert seen[0].log.read_text().count("  agent  ") == 2


def test_how_one_is_killed_is_told(where: Home, template: Template) -> None:
    child = started(template, where, "--provider", "offline")
    until(lambda: home.lives(where) and lives.runs(where, home.lives(where)[0]), where.root)
    child.signal(signal.SIGKILL, print)
    assert ended(child) == -9 and child.why == "killed by SIGKILL" and not child.runs


def test_a_template_that_is_killed_takes_nobody_along(where: Home, template: Template) -> None:
    first = started(template, where, "--provider", "offline", "--room", "one")
    until(lambda: lives.find_agents(where, "one"), where.root)
    parent = int(Path(f"/proc/{first.pid}/stat").read_text().rpartition(")")[2].split()[1])
    watched = os.pidfd_open(parent)
    os.kill(parent, signal.SIGKILL)
    assert ready(watched, PATIENCE)
    os.close(watched)
    assert first.runs
    second = started(template, where, "--provider", "offline", "--room", "two")
    until(lambda: lives.find_agents(where, "two"), where.root)
    for child in (first, second):
        child.signal(signal.SIGTERM, print)
    assert ended(first) == -9  # nobody knows it, so it is looked at again
    assert ended(second) == 0


def test_an_agent_with_a_large_environment_is_forked_too(where: Home, template: Template) -> None:
    assert ended(started(template, where, "--until-idle", "--provider", "offline", LANG="C" * 100_000)) == 0
    assert home.lives(where)


def test_a_fork_never_runs_code_from_before_a_change(where: Home, tmp_path: Path) -> None:
    copied = tmp_path / "code"
    shutil.copytree(ROOT / "dotagent", copied / "dotagent", ignore=shutil.ignore_patterns("__pycache__"))
    script = tmp_path / "twice.py"
    script.write_text(TWICE)
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(copied), "USER": "ana", "DOTAGENT_NEARBY": ""}
    done = subprocess.run(
        [sys.executable, str(script), str(copied), str(where.root)], env=env, capture_output=True, text=True,
        check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (where.root / "log").read_text().split() == ["before", "after"]


TWICE = r"""
import os, sys
from pathlib import Path
from dotagent.capabilities.supervisor.template import Template

code, root = map(Path, sys.argv[1:])
(root / "log").touch()
template = Template(root)
with open(root / "log", "a") as log:
    lines = "from dotagent.loop import boot", "from dotagent.word import WORD", "step = rest = print"
    (code / "agent.py").write_text("\n".join([*lines, "main = lambda: print(WORD)", ""]))
    for word in ("before", "after"):
        (code / "dotagent" / "word.py").write_text(f"WORD = {word!r}\n")
        fork = template.start([], dict(os.environ), root / "log", log.fileno())
        while fork.poll() is None:
            os.sched_yield()
template.close()
"""


def test_a_turn_before_the_fork_leaves_nothing_behind_but_what_it_loaded(where: Home, tmp_path: Path) -> None:
    """Its second turn loads nothing: a fork shares the code of its first turn with the others."""
    before = sorted(where.root.rglob("*"))
    env = {"PATH": os.environ["PATH"], "USER": "ana", "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", REHEARSED, str(where.root)]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert done.stdout.split() == ["loaded:", "signals:", "True", "environment:", "True", "processes:", "0"]
    assert sorted(where.root.rglob("*")) == before


REHEARSED = r"""
import os, signal, sys
from pathlib import Path
from dotagent.capabilities.supervisor import rehearsal, template

handlers, environment = list(map(signal.getsignal, (signal.SIGINT, signal.SIGTERM))), dict(os.environ)
program = template._load(Path(sys.argv[1]))
known = {*sys.modules}
rehearsal.live(program)
print("loaded:", *sorted({*sys.modules} - known))
print("signals:", handlers == list(map(signal.getsignal, (signal.SIGINT, signal.SIGTERM))))
print("environment:", environment == dict(os.environ))
print("processes:", len(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))
"""


def test_an_agent_loads_no_more_code_to_start_again_and_answer(where: Home) -> None:
    env = {"PATH": os.environ["PATH"], "USER": "ana", "PYTHONPATH": str(ROOT), "DOTAGENT_NEARBY": ""}
    words = [sys.executable, "-c", ANSWERED, str(where.root)]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert done.stdout.endswith("\nloaded:\n")
    assert where.room("dev").read_text().count("[AGENT:") == 1


ANSWERED = r"""
import sys
from pathlib import Path
from dotagent.capabilities.supervisor import template
from dotagent.store import rooms
from dotagent.store.home import Home
from dotagent.text import times

root = Path(sys.argv[1])
program, known = template._load(root), {*sys.modules}
options = ["--home", str(root), "--provider", "offline", "--until-idle"]
sys.argv[1:] = ["--new", *options]
program["main"]()
rooms.append(Home(root).room("dev"), rooms.line_of("USER", "ana", times.now(), "help"))
sys.argv[1:] = ["--last", *options]
program["main"]()
print("loaded:", *sorted({*sys.modules} - known))
"""
